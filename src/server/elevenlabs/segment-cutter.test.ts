import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writtenWords } from '#lib/text/words.ts';
import type { SpokenWord } from '#protocol/core/speech-event.ts';
import type { Alignment } from '#protocol/elevenlabs/wire/server-frames.ts';
import { alignmentsOf, SegmentCutter, type SpokenSegment } from './segment-cutter.ts';
import { type SpokenNumbers, spokenNumbersOf } from './spoken-numbers.ts';

const RATE = 1000;
const BLOCK_MS = 100;

/** The segments of a text whose words last so long each, with silence behind the last one. */
function segmentsOf(
  text: string,
  wordMs: readonly number[],
  silenceMs = 0,
  numbers: SpokenNumbers | null = null,
): SpokenSegment[] {
  const limits = { longestMs: 6000, patienceMs: Number.POSITIVE_INFINITY, nowMs: () => 0 };
  const cutter = new SegmentCutter({ text, numbers }, RATE, limits);
  let startMs = 0;
  const words = writtenWords(text).map(({ start, end }, at): SpokenWord => {
    const fromMs = startMs;
    startMs += wordMs[at % wordMs.length] ?? 0;
    return { word: text.slice(start, end), startMs: fromMs, endMs: startMs, charStart: start, charEnd: end };
  });
  const segments: (SpokenSegment | null)[] = [];
  for (let atMs = 0; atMs < startMs + silenceMs; atMs += BLOCK_MS) {
    const isFinal = ({ endMs }: SpokenWord) => endMs > atMs && endMs <= atMs + BLOCK_MS;
    segments.push(cutter.add({ samples: new Int16Array(BLOCK_MS), words: words.filter(isFinal) }));
  }
  segments.push(cutter.end());
  return segments.filter((segment) => segment !== null);
}

const LONG = '3.14159'.repeat(30);

describe('segments of a generation', () => {
  it.each([
    ['one very long word', LONG, [87_000], 0],
    ['a very long word among others', `Pi is ${LONG} or so. `, [300, 300, 87_000, 300, 300], 0],
    ['several', `${LONG} ${LONG}`, [60_000], 0],
    ['a short word that takes long', 'Well 😀 ', [20_000], 0],
    ['a long silence', 'Well. ', [500], 30_000],
  ])('have an end within %s', (_, text, wordMs, silenceMs) => {
    const segments = segmentsOf(text, wordMs, silenceMs);
    expect(segments.length).toBeGreaterThan(2);
    for (const { samples } of segments) expect(samples.length).toBeLessThanOrEqual(8000);
  });

  it('are the text and the audio, with times that add up, for any words', () => {
    const word = fc.constantFrom('a', 'word,', '😀', LONG, ' ', 'é');
    const ms = fc.integer({ min: 1, max: 200 }).map((blocks) => blocks * BLOCK_MS);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 12 }),
        fc.array(ms, { minLength: 3 }),
        (all, wordMs) => {
          const text = `x ${all.join(' ')}`;
          const segments = segmentsOf(text, wordMs);
          expect(segments.map(({ alignment }) => alignment.chars.join('')).join('')).toBe(text);
          let atMs = 0;
          for (const { alignment, samples, startMs } of segments) {
            expect(startMs).toBe(atMs);
            atMs += samples.length;
            expect(alignment.charDurationsMs.every((duration) => duration >= 0)).toBe(true);
            const total = alignment.charDurationsMs.reduce((sum, duration) => sum + duration, 0);
            expect(total).toBe(alignment.chars.length === 0 ? 0 : samples.length);
          }
        },
      ),
    );
  });

  it('cover the same time in both alignments, with starts that never go back, for any numbers', async () => {
    const part = fc.oneof(
      fc.constantFrom('a', 'word,', '😀', '12:30', '21st', '$5.50', '50%', 'x7y', '007', '1.000.000', LONG),
      fc.nat().map(String),
      fc.double({ noNaN: true }).map(String),
    );
    const language = fc.constantFrom('en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt');
    const ms = fc.integer({ min: 1, max: 120 }).map((blocks) => blocks * BLOCK_MS);
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 12 }),
        fc.array(ms, { minLength: 3 }),
        language,
        async (parts, wordMs, code) => {
          const text = parts.join(' ');
          const numbers = await spokenNumbersOf({ text, language: code, normalize: true });
          const segments = segmentsOf(text, wordMs, 0, numbers);
          for (const { alignment, normalizedAlignment, samples } of segments) {
            for (const { chars, charStartTimesMs, charDurationsMs } of [alignment, normalizedAlignment]) {
              if (chars.length === 0) continue;
              expect(charStartTimesMs[0]).toBe(0);
              expect(Math.min(...charDurationsMs)).toBeGreaterThanOrEqual(0);
              expect(charDurationsMs.reduce((sum, duration) => sum + duration, 0)).toBe(samples.length);
            }
          }
          expect(segments.map(({ alignment }) => alignment.chars.join('')).join('')).toBe(
            segments.length === 0 ? '' : text,
          );
          const spoken = segments.map(({ normalizedAlignment }) => normalizedAlignment.chars.join(''));
          expect(spoken.join('')).not.toMatch(/\p{Nd}/u);
        },
      ),
    );
  });
});

