import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpokenWord } from '#protocol/core/speech-event.ts';
import { chunkView } from '#session/testing/views.ts';
import type { WordSource } from '#trace/words/word-timings.ts';
import {
  keepParts,
  layoutKey,
  partsOf,
  positionAt,
  stateOf,
  type TranscriptPart,
  wordAt,
  wordsOf,
} from './words.ts';

const SAMPLE_RATE = 24_000;

const timed = (text: string, msPerWord = 100): SpokenWord[] =>
  [...text.matchAll(/[\p{L}\p{N}']+/gu)].map((match, at) => ({
    word: match[0],
    startMs: at * msPerWord,
    endMs: (at + 1) * msPerWord,
    charStart: match.index,
    charEnd: match.index + match[0].length,
  }));

const chunk = (id: number, text: string | null, startSample: number, words: SpokenWord[] | null = null) => ({
  id,
  text,
  words,
  wordSource: 'server' as WordSource,
  startSample,
  samples: 48_000,
  completedMs: null as number | null,
});

/** Returns the parts of a turn with these chunks. */
const laidOut = (text: string, ...chunks: ReturnType<typeof chunk>[]) =>
  partsOf({ text, sampleRate: SAMPLE_RATE, chunks });

const shown = (parts: readonly TranscriptPart[]): string =>
  parts.flatMap((part) => part.segments.map((segment) => segment.text)).join('');

const starts = (parts: readonly TranscriptPart[]) =>
  wordsOf(parts).map((word) => [word.text, word.startSample]);

