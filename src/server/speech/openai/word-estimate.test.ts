import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writtenWords } from '#lib/text/words.ts';
import type { MappedText } from '../text/mapped-text.ts';
import { countRounds } from './scripted-server.test-helper.ts';
import { estimateSounds, LevelTracker } from './word-estimate.ts';

const RATE = 16_000;

const asWritten = (text: string): MappedText => ({
  text,
  sourceAt: Array.from({ length: text.length }, (_, at) => at),
});

/** Sounds and silences of these lengths by turns, a sound first. */
function trackerOf(lengthsMs: readonly number[]): LevelTracker {
  const tracker = new LevelTracker(RATE);
  lengthsMs.forEach((ms, at) => {
    tracker.push(new Int16Array((ms * RATE) / 1000).fill(at % 2 === 0 ? 9000 : 0));
  });
  return tracker;
}

describe('words estimated from the sound', () => {
  it.each<[string, string, number[], number[]]>([
    ['share it by their letters, and one for each word', 'One three', [1000], [0, 400]],
    ['share it with digits as long as six letters', 'Pay 12 now', [2100], [0, 400, 1700]],
    ['share it with signs as long as five letters', 'is + is', [1200], [0, 300, 900]],
    ['share it with three letters for a sign of Chinese', '中 bcd', [800], [0, 400]],
    ['pause at a mark', 'One two, three', [800, 300, 600], [0, 400, 1100]],
    [
      'pause at a mark rather than where the length fits',
      'One, three four',
      [850, 300, 650],
      [0, 1150, 1505],
    ],
    ['pause where no mark is, if the sound does', 'One two three', [400, 300, 1000], [0, 700, 1100]],
    ['leave a breath without a word', 'One two', [800, 300, 20], [0, 400]],
    [
      'ignore the pauses of a noise, which has more sounds than words',
      'One two',
      Array(59).fill(100),
      [0, 2950],
    ],
  ])('%s: %s', async (_, text, soundMs, expected) => {
    const sounds = await estimateSounds(asWritten(text), trackerOf(soundMs), 0);
    expect(sounds.map(({ source }) => source)).toEqual(writtenWords(text).map(({ start }) => start));
    sounds.forEach(({ startMs }, at) => {
      expect(Math.abs(startMs - (expected[at] ?? 0)), `${startMs}`).toBeLessThanOrEqual(30);
    });
  });

  it('are none in silence', async () => {
    expect(await estimateSounds(asWritten('Hello there.'), trackerOf([0, 1000]), 0)).toEqual([]);
  });

  it('leave the event loop to others after every 16 runs of sound', async () => {
    const { rounds, stop } = countRounds();
    await estimateSounds(asWritten('word '.repeat(20)), trackerOf(Array(100).fill(200)), 0);
    expect(rounds()).toBe(3);
    stop();
  });

  it('are all there, in order and within the sound, for any runs of sound', async () => {
    const lengths = fc.tuple(fc.integer({ min: 10, max: 900 }), fc.integer({ min: 0, max: 900 }));
    const text = fc.array(fc.constantFrom('one', 'two,', '12.50', 'half-hearted.', '今日は', '🙂'), {
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(lengths, { minLength: 1, maxLength: 20 }), text, async (runs, parts) => {
        const written = parts.join(' ');
        const tracker = trackerOf(runs.flat());
        const ms = runs.flat().reduce((sum, each) => sum + each, 0);
        const sounds = await estimateSounds(asWritten(written), tracker, 1000);
        expect(sounds.map(({ source }) => source)).toEqual(writtenWords(written).map(({ start }) => start));
        let last = 1000;
        for (const { startMs, endMs } of sounds) {
          expect(startMs).toBeGreaterThanOrEqual(last - 1e-6);
          expect(endMs).toBeGreaterThan(startMs);
          last = endMs;
        }
        expect(last).toBeLessThanOrEqual(1000 + ms);
      }),
      { numRuns: 60 },
    );
  });
});
