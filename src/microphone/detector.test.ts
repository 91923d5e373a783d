import { describe, expect, it } from 'vitest';
import { Detector } from './detector.ts';
import { DEFAULT_DETECTOR, type DetectorSettings } from './detector-settings.ts';
import { MODEL_RATE } from './speech-model.ts';
import type { SpeechNews } from './speech-news.ts';

const FRAME = 512;
const FRAME_MS = 32;
const BLOCK = 256;
const SETTINGS: DetectorSettings = {
  ...DEFAULT_DETECTOR,
  leastMs: 2 * FRAME_MS,
  hangOverMs: 3 * FRAME_MS,
  lastingMs: 6 * FRAME_MS,
};

/** A detector whose model takes the level of a sound for the probability of speech. */
function setUp(settings: Partial<DetectorSettings> = {}, sampleRate = MODEL_RATE) {
  let nowMs = 5000;
  const news: SpeechNews[] = [];
  const levels: number[] = [];
  const detector = new Detector(
    {
      frameSamples: FRAME,
      probability: async (frame) => Math.abs(frame[FRAME / 2] ?? 0),
    },
    { ...SETTINGS, ...settings },
    sampleRate,
    { heard: ({ levelDb }) => levels.push(levelDb), news: (one) => news.push(one) },
    () => nowMs,
  );
  return {
    detector,
    news,
    levels,
    /** @param frames of this level, whose blocks arrive `lateMs` after their end */
    async hear(frames: number, level: number, lateMs = 0): Promise<void> {
      const block = (BLOCK * sampleRate) / MODEL_RATE;
      for (let i = 0; i < frames * (FRAME / BLOCK); i += 1) {
        nowMs += (BLOCK / MODEL_RATE) * 1000;
        const arrivesMs = nowMs;
        nowMs += lateMs;
        await detector.hear(new Float32Array(block).fill(level));
        nowMs = arrivesMs;
      }
    },
  };
}

describe('the detector', () => {
  it('says when speech began by the wall clock, also where blocks arrive late', async () => {
    const { hear, news } = setUp();
    await hear(10, 0.001);
    await hear(2, 0.9, 20);
    expect(news).toEqual([
      { kind: 'pause', onsetMs: 5000 + 10 * FRAME_MS, decidedMs: 5000 + 12 * FRAME_MS + 20 },
    ]);
  });

  it('confirms speech that lasts, with the same times, and nothing at its end', async () => {
    const { hear, news } = setUp();
    await hear(1, 0.001);
    await hear(8, 0.9);
    await hear(6, 0.001);
    expect(news.map(({ kind }) => kind)).toEqual(['pause', 'confirm']);
    expect({ ...news[1], kind: 'pause' }).toEqual(news[0]);
  });

  it('lets the voice go on after speech that did not last', async () => {
    const { hear, news } = setUp();
    await hear(3, 0.9);
    await hear(3, 0.001);
    expect(news.map(({ kind }) => kind)).toEqual(['pause', 'continue']);
  });

  it('ends speech that lasts where the microphone is switched off', async () => {
    const { hear, news, detector } = setUp();
    await hear(3, 0.9);
    await detector.stop();
    expect(news.map(({ kind }) => kind)).toEqual(['pause', 'continue']);
  });

  it('cancels at the decision where that is chosen, from the next decision on', async () => {
    const { hear, news, detector } = setUp();
    detector.settings = { ...SETTINGS, onSpeech: 'cancel' };
    await hear(2, 0.9);
    expect(news).toMatchObject([{ kind: 'cancel' }]);
  });

  it('does not take quiet sound for speech, at any probability', async () => {
    const { hear, news, levels } = setUp({ leastLevelDb: -0.5 });
    await hear(10, 0.9);
    expect(news).toEqual([]);
    expect(levels.at(-1)).toBeCloseTo(20 * Math.log10(0.9));
  });

  it('resamples the sound of a device that has another rate', async () => {
    const { hear, news } = setUp({}, 48_000);
    await hear(10, 0.001);
    await hear(4, 0.9);
    expect(news).toHaveLength(1);
    const [decision] = news;
    const onsetMs = decision && 'onsetMs' in decision ? decision.onsetMs : Number.NaN;
    expect(Math.abs(onsetMs - (5000 + 10 * FRAME_MS))).toBeLessThan(FRAME_MS);
  });
});
