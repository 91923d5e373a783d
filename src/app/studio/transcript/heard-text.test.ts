import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import { compareHeard, heardByClock, heardOf } from './heard-text.ts';

/** Samples of a word. */
const WORD = 1000;

const wordsIn = (text: string) =>
  [...text.matchAll(/[\p{L}’]+/gu)].map(({ 0: word, index }, at) => ({
    word,
    startMs: at * 1000,
    endMs: (at + 1) * 1000,
    charStart: index,
    charEnd: index + word.length,
  }));

const turnOf = (text: string, ...chunks: Parameters<typeof chunkView>[0][]) =>
  turnView({
    state: 'ended',
    text,
    sampleRate: WORD,
    chunks: chunks.map((change, id) => chunkView({ id, ...change })),
  });

/** Returns the heard text of turns. So many samples of each were heard. */
function heardText(turns: TurnView | readonly TurnView[], sample: number): string {
  const client = {
    state: { player: null },
    sound: { heardMs: () => 0 },
    playheads: { follow() {}, placeOf: () => ({ sample }) },
  };
  return heardOf(client as unknown as SessionClient, [turns].flat());
}

const TEXT = 'Well, it’s late. “Good night,” she said.';
const timed = turnOf(TEXT, { text: TEXT, words: wordsIn(TEXT), samples: 7 * WORD });

describe('the heard text', () => {
  it.each([
    [-1, ''],
    [WORD - 2, ''],
    [WORD - 1, 'Well,'],
    [2.5 * WORD, 'Well, it’s'],
    [3 * WORD, 'Well, it’s late.'],
    [5 * WORD, 'Well, it’s late. “Good night,”'],
    [7 * WORD, TEXT],
  ])('returns whole words up to sample %d', (sample, text) => {
    expect(heardText(timed, sample)).toBe(text);
  });

  it.each([
    ['今日は、いい天気です。', 0.5, '今日は、'],
    ['你好，世界。今天天气很好。', 0.5, '你好，世界。'],
    ['สวัสดีครับยินดีต้อนรับ', 0.5, 'สวัสดีครับ'],
  ])('returns words of a script without spaces and without times: %s', (text, share, heard) => {
    expect(heardText(turnOf(text, { text, samples: 1000 }), 1000 * share - 1)).toBe(heard);
  });

  it('returns all of a turn that was heard whole, also text that no chunk has', () => {
    const chunk = { text: 'Hello', samples: WORD, heardToMs: 5 };
    expect(heardText({ ...turnOf('Hello :-)', chunk), heardToMs: 5 }, -1)).toBe('Hello :-)');
  });

  it('returns no text that was not spoken yet when the turn was cancelled between two chunks', () => {
    const chunk = { text: 'One.', words: wordsIn('One.'), samples: WORD, heardToMs: 5 };
    const cut = { ...turnOf('One. Two.', chunk), state: 'cancelled' as const, heardToMs: 5 };
    expect(heardText(cut, Number.MAX_SAFE_INTEGER)).toBe('One.');
  });

  it('takes the share of the audio where a chunk has no word timings', () => {
    const turn = turnOf(
      'One two three four. Five six.',
      { text: 'One two three four.', samples: 400, startSample: 0 },
      { text: 'Five six.', samples: 200, startSample: 400 },
    );
    expect(heardText(turn, 199)).toBe('One two');
    expect(heardText(turn, 399)).toBe('One two three four.');
    expect(heardText(turn, 499)).toBe('One two three four. Five');
  });

  it('keeps text between heard chunks, and no text behind them', () => {
    const turn = turnOf(
      'One. (Refused.) Two. Three.',
      { text: 'One.', words: wordsIn('One.'), samples: WORD },
      { text: 'Two.', words: wordsIn('Two.'), samples: WORD, startSample: WORD },
    );
    expect(heardText(turn, 2 * WORD)).toBe('One. (Refused.) Two.');
  });

  it('does not run on in a language without spaces', () => {
    const text = '你好，世界很大。';
    const words = [{ word: '你好', startMs: 0, endMs: 1000, charStart: 0, charEnd: 2 }];
    expect(heardText(turnOf(text, { text, words, samples: 4 * WORD }), 2 * WORD)).toBe('你好，');
  });

  it('of several turns is joined, without those that were not heard', () => {
    const said = (text: string) => turnOf(text, { text, words: wordsIn(text), samples: WORD });
    expect(heardText([said('One.'), turnOf('No audio.'), said('Two.')], WORD)).toBe('One. Two.');
  });

  it('grows with what is heard, and is always the beginning of the text', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1, max: 8 * WORD }),
        fc.integer({ min: 0, max: WORD }),
        (sample, more) => {
          const heard = heardText(timed, sample);
          expect(TEXT.startsWith(heard)).toBe(true);
          expect(heardText(timed, sample + more).startsWith(heard)).toBe(true);
        },
      ),
    );
  });
});

