import { isUnspaced, writtenWords } from '#lib/text/words.ts';
import type { Engine, SpeechBlock, SpeechRequest } from './speech/engine.ts';

/**
 * Speech without sound, for rules in which speech does not matter: every character becomes 10 ms, every word is timed,
 * blocks of 100 ms come one per round of the event loop, and a test may hold them back.
 */
export interface TestEngine extends Engine {
  readonly requests: SpeechRequest[];
  /** From now on, blocks wait for `release`. */
  hold(): void;
  release(): void;
  /** The next request fails. */
  failNext(error?: Error): void;
}

const CHARACTER_MS = 10;
const BLOCK_MS = 100;

export function createTestEngine(): TestEngine {
  const requests: SpeechRequest[] = [];
  let held: Promise<void> | null = null;
  let release = () => {};
  let failing: Error | null = null;
  return {
    requests,
    hold() {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    release() {
      held = null;
      release();
    },
    failNext(error = new Error('the engine broke')) {
      failing = error;
    },
    async *synthesize(request: SpeechRequest, signal: AbortSignal): AsyncGenerator<SpeechBlock> {
      requests.push(request);
      if (failing) {
        const error = failing;
        failing = null;
        throw error;
      }
      let wake = () => {};
      const aborted = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const { text } = request;
      const spans = isUnspaced(text)
        ? writtenWords(text)
        : [...text.matchAll(/[\p{L}\p{N}']+/gu)].map(({ 0: word, index: start }) => ({
            start,
            end: start + word.length,
          }));
      const words = spans.map(({ start, end }) => ({
        word: text.slice(start, end),
        startMs: start * CHARACTER_MS,
        endMs: end * CHARACTER_MS,
        charStart: start,
        charEnd: end,
      }));
      const totalMs = request.text.length * CHARACTER_MS;
      signal.addEventListener('abort', wake);
      try {
        for (let atMs = 0; atMs < totalMs; atMs += BLOCK_MS) {
          await Promise.race([held ?? new Promise(setImmediate), aborted]);
          signal.throwIfAborted();
          const blockMs = Math.min(BLOCK_MS, totalMs - atMs);
          yield {
            samples: new Int16Array(Math.round((request.sampleRate * blockMs) / 1000)).fill(1000),
            words: words.filter((word) => word.endMs > atMs && word.endMs <= atMs + blockMs),
            // Each character is a sound.
            ...(request.hasPhonemes && {
              phonemes: [...text.slice(atMs / CHARACTER_MS, (atMs + blockMs) / CHARACTER_MS)].map(
                (phoneme, at) => {
                  const startMs = atMs + at * CHARACTER_MS;
                  return { phoneme, startMs, endMs: startMs + CHARACTER_MS };
                },
              ),
            }),
          };
        }
      } finally {
        // A turn speaks all its chunks with one signal.
        signal.removeEventListener('abort', wake);
      }
    },
    async close() {},
  };
}
