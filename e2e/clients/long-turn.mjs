import { createHash } from 'node:crypto';
import { on, once } from 'node:events';
import WebSocket from 'ws';

/** Speaks 15 s on each of so many connections, and prints how long each turn took. */

const TEXT =
  'The quick brown fox jumps over the lazy dog and runs along the river, past the old mill, and through the wooden fence. ' +
  'Nobody saw where it went after that, but the dog told the story for years. ' +
  'In the end the children of the village knew every word of it by heart, and told it better.';

const address = `${process.env.VOICEWIRE_KUGEL_URL.replace('http', 'ws')}/ws/tts/stream?api_key=local`;
for (let count = Number(process.argv[2]); count > 0; count -= 1) {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const digest = createHash('sha256');
  socket.send(JSON.stringify({ voice_id: 1071, language: 'en' }));
  const sentMs = performance.now();
  socket.send(JSON.stringify({ text: TEXT, flush: true }));
  for await (const [data] of on(socket, 'message')) {
    digest.update(data);
    const frame = JSON.parse(String(data));
    if (!frame.session_closed) continue;
    const ms = Math.round(performance.now() - sentMs);
    const turn = { ms, audioSeconds: frame.total_audio_seconds, digest: digest.digest('hex') };
    process.stdout.write(`${JSON.stringify(turn)}\n`);
    break;
  }
  socket.close(1000);
  await once(socket, 'close');
}
