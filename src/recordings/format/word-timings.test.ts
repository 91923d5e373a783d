import { describe, expect, it } from 'vitest';
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
      joinedWords(known, more)
        ?.map(({ word }) => word)
        .join(''),
    ).toBe(words);
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
  ['marked where estimated', 'One', 800, { wordsAreEstimated: true }, { clock: 'One', estimated: true }],
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