describe('partsOf', () => {
  it('shows the text as pending words before any chunk has started', () => {
    expect(starts(partsOf({ text: 'Hello there.', sampleRate: null, chunks: [] }))).toEqual([
      ['Hello', Number.POSITIVE_INFINITY],
      ['there.', Number.POSITIVE_INFINITY],
    ]);
  });

  it('leaves words pending whose chunk has times and no audio yet', () => {
    const waiting = { ...chunk(0, 'One two.', 0, timed('One two.')), samples: 0 };
    const parts = partsOf({ text: 'One two.', sampleRate: null, chunks: [waiting] });
    expect(positionAt(wordsOf(parts), 100, SAMPLE_RATE)).toEqual({ spoken: 0, current: null });
  });

  it('goes on behind a chunk that has no audio', () => {
    const parts = laidOut(
      'One two. Three four. Five six.',
      { ...chunk(0, 'One two.', 0, timed('One two.')), samples: 4800 },
      { ...chunk(1, 'Three four.', 4800, timed('Three four.')), samples: 0 },
      { ...chunk(2, 'Five six.', 4800, timed('Five six.')), samples: 4800 },
    );
    expect(positionAt(wordsOf(parts), 4000, SAMPLE_RATE)).toEqual({ spoken: 1, current: 1 });
    expect(positionAt(wordsOf(parts), 5000, SAMPLE_RATE)).toEqual({ spoken: 4, current: 4 });
  });

  it('keeps text that no chunk spoke in its place', () => {
    const text = 'This was refused. The rest.';
    const parts = laidOut(text, chunk(1, 'The rest.', 0, timed('The rest.')));
    expect(shown(parts)).toBe(text);
    expect(starts(parts)).toEqual([
      ['This', 0],
      ['was', 0],
      ['refused.', 0],
      ['The', 0],
      ['rest', 2400],
    ]);
  });

  it('places words by their offsets and keeps the punctuation between them', () => {
    const text = '“It’s 9:42,” she said.';
    const words = [
      { word: 'It’s', startMs: 0, endMs: 200, charStart: 1, charEnd: 5 },
      { word: '9:42', startMs: 200, endMs: 800, charStart: 6, charEnd: 10 },
    ];
    const parts = laidOut(text, chunk(0, text, 0, words));
    expect(parts[0]?.segments.map((segment) => segment.text)).toEqual([
      '“',
      'It’s',
      ' ',
      '9:42',
      ',” she said.',
    ]);
    expect(wordsOf(parts)[1]).toMatchObject({ startSample: 4800, endSample: 19_200 });
  });

  it.each([
    ['trimmed', 'One two.  Three', ['One two.', 'Three']],
    ['joined across lines', 'One\n two.\n\nThree', ['One two.', 'Three']],
    ['with the space kept at the end', 'One two. Three', ['One two. ', 'Three']],
  ])('finds chunk texts that are %s, and counts word times from their chunk', (_, text, chunks) => {
    const parts = laidOut(text, ...chunks.map((own, at) => chunk(at, own, at * 50_000, timed(own))));
    expect(shown(parts)).toBe(text);
    expect(starts(parts)).toEqual([
      ['One', 0],
      ['two', 2400],
      ['Three', 50_000],
    ]);
  });

  it('keeps text without a chunk pending', () => {
    const parts = laidOut('One two. Three', chunk(0, 'One two.', 0, timed('One two.')));
    expect(parts.map((part) => part.chunk)).toEqual([0, null]);
    expect(shown(parts)).toBe('One two. Three');
  });

  it('shows a rewritten chunk as the server sent it, and continues after it', () => {
    const parts = laidOut('Costs 5€ now. Really.', chunk(0, 'Costs five euros', 0), chunk(1, 'Really.', 100));
    expect(parts.at(-1)?.chunk).toBe(1);
    expect(shown(parts)).toContain('Costs five euros');
    expect(shown(parts).match(/Really/g)).toHaveLength(1);
  });

  it('gives the rest of the text to a chunk without text', () => {
    const parts = laidOut('One two', chunk(0, null, 0));
    expect(parts.map((part) => [part.chunk, part.timed])).toEqual([[0, false]]);
    expect(wordsOf(parts).every((word) => word.startSample === 0 && word.endSample === 0)).toBe(true);
  });

  it('drops offsets that overlap or point outside, never text', () => {
    const text = 'One two';
    const words = [
      { word: 'One', startMs: 0, endMs: 1, charStart: 0, charEnd: 5 },
      { word: 'e t', startMs: 1, endMs: 2, charStart: 2, charEnd: 6 },
      { word: 'x', startMs: 2, endMs: 3, charStart: 40, charEnd: 50 },
    ];
    expect(shown(laidOut(text, chunk(0, text, 0, words)))).toBe(text);
  });

  it('shows every character of the text once for any chunks', () => {
    const piece = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '.', '\n', 'é', '🎈', '…'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), piece, (pieces, rest) => {
        const text = pieces.join('') + rest;
        const chunks = pieces
          .filter((own) => own.trim() !== '')
          .map((own, at) => chunk(at, own.trim(), at * 10, timed(own.trim())));
        expect(shown(laidOut(text, ...chunks))).toBe(text);
      }),
    );
  });
});

describe('keepParts', () => {
  const layout = (...chunks: ReturnType<typeof chunk>[]) => laidOut('One two. Three four.', ...chunks);
  const first = chunk(0, 'One two.', 0, timed('One two.'));

  it('keeps unchanged parts and replaces the others', () => {
    const before = layout(first);
    const after = layout(first, chunk(1, 'Three four.', 50_000, timed('Three four.')));
    const kept = keepParts(before, after);
    expect(kept).toEqual(after);
    expect(kept[0]).toBe(before[0]);
  });

  it.each([
    ['timings', chunk(0, 'One two.', 0, timed('One two.', 120))],
    ['a start', chunk(0, 'One two.', 10, timed('One two.'))],
    ['no timings', chunk(0, 'One two.', 0)],
  ])('takes a part that has other %s', (_, changed) => {
    const after = layout(changed);
    expect(keepParts(layout(first), after)[0]).toBe(after[0]);
  });
});

