import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markedWords } from '#lib/text/words.ts';
import type { SpeechEvent, SpokenWord } from '../../core/speech-event.ts';
import { Segments } from './segments.ts';
import { type Alignment, readAlignment } from './server-frames.ts';

type Timed = readonly (readonly [character: string, durationMs: number])[];

function alignmentOf(characters: Timed): Alignment {
  let startMs = 0;
  const charStartTimesMs = characters.map(([, ms]) => {
    startMs += ms;
    return startMs - ms;
  });
  return {
    chars: characters.map(([character]) => character),
    charStartTimesMs,
    charDurationsMs: characters.map(([, ms]) => ms),
  };
}

/** Each character lasts 10 ms. */
const even = (text: string): Alignment => alignmentOf([...text].map((character) => [character, 10]));

interface ReadChunk {
  text: string | null;
  spokenAs?: string;
  words: SpokenWord[];
  seconds: number | null;
}

/** What is known of each chunk at last. */
function chunksOf(events: readonly SpeechEvent[]): ReadChunk[] {
  const chunks: ReadChunk[] = [];
  for (const event of events) {
    if (event.type === 'chunkStarted') {
      const { chunk, text, spokenAs } = event;
      const { words = [] } = chunks[chunk] ?? {};
      chunks[chunk] = { words, seconds: null, text, ...(spokenAs === undefined ? {} : { spokenAs }) };
    } else if (event.type === 'words') chunks[event.chunk]?.words.push(...event.words);
    else if (event.type === 'chunkCompleted') {
      const chunk = chunks[event.chunk];
      if (chunk) chunk.seconds = event.audioSeconds;
    }
  }
  return chunks;
}

type AlignedFrame = [written: Alignment | null, normalized?: Alignment | null];

function read(...frames: readonly AlignedFrame[]): ReadChunk[] {
  const segments = new Segments('a');
  return chunksOf([
    ...frames.flatMap(([written, normalized = null]) => segments.received(written, normalized)),
    ...segments.end(),
  ]);
}

/** Words in short, with the chunk of each. */
const wordsOf = (chunks: readonly ReadChunk[]): string =>
  chunks
    .map(({ words }) => words.map(({ word, startMs, endMs }) => `${word} ${startMs}-${endMs}`).join(', '))
    .join(' | ');

