import { encodeBase64 } from '#lib/base64.ts';
import { Player } from '#player/player.ts';
import { openSink } from '#player/sink.ts';

const RATE = 24_000;
const FRAMES = 40;
const FRAME_SAMPLES = RATE / 10;

/**
 * Sends silence through a player that is connected to nothing, so that the path of an audio frame is compiled before the
 * first turn needs it.
 */
export function compileAudioPath(): void {
  const { port1, port2 } = new MessageChannel();
  const player = new Player();
  player.attach(openSink(port1, { capacity: 2 ** 14 }), RATE);
  const base64 = encodeBase64(new Uint8Array(2 * FRAME_SAMPLES));
  for (let frame = 0; frame < FRAMES; frame += 1) {
    player.receive(frame % 4, { base64 }, 'pcm_s16le', RATE, frame * 100);
    player.poll();
  }
  player.detach();
  port2.close();
}