describe('the heard text by the clock of the page', () => {
  const playedTo = (turn: TurnView, count: number) =>
    heardByClock({ ...turn, played: [{ sample: 0, count, atMs: 0 }] });

  it.each([
    ['nothing', 0, ''],
    ['a word but for a sample', WORD - 1, ''],
    ['a word', WORD, 'Well,'],
    ['three words and a half', 3.5 * WORD, 'Well, it’s late.'],
  ])('is that of the played samples: %s', (_, count, text) => {
    expect(playedTo(timed, count)).toEqual({ text, source: 'server' });
  });

  it('goes by the furthest sample, where samples were heard twice', () => {
    const played = [
      { sample: 0, count: 2 * WORD, atMs: 0 },
      { sample: WORD, count: 500, atMs: 9 },
    ];
    expect(heardByClock({ ...timed, played }).text).toBe('Well, it’s');
  });

  it.each([
    ['estimated words', { words: wordsIn('One.'), wordSource: 'estimated' as const }, 1, 'estimated'],
    ['measured words', { words: wordsIn('One.'), wordSource: 'measured' as const }, 1, 'measured'],
    ['no words', { words: null }, 1, 'estimated'],
    ['words of the server', { words: wordsIn('One.') }, 1, 'server'],
    ['no words behind the cut', { words: null, startSample: 1 }, 1, 'server'],
  ])('says whence the times are of what was played: %s', (_, change, count, source) => {
    const turn = turnOf('One.', { text: 'One.', samples: WORD, ...change });
    expect(playedTo(turn, count).source).toBe(source);
  });
});

describe('the heard texts of server and page', () => {
  it.each([
    ['', '', 'same', '', ''],
    ['Well, it’s late.', 'well it’s  LATE', 'same', '', ''],
    ['Well, it’s', 'Well, it’s late.', 'serverLess', '', 'late.'],
    ['Well, it’s late.', '', 'serverMore', 'Well, it’s late.', ''],
    ['Route sixty-six', 'Route 66', 'different', 'sixty-six', '66'],
    ['你好，世界', '你好', 'serverMore', '世界', ''],
  ])('%j and %j: %s', (server, clock, verdict, ofServer, ofClock) => {
    const compared = compareHeard(server, clock);
    expect(compared.verdict).toBe(verdict);
    expect(server.slice(compared.server.differsFrom)).toBe(ofServer);
    expect(clock.slice(compared.clock.differsFrom)).toBe(ofClock);
  });

  it('compare alike from either side, and share a beginning', () => {
    const opposite = {
      same: 'same',
      serverMore: 'serverLess',
      serverLess: 'serverMore',
      different: 'different',
    };
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.', 'é', '𝄞') });
    fc.assert(
      fc.property(text, text, (server, clock) => {
        const [one, other] = [compareHeard(server, clock), compareHeard(clock, server)];
        expect(other.verdict).toBe(opposite[one.verdict]);
        expect(other.server.differsFrom).toBe(one.clock.differsFrom);
        const a = server.slice(0, one.server.differsFrom);
        const b = clock.slice(0, one.clock.differsFrom);
        expect(compareHeard(a, b).verdict).toBe('same');
      }),
    );
  });
});
