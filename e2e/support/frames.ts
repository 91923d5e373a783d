import { marked } from '#player/testing/traces.ts';
import { audioFrame, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

/** Frames as the real server sends them, for scripts that only differ in one place. All audio is 24 kHz. */
export const RATE = 24_000;
export const FRAME_MS = 100;
const FRAME_SAMPLES = (FRAME_MS * RATE) / 1000;

export const startedFrame = (text: string): object => ({ generation_started: true, chunk_id: 0, text });

/** The samples in frames of 100 ms, counted from `firstIdx`. */
export function audioFrames(samples: Int16Array, firstIdx = 0): object[] {
  const count = Math.ceil(samples.length / FRAME_SAMPLES);
  return Array.from({ length: count }, (_, at) =>
    audioFrame(samples.subarray(at * FRAME_SAMPLES, (at + 1) * FRAME_SAMPLES), firstIdx + at, RATE),
  );
}

/** The words of the text, spread evenly over the audio. */
export function wordsFrame(text: string, seconds: number): object {
  const found = [...text.matchAll(/\S+/g)];
  const stepMs = (seconds * 1000) / found.length;
  return {
    word_timestamps: found.map((match, at) => ({
      word: match[0],
      start_ms: Math.round(at * stepMs),
      end_ms: Math.round((at + 1) * stepMs),
      char_start: match.index,
      char_end: match.index + match[0].length,
      score: 1,
    })),
    chunk_id: 0,
  };
}

/** The sound of {@link turnFrames}, in which no stretch is like another. */
export const turnSamples = (seconds: number): Int16Array =>
  marked(seconds * RATE, 1).map((sample) => sample >> 2);

/** All that ends a turn gracefully. */
export function endFrames(text: string, seconds: number): object[] {
  const totals = { total_audio_seconds: seconds, total_text_chunks: 1, total_audio_chunks: 1 };
  const usage = { audio_seconds: seconds, characters: text.length, cost_cents: 0.09, currency: 'eur' };
  return [
    { chunk_complete: true, chunk_id: 0, audio_seconds: seconds, gen_ms: 5 },
    { final: true, ...totals },
    { session_closed: true, ...totals, usage: { ...usage, model_id: 'kugel-3' } },
  ];
}

/** A whole turn of one chunk: a sound of that length, with its words. */
export const turnFrames = (text: string, seconds: number): object[] => [
  startedFrame(text),
  ...audioFrames(turnSamples(seconds)),
  wordsFrame(text, seconds),
  ...endFrames(text, seconds),
];

/** A server that answers every flush with a short turn of what was said since the last one. */
export function startAnsweringServer(seconds = 0.5): Promise<ScriptedServer> {
  let said = '';
  return startScriptedServer((_, message, say) => {
    if (typeof message.text === 'string') said += message.text;
    if (message.cancel) {
      said = '';
      say({ interrupted: true });
    }
    if (!message.flush) return;
    for (const frame of turnFrames(said, seconds)) say(frame);
    said = '';
  });
}

/** The text frames among what a server received. */
export const textsOf = (server: ScriptedServer): string[] =>
  server.received.flatMap((message) => (typeof message.text === 'string' ? [message.text] : []));
