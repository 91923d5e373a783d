import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { captionsOf, toVtt } from '#lib/text/captions.ts';
import type { SpokenWord } from '#protocol/core/speech-event.ts';
import { chunkView } from '#session/testing/views.ts';
import type { ChunkView } from '#session/views.ts';
import { joinedWords, type TimedTurn, timedWords, timingsJson } from './word-timings.ts';

/** Each word 100 ms, one after the other. */
const wordsOf = (text: string): SpokenWord[] =>
  [...text.matchAll(/[\p{L}\p{N}']+/gu)].map(([word], i, all) => ({
    word,
    startMs: i * 100,
    endMs: i * 100 + 100,
    charStart: all[i]?.index ?? 0,
    charEnd: (all[i]?.index ?? 0) + word.length,
  }));

const chunk = (id: number, text: string, more: Partial<ChunkView> = {}): ChunkView =>
  chunkView({ id, text, words: wordsOf(text), audioFrames: 1, samples: 8000, ...more });

const turn = (id: number, chunks: ChunkView[], more: Partial<TimedTurn> = {}): TimedTurn => ({
  id,
  context: '',
  chunks,
  sampleRate: 8000,
  samples: 16_000,
  ...more,
});

const startsOf = (turns: TimedTurn[]) => timedWords(turns).map(({ word, startMs }) => [word, startMs]);

describe('timedWords', () => {
  it('places words in the audio received, the turns of a context end to end', () => {
    const turns = [
      turn(1, [chunk(0, 'One two.'), chunk(1, 'Three.', { startSample: 8000 })]),
      turn(2, [chunk(0, 'Four.')]),
    ];
    expect(startsOf(turns)).toEqual([
      ['One', 0],
      ['two', 100],
      ['Three', 1000],
      ['Four', 2000],
    ]);
  });

  it.each([
    ['Hello, "big" world!', ['Hello,', '"big"', 'world!']],
    ['"Well-known," she said.', ['"Well-', 'known,"', 'she', 'said.']],
    ['Wait — what?', ['Wait —', 'what?']],
  ])('gives each word of %j its punctuation, and nothing is lost', (text, expected) => {
    const words = timedWords([turn(1, [chunk(0, text)])]);
    expect(words.map((word) => word.text)).toEqual(expected);
    expect(
      captionsOf(words)
        .flatMap(({ lines }) => lines)
        .join(' '),
    ).toBe(text);
  });

  it('keeps to the words where the offsets do not fit the text', () => {
    const words = wordsOf('One two').map((word) => ({ ...word, charStart: 0, charEnd: 0 }));
    expect(timedWords([turn(1, [chunk(0, 'One, two.', { words })])]).map(({ text }) => text)).toEqual([
      'One',
      'two',
    ]);
  });
});

describe('words of a chunk that come in parts', () => {
  const at = (word: string, startMs: number, charStart: number): SpokenWord => ({
    ...{ word, startMs, endMs: startMs + 10, charStart },
    charEnd: charStart + word.length,
  });
  const known = [at('a', 0, 0), at('b', 100, 2)];

  it.each<[string, SpokenWord[], string]>([
    ['behind the last one', [at('c', 110, 4)], 'abc'],
    ['that begin with the last one', [at('c', 100, 4), at('d', 100, 6)], 'abcd'],
    ['with a time that goes back', [at('c', 90, 4)], 'abc'],
    ['from the beginning', [at('a', 0, 0), at('b', 90, 2), at('c', 200, 4)], 'abc'],
    ['again', [at('b', 100, 2)], 'b'],
  ])('join those %s', (_, more, words) => {
    expect(
      joinedWords(known, more, null)
        ?.map(({ word }) => word)
        .join(''),
    ).toBe(words);
  });
});

