import { expect, it } from 'vitest';
import { settle } from './fake-clock.test-helper.ts';
import { type Engine, ORDINARY_SPEECH } from './speech/engine.ts';
import { VOICES } from './speech/voices/voices.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { createVoiceSamples } from './voice-samples.ts';

const [voice] = VOICES;
if (!voice) throw new Error('there are voices');
const request = (text: string) => ({ ...ORDINARY_SPEECH, voice, text });
const WAV_HEADER_BYTES = 44;
const MINUTE_BYTES = 60 * 48_000;

/** Speaks blocks of seven seconds without end. */
function createEndlessEngine() {
  let syntheses = 0;
  let running = 0;
  const engine: Engine = {
    async *synthesize() {
      syntheses += 1;
      running += 1;
      try {
        for (;;) {
          await new Promise(setImmediate);
          yield { samples: new Int16Array(7 * 24_000), words: [] };
        }
      } finally {
        running -= 1;
      }
    },
    close: async () => {},
  };
  return { engine, counts: () => ({ syntheses, running }) };
}

it('a sample ends after a minute, and so does its synthesis', async () => {
  const { engine, counts } = createEndlessEngine();
  const file = await createVoiceSamples(engine).speak(request('Hello'));
  expect(file.length).toBe(WAV_HEADER_BYTES + MINUTE_BYTES);
  expect(counts()).toEqual({ syntheses: 1, running: 0 });
});

it('keeps the most recent 32 MB', async () => {
  const { engine, counts } = createEndlessEngine();
  const samples = createVoiceSamples(engine);
  // Eleven minutes fit.
  const texts = Array.from({ length: 12 }, (_, index) => `Text ${index}`);
  for (const text of texts) await samples.speak(request(text));
  for (const text of texts.slice(1)) await samples.speak(request(text));
  expect(counts().syntheses).toBe(12);
  await samples.speak(request('Text 0'));
  expect(counts().syntheses).toBe(13);
});

it('synthesises two samples at a time', async () => {
  const engine = createTestEngine();
  const samples = createVoiceSamples(engine);
  engine.hold();
  const files = ['One', 'Two', 'Three'].map((text) => samples.speak(request(text)));
  await settle();
  expect(engine.requests.map(({ text }) => text)).toEqual(['One', 'Two']);
  engine.release();
  await Promise.all(files);
  expect(engine.requests.map(({ text }) => text)).toEqual(['One', 'Two', 'Three']);
});
