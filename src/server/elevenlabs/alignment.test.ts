import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpokenWord } from '#protocol/core/speech-event.ts';
import type { Alignment } from '#protocol/elevenlabs/wire/server-frames.ts';
import { alignmentsOf } from './alignment.ts';

const word = (text: string, of: string, startMs: number, endMs: number): SpokenWord => {
  const charStart = of.indexOf(text);
  return { word: text, startMs, endMs, charStart, charEnd: charStart + text.length };
};

const starts = (text: string, words: readonly SpokenWord[], durationMs: number) =>
  alignmentsOf(text, words, durationMs).alignment.charStartTimesMs;

describe('alignmentsOf', () => {
  it('4.3.5 shares the time of a word evenly, gives spaces the gap, and has one more space in the normalized one', () => {
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
  ] as const)('1.6.3, 3.2: %s', (_, text, words, expected) => {
    expect(starts(text, words, 40)).toEqual(expected);
  });

  it('4.3.3 durations are whole, never negative, and add up to the audio', () => {
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
