import { describe, expect, it } from 'vitest';
import { compareWords } from '#text/spoken/compare-words.ts';
import { wordDifferences } from './word-differences.ts';

const RATE = 1000;
/** One chunk whose words last 100 ms each. */
function spoken(text: string, shown = text) {
  const words = Array.from(shown.matchAll(/\S+/gu), (match, at) => ({
    word: match[0],
    charStart: match.index,
    charEnd: match.index + match[0].length,
    startMs: at * 100,
    endMs: at * 100 + 100,
  }));
  const chunk = { id: 0, text: shown, words, startSample: 0, samples: words.length * 100 };
  return { text, sampleRate: RATE, samples: words.length * 100, chunks: [chunk] } as unknown as Parameters<
    typeof wordDifferences
  >[1];
}

async function differences(
  text: string,
  heard: string,
  times: { offset: number; startMs: number }[] = [],
  shown?: string,
) {
  const compared = await compareWords(text, heard, 'en');
  if (!compared) throw new Error('too many words');
  return wordDifferences({ ...compared, times }, spoken(text, shown));
}

describe('differences', () => {
  it('are at the places of the text, in transcript and sound', async () => {
    expect(await differences('One, two and (three) four.', 'one too and four five')).toEqual([
      { kind: 'wrong', expected: 'two', heard: 'too', word: 1, sample: 100 },
      { kind: 'missing', expected: 'three', heard: '', word: 3, sample: 300 },
      { kind: 'added', expected: '', heard: 'five', word: 4, sample: 400 },
    ]);
  });

  it('are at the times of the recogniser, where it heard a word', async () => {
    const [wrong, missing] = await differences('one two and three', 'one too and', [
      { offset: 0, startMs: 5 },
      { offset: 4, startMs: 120 },
    ]);
    expect(wrong).toMatchObject({ kind: 'wrong', sample: 120 });
    expect(missing).toMatchObject({ kind: 'missing', sample: 300 });
  });

  it('have no place in the sound behind its end', async () => {
    const [wrong] = await differences('one', 'two', [{ offset: 0, startMs: 1e12 }]);
    expect(wrong).toMatchObject({ word: 0, sample: null });
  });

  it('have no place where the transcript has another text', async () => {
    const [missing] = await differences('one 2 three', 'one three', [], 'one zwei three');
    expect(missing).toMatchObject({ expected: 'two', word: null, sample: null });
  });

  it('of a number are its words', async () => {
    expect(await differences('22 cats', 'twenty cats')).toMatchObject([
      { kind: 'missing', expected: 'two', word: 0 },
    ]);
  });

  it('are none where all was heard', async () => {
    expect(await differences('Twenty-two cats!', '22 cats')).toEqual([]);
  });
});