describe('positionAt', () => {
  const timings = [
    { word: 'a', startMs: 100, endMs: 200, charStart: 0, charEnd: 1 },
    { word: 'b', startMs: 1000, endMs: 1100, charStart: 2, charEnd: 3 },
  ];
  const words = wordsOf(laidOut('a b c', chunk(0, 'a b', 0, timings)));

  it.each([
    ['before the first word', 0, ['pending', 'pending', 'pending']],
    ['at its first sample', 2400, ['current', 'pending', 'pending']],
    ['just after it, in the pause', 4801, ['current', 'pending', 'pending']],
    ['long after it, in the pause', 20_000, ['spoken', 'pending', 'pending']],
    ['in the second word', 24_500, ['spoken', 'current', 'pending']],
    ['at the end', 90_000, ['spoken', 'spoken', 'pending']],
  ])('%s', (_, sample, states) => {
    const position = positionAt(words, sample, SAMPLE_RATE);
    expect(words.map((word) => stateOf(word.index, position))).toEqual(states);
  });

  it('stays at the last word of estimated times until the chunk is complete, which may be longer', () => {
    const estimated = { ...chunk(0, 'a b', 0, timings), wordSource: 'estimated' as const };
    const complete = { ...estimated, completedMs: 5 };
    const at = (part: typeof estimated) => positionAt(wordsOf(laidOut('a b', part)), 90_000, SAMPLE_RATE);
    expect(at(estimated)).toEqual({ spoken: 1, current: 1 });
    expect(at(complete)).toEqual({ spoken: 2, current: null });
    const keyOf = (part: typeof estimated) =>
      layoutKey({ text: 'a b', sampleRate: SAMPLE_RATE, chunks: [chunkView(part)] });
    expect(keyOf(complete)).not.toBe(keyOf(estimated));
  });

  it('marks a chunk without timings as spoken from its start, with no current word', () => {
    const plain = wordsOf(laidOut('a b', chunk(0, 'a b', 500)));
    expect(positionAt(plain, 499, SAMPLE_RATE)).toEqual({ spoken: 0, current: null });
    expect(positionAt(plain, 500, SAMPLE_RATE)).toEqual({ spoken: 2, current: null });
  });

  it('never goes back while the playhead advances, and never has two current words', () => {
    fc.assert(
      fc.property(fc.nat(60_000), fc.nat(60_000), (a, b) => {
        const [early, late] = [Math.min(a, b), Math.max(a, b)];
        const reach = (sample: number) => {
          const { spoken, current } = positionAt(words, sample, SAMPLE_RATE);
          return current === null ? spoken : current + 0.5;
        };
        expect(reach(late)).toBeGreaterThanOrEqual(reach(early));
      }),
    );
  });
});

it.each([
  ['changes when timings arrive late', [null, 100], [timed('a b'), 100], false],
  ['stays while only audio arrives', [timed('a b'), 100], [timed('a b'), 900], true],
] as const)('the key of a layout %s', (_, before, after, isSame) => {
  const [first, second] = [before, after].map(([words, samples]) =>
    layoutKey({
      text: 'a b',
      sampleRate: SAMPLE_RATE,
      chunks: [chunkView({ ...chunk(0, 'a b', 0, words), samples })],
    }),
  );
  expect(first === second).toBe(isSame);
});

describe('wordAt', () => {
  const turn = (text: string, spoken = text) => ({
    text,
    sampleRate: SAMPLE_RATE,
    chunks: [chunk(0, spoken, 0, timed(spoken))],
  });

  it.each([
    [0, 'One'],
    [5, 'two'],
    [7, 'two'],
    [Number.POSITIVE_INFINITY, 'three'],
  ])('is the word at or before offset %d', (offset, word) => {
    expect(wordAt(turn('One, two (three).'), offset)?.text).toBe(word);
  });

  it('is none where the transcript has another text', () => {
    expect(wordAt(turn('one 2 three', 'one zwei three'), 4)).toBeNull();
  });
});
