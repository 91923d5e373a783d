/** Scores of languages by n-gram, as `eld` has them. */
export type NgramScores = Readonly<Record<string, Readonly<Record<string, number>> | undefined>>;

/** In no n-gram. */
const AFTER_NGRAM = '\t';
const AFTER_ROW = '\n';

/** Returns a table as text: a row per n-gram with its scores, such as `11:64,59:70`, in the order of code units. */
export const packNgrams = (ngrams: NgramScores): string =>
  Object.keys(ngrams)
    .toSorted()
    .map((ngram) => ngram + AFTER_NGRAM + scoresText(ngrams[ngram]) + AFTER_ROW)
    .join('');

/** Reads the text of {@link packNgrams}. Finds each row when it is asked for, because 50,000 objects take 80 MB. */
export function readNgrams(text: string): NgramScores {
  const starts = startsOfRows(text);
  const scoresOf = (ngram: string): Record<string, number> | undefined => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = starts[middle] ?? 0;
      const end = text.indexOf(AFTER_NGRAM, start);
      const found = text.slice(start, end);
      if (found === ngram) return readScores(text.slice(end + 1, text.indexOf(AFTER_ROW, end)));
      if (found < ngram) low = middle + 1;
      else high = middle;
    }
    return undefined;
  };
  return new Proxy({}, { get: (_, ngram) => scoresOf(String(ngram)) });
}

const scoresText = (scores: object = {}): string =>
  Object.entries(scores)
    .map(([language, score]) => `${language}:${score}`)
    .join();

const readScores = (text: string): Record<string, number> =>
  Object.fromEntries(text.split(',').map((pair) => pair.split(':').map(Number)));

function startsOfRows(text: string): Uint32Array {
  const starts: number[] = [];
  for (let start = 0; start < text.length; start = text.indexOf(AFTER_ROW, start) + 1) starts.push(start);
  return Uint32Array.from(starts);
}
