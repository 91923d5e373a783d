import { openSpeaker, TEXT } from './kugel-socket.ts';

/** What a session heard. */
export interface PacedFigures {
  firstAudioMs: number[];
  /** Turns in which the audio so far had been played before more arrived. */
  underruns: number;
}

/** Bytes of audio of a second: 16 bits at 24 kHz. */
const BYTES_A_SECOND = 48_000;
/** Bytes of an audio frame besides its base64. */
const FRAME_BYTES = 100;

/**
 * Speaks a text again and again at the pace at which it is heard: the next turn begins when the audio of the last one has
 * been played. @param until a time of `performance.now()` after which no turn begins
 */
export async function holdSession(server: { ws: string }, untilMs: number): Promise<PacedFigures> {
  const socket = await openSpeaker(server, 1071);
  const figures: PacedFigures = { firstAudioMs: [], underruns: 0 };
  await new Promise<void>((resolve, reject) => {
    let sentMs = 0;
    let firstMs = Number.NaN;
    let audioMs = 0;
    let isLate = false;
    const speak = () => {
      if (performance.now() >= untilMs) {
        socket.close(1000);
        return;
      }
      sentMs = performance.now();
      firstMs = Number.NaN;
      audioMs = 0;
      isLate = false;
      socket.send(JSON.stringify({ text: TEXT, flush: true }));
    };
    socket.on('message', (data: Buffer) => {
      const nowMs = performance.now();
      // The clients share the processor with the servers: audio is recognised by its size and not parsed.
      if (data.length > 1000) {
        if (Number.isNaN(firstMs)) {
          firstMs = nowMs;
          figures.firstAudioMs.push(nowMs - sentMs);
        } else if (nowMs - firstMs > audioMs) isLate = true;
        audioMs += (((data.length - FRAME_BYTES) * 3) / 4 / BYTES_A_SECOND) * 1000;
        return;
      }
      if (!data.includes('session_closed')) return;
      if (isLate) figures.underruns += 1;
      setTimeout(speak, Math.max(0, firstMs + audioMs - nowMs));
    });
    socket.once('close', (code) =>
      code === 1000 ? resolve() : reject(new Error(`The server closed with ${code}.`)),
    );
    speak();
  });
  return figures;
}