const word = (text: string, of: string, startMs: number, endMs: number): SpokenWord => {
  const charStart = of.indexOf(text);
  return { word: text, startMs, endMs, charStart, charEnd: charStart + text.length };
};

const starts = (text: string, words: readonly SpokenWord[], durationMs: number) =>
  alignmentsOf(text, words, durationMs).alignment.charStartTimesMs;

describe('alignmentsOf', () => {
  it('shares the time of a word evenly, gives spaces the gap, and has one more space in the normalized one', () => {
    const text = 'Hi you. ';
    const { alignment, normalizedAlignment } = alignmentsOf(
      text,
      [word('Hi', text, 40, 100), word('you', text, 130, 190)],
      250,
    );
    expect(alignment).toEqual({
      chars: [...text],
      charStartTimesMs: [0, 70, 100, 130, 150, 170, 190, 220],
      charDurationsMs: [70, 30, 30, 20, 20, 20, 30, 30],
    });
    expect(normalizedAlignment.chars).toEqual([' ', ...text]);
    expect(normalizedAlignment.charStartTimesMs).toEqual([0, 40, 70, 100, 130, 150, 170, 190, 220]);
    expect(normalizedAlignment.charDurationsMs[0]).toBe(40);
  });

  it.each([
    [
      'a message of one space has no duration',
      'a  b',
      [word('a', 'a  b', 0, 10), word('b', 'a  b', 30, 40)],
      [0, 10, 30, 30],
    ],
    ['audio without words is shared by all', 'ab', [], [0, 20]],
    ['a character of two units is one', '👍 b', [word('b', '👍 b', 20, 40)], [0, 10, 20]],
    ['words never end after the audio', 'ab', [word('ab', 'ab', 0, 90)], [0, 20]],
  ] as const)('%s', (_, text, words, expected) => {
    expect(starts(text, words, 40)).toEqual(expected);
  });

  it('durations are whole, never negative, and add up to the audio', () => {
    const piece = fc.record({
      text: fc.constantFrom('ab', 'c', 'déf', '12'),
      gap: fc.nat(90),
      ms: fc.nat(300),
    });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.nat(500), (pieces, tail) => {
        let text = '';
        let atMs = 0;
        const words = pieces.map((each): SpokenWord => {
          const charStart = text.length;
          text += `${each.text} `;
          const startMs = atMs + each.gap;
          atMs = startMs + each.ms;
          return { word: each.text, startMs, endMs: atMs, charStart, charEnd: charStart + each.text.length };
        });
        fc.pre(text !== '');
        for (const { chars, charStartTimesMs, charDurationsMs } of Object.values<Alignment>({
          ...alignmentsOf(text, words, atMs + tail),
        })) {
          expect(charStartTimesMs).toHaveLength(chars.length);
          expect(charDurationsMs.every((each) => Number.isInteger(each) && each >= 0)).toBe(true);
          expect(charDurationsMs.reduce((sum, each) => sum + each, 0)).toBe(atMs + tail);
        }
      }),
    );
  });
});
