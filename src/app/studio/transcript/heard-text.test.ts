import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import { heardOf } from './heard-text.ts';

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