describe('words that the server reports otherwise than the text has them', () => {
  const reported = (text: string, parts: readonly string[]): SpokenWord[] => {
    let from = 0;
    return parts.map((word, place) => {
      const charStart = text.indexOf(word, from);
      from = charStart + word.length;
      return { word, startMs: place * 100, endMs: place * 100 + 100, charStart, charEnd: from };
    });
  };
  /** In frames of so many parts. */
  const joined = (text: string, parts: readonly string[], size: number) => {
    const words = reported(text, parts);
    let known: readonly SpokenWord[] | null = null;
    for (let at = 0; at < words.length; at += size)
      known = joinedWords(known, words.slice(at, at + size), text);
    return known ?? [];
  };

  it.each<[string, string, string[], string[]]>([
    [
      'single characters of Japanese',
      '今日は天気が良い。',
      [...'今日は天気が良い。'],
      ['今日', 'は', '天気', 'が', '良い'],
    ],
    ['single characters of Chinese', '我们去「北京」。', [...'我们去「北京」。'], ['我们', '去', '北京']],
    ['single characters of Thai', 'สวัสดีครับ', [...'สวัสดีครับ'], ['สวัสดี', 'ครับ']],
    [
      'one word for a sentence',
      '今日は天気が良い。',
      ['今日は天気が良い。'],
      ['今日', 'は', '天気', 'が', '良い'],
    ],
    ['a phrase of words with spaces', 'Good day, all.', ['Good day,', 'all.'], ['Good', 'day', 'all.']],
    [
      'words as written',
      "Don't go, e-mail 3.5.",
      ["Don't", 'go,', 'e-mail', '3.5.'],
      ["Don't", 'go,', 'e-mail', '3.5.'],
    ],
    ['another script beside it', 'Kugelは良い', ['Kugelは', '良い'], ['Kugel', 'は', '良い']],
  ])('are those of the text: %s', (_, text, parts, words) => {
    for (const size of [1, 3, 100]) {
      const result = joined(text, parts, size);
      expect(result.map(({ word }) => word)).toEqual(words);
      expect(result.map(({ charStart, charEnd }) => text.slice(charStart, charEnd))).toEqual(words);
      for (const [at, { startMs, endMs }] of result.entries()) {
        expect(startMs).toBeGreaterThanOrEqual(result[at - 1]?.endMs ?? 0);
        expect(endMs).toBeGreaterThan(startMs);
      }
    }
  });

  it('take times of single characters as they are, and shares of a phrase as estimates', () => {
    const [today] = joined('今日は', [...'今日は'], 1);
    expect(today).toEqual({ word: '今日', startMs: 0, endMs: 200, charStart: 0, charEnd: 2 });
    const shares = joined('go go go', ['go go go'], 1);
    expect(shares.map(({ startMs, endMs, isEstimated }) => [startMs, endMs, isEstimated])).toEqual([
      [0, 25, true],
      [37.5, 62.5, true],
      [75, 100, true],
    ]);
    const file = JSON.parse(timingsJson([turn(1, [chunk(0, 'go go go', { words: shares })])]));
    expect(file.turns[0].chunks[0].words[1]).toMatchObject({ word: 'go', estimated: true });
  });

  it('are found in the end of a text that grows, and not in all of it each time', () => {
    const text = '今日は天気が良い。公園へ行く。'.repeat(20);
    const segmented = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    let known: readonly SpokenWord[] | null = null;
    for (const [at, word] of reported(text, [...text]).entries())
      known = joinedWords(known, [word], text.slice(0, at + 1));
    const characters = segmented.mock.calls.reduce((sum, [input]) => sum + input.length, 0);
    segmented.mockRestore();
    expect(characters).toBeLessThan(20 * text.length);
    expect(known?.map(({ word }) => word)).toEqual(joined(text, [...text], 1).map(({ word }) => word));
  });

  it('are the same in a text that has grown and in one that came at once', () => {
    const part = fc.constantFrom(...'今日は良いAIs。、「」 -3.5ー', '។', 'ផ្ទះ', 'สวัสดี', '𠮷', '\u200d');
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 40 }), (parts) => {
        const wordsOfAll = (text: string) =>
          joinedWords(
            null,
            [{ word: text, startMs: 0, endMs: 100, charStart: 0, charEnd: text.length }],
            text,
          );
        const text = parts.join('');
        wordsOfAll('other text');
        const expected = wordsOfAll(text);
        wordsOfAll('other text');
        for (let count = 1; count < parts.length; count += 1) wordsOfAll(parts.slice(0, count).join(''));
        expect(wordsOfAll(text)).toEqual(expected);
      }),
    );
  });

  it('are divided where the text is unknown or has other ones', () => {
    const phrase = { word: 'twenty five', startMs: 0, endMs: 110, charStart: 3, charEnd: 3 };
    for (const text of [null, 'At 25.'])
      expect(joinedWords(null, [phrase], text)).toMatchObject([
        { word: 'twenty', startMs: 0, endMs: 60, charStart: 3, charEnd: 3 },
        { word: 'five', startMs: 70, endMs: 110, charStart: 3, charEnd: 3 },
      ]);
  });
});

it('the JSON file has every word once, under its turn and chunk', () => {
  const turns = [turn(1, [chunk(0, 'One two.'), chunk(1, 'Three.', { startSample: 8000 })])];
  expect(JSON.parse(timingsJson(turns))).toMatchObject({
    format: 'voicewire-words',
    version: 1,
    times: 'received',
    turns: [
      {
        turn: 1,
        chunks: [
          {
            chunk: 0,
            text: 'One two.',
            words: [
              { word: 'One', startMs: 0 },
              { word: 'two', startMs: 100 },
            ],
          },
          { chunk: 1, words: [{ word: 'Three', startMs: 1000, endMs: 1100, charStart: 0, charEnd: 5 }] },
        ],
      },
    ],
  });
  expect(toVtt(captionsOf(timedWords(turns)))).toContain('One two.');
});

it.each([
  ['up to the last whole word', 'One two', 1599, {}, { clock: 'One' }],
  ['with its punctuation', 'One two', 1600, {}, { clock: 'One two,' }],
  ['over chunks', 'One', 9600, {}, { clock: 'One two, three.' }],
  [
    'marked where estimated',
    'One',
    800,
    { wordSource: 'estimated' as const },
    { clock: 'One', estimated: true },
  ],
  ['unknown where no player recorded it', 'One', null, {}, { clock: null }],
])('writes the heard text of server and player, %s', (_, server, playedSamples, change, heard) => {
  const chunks = [chunk(0, 'One two,', change), chunk(1, 'three.', { startSample: 8000 })];
  const [written] = JSON.parse(timingsJson([turn(1, chunks, { heard: { server, playedSamples } })])).turns;
  expect(written.heard).toEqual({ server, ...heard });
});

it('writes no heard text where the server says none', () => {
  const [written] = JSON.parse(timingsJson([turn(1, [chunk(0, 'One.')])])).turns;
  expect(written).not.toHaveProperty('heard');
});