describe('segments', () => {
  it('have the words of the text, in the chunks in which they begin, at the times of their characters', () => {
    const character = fc.constantFrom(
      ...['a', 'b', '.', ' ', ' ', '\n', 'é', '語', '👍🏽'],
      ...['東', '京', '都', 'に', '行', 'く', '。', '「', '」', 'ー', 'ก', 'า', 'ร'],
    );
    const segment = fc.array(fc.tuple(character, fc.nat({ max: 400 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 6 }), (segments) => {
        // The start and the end of the character at each UTF-16 offset of the whole text.
        const times: [number, number][] = [];
        let atMs = 0;
        for (const [text, ms] of segments.flat()) {
          for (let unit = 0; unit < text.length; unit += 1) times.push([atMs, atMs + ms]);
          atMs += ms;
        }
        const whole = segments
          .flat()
          .map(([text]) => text)
          .join('');
        const chunks = read(...segments.map((each): [Alignment] => [alignmentOf(each)]));

        expect(chunks.map(({ text }) => text).join('')).toBe(whole);
        let [offset, audioMs] = [0, 0];
        const found: string[] = [];
        for (const { text, words, seconds } of chunks) {
          for (const { word, charStart, charEnd, startMs, endMs } of words) {
            found.push(word);
            expect(text?.slice(charStart, charEnd)).toBe(word);
            expect(audioMs + startMs).toBeCloseTo(times[offset + charStart]?.[0] ?? Number.NaN, 6);
            expect(audioMs + endMs).toBeCloseTo(times[offset + charEnd - 1]?.[1] ?? Number.NaN, 6);
          }
          offset += text?.length ?? 0;
          audioMs += 1000 * (seconds ?? Number.NaN);
        }
        // However the text is divided into segments, its words are those of the whole.
        expect(found).toEqual(markedWords(whole).map(({ start, end }) => whole.slice(start, end)));
        expect(audioMs).toBeCloseTo(atMs, 6);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, AlignedFrame[], (string | null)[], string]>([
    ['one', [[even('Hi. ')]], ['Hi. '], 'Hi. 0-30'],
    [
      'two, whose times begin anew',
      [[even('Hi. ')], [even('Yo. ')]],
      ['Hi. ', 'Yo. '],
      'Hi. 0-30 | Yo. 0-30',
    ],
    ['one in several frames', [[even('Hi. ')], [null], [null]], ['Hi. '], 'Hi. 0-30'],
    ['a word in two', [[even('Hel')], [even('lo. You ')]], ['Hello.', ' You '], 'Hello. 0-60 | You 40-70'],
    ['a word in three', [[even('H')], [even('e')], [even('y. ')]], ['Hey.', ' '], 'Hey. 0-40 | '],
    ['no alignment', [[null], [null]], [null], ''],
    ['audio before the first alignment', [[null], [even('Hi. ')]], [null, 'Hi. '], ' | Hi. 0-30'],
    ['the normalised one alone', [[null, even(' Hi. ')]], [' Hi. '], 'Hi. 10-40'],
    [
      'a script without spaces',
      [[even('今日は、いい天気です。')]],
      ['今日は、いい天気です。'],
      '今日 0-20, は、 20-40, いい 40-60, 天気 60-80, です。 80-110',
    ],
    [
      'a script without spaces in two',
      [[even('今日は、い')], [even('い天気です。')]],
      ['今日は、いい', '天気です。'],
      '今日 0-20, は、 20-40, いい 40-60 | 天気 10-30, です。 30-60',
    ],
    [
      'Thai in three',
      [[even('สวัส')], [even('ดีครั')], [even('บ ดี')]],
      ['สวัสดีครับ', ' ดี'],
      'สวัสดี 0-60, ครับ 60-100 | ดี 20-40',
    ],
    [
      'written text that begins again',
      [
        [even('Hola, Ana, la t'), even(' Hola, Anna, la t')],
        [even('Hola, Ana, la talent test. '), even('alent test. ')],
        [even('Hola, Ana, la talent test. Si. '), even(' Si. ')],
      ],
      ['Hola, Ana, la talent', ' test. ', ' Si. '],
      'Hola, 0-50, Ana, 60-100, la 110-130, talent 140-200 | test. 60-110 | Si. 10-40',
    ],
    [
      'text that is there twice',
      [
        [even('No. No. '), even(' No. No. ')],
        [even('No. No. '), even(' No. No. ')],
      ],
      ['No. No. ', 'No. No. '],
      'No. 0-30, No. 40-70 | No. 0-30, No. 40-70',
    ],
    ['blanks alone', [[even('  ')]], ['  '], ''],
  ])('of %s', (_, frames, texts, words) => {
    const chunks = read(...frames);
    expect(chunks.map(({ text }) => text)).toEqual(texts);
    expect(wordsOf(chunks)).toBe(words);
  });

  it.each<[string, string, string, string | undefined]>([
    ['as it is written, apart from blanks', 'Hi. ', ' Hi. ', undefined],
    ['otherwise', '7 cats. ', ' seven cats. ', 'seven cats.'],
  ])('say how text is spoken: %s', (_, written, normalized, spokenAs) => {
    expect(read([even(written), even(normalized)])[0]?.spokenAs).toBe(spokenAs);
    // A word that goes on changes nothing of it.
    expect(read([even(written.trim()), even(normalized)], [even('! ')])[0]?.spokenAs).toBe(spokenAs);
  });
});

describe('an alignment', () => {
  const lists = { chars: ['a'], charStartTimesMs: [0], charDurationsMs: [5] };

  it.each<[string, unknown, object]>([
    ['of today', lists, { read: lists }],
    ['of 2025', { chars: ['a'], charStartTimesMs: [0], charsDurationsMs: [5] }, { read: lists }],
    ['as LiveKit reads it', { chars: ['a'], charsStartTimesMs: [0], charsDurationsMs: [5] }, { read: lists }],
    ['that is null', null, { read: null }],
    ['that is absent', undefined, { read: null }],
    ['that is empty', { chars: [], charStartTimesMs: [], charDurationsMs: [] }, { read: null }],
    [
      'of unequal lists',
      { ...lists, chars: ['a', 'b'] },
      { problem: expect.stringMatching(/each of 2 characters, got 1/) },
    ],
    ['without times', { chars: ['a'] }, { problem: expect.stringMatching(/got 0 starts and 0 durations/) }],
    ['of another kind', { chars: 'a' }, { problem: expect.stringMatching(/^expected characters/) }],
    ['with a negative time', { ...lists, charStartTimesMs: [-1] }, { problem: expect.any(String) }],
  ])('%s', (_, value, result) => {
    expect(readAlignment(value)).toEqual(result);
  });
});
