import { describe, expect, it } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import { restOfTurn } from './rest-of-turn.ts';

const RATE = 1000;
/** Returns a turn with one chunk of its first words. A word lasts 100 ms. */
function turnOf(text: string, words: number): TurnView {
  let at = 0;
  const spoken = text
    .split(' ')
    .slice(0, words)
    .map((word, index) => {
      const charStart = text.indexOf(word, at);
      at = charStart + word.length;
      return { word, startMs: index * 400, endMs: index * 400 + 100, charStart, charEnd: at };
    });
  const chunk = chunkView({ text: text.slice(0, at), words: spoken, samples: 10_000 });
  return turnView({ text, sampleRate: RATE, chunks: [chunk] });
}

describe('the rest of a turn for another voice', () => {
  it.each([
    ['before it is heard', -1, 'one two three four'],
    ['within the second word', 450, 'two three four'],
    ['in the pause after it', 799, 'three four'],
    ['in text that is in no chunk yet', 1200, 'four'],
  ])('%s', (_, sample, rest) => {
    expect(restOfTurn(turnOf('one two three four', 3), sample)).toBe(rest);
  });

  it('is nothing behind the last word', () => {
    expect(restOfTurn(turnOf('one two', 2), 9000)).toBeNull();
  });

  it('is nothing where the page does not have the whole text', () => {
    expect(restOfTurn({ ...turnOf('one two', 2), cutChars: 4 }, 0)).toBeNull();
  });
});
