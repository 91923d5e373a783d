import { expect, it } from 'vitest';
import { type NgramScores, packNgrams, readNgrams } from './ngram-table.ts';

/** The package does not export its table. */
const TABLE = new URL('../../../../node_modules/eld/src/ngrams/extrasmall.js', import.meta.url).href;

it('finds the scores of every n-gram of eld in the packed table, and none of others', async () => {
  const { ngramsData } = (await import(TABLE)) as { ngramsData: { ngrams: NgramScores } };
  const packed = readNgrams(packNgrams(ngramsData.ngrams));
  const names = Object.keys(ngramsData.ngrams);
  const isSame = (name: string) => JSON.stringify(packed[name]) === JSON.stringify(ngramsData.ngrams[name]);
  expect(names.filter((name) => !isSame(name))).toEqual([]);
  for (const other of ['', '\t', '\uffff', 'no n-gram', `${names[0]}\t`])
    expect(packed[other]).toBeUndefined();
});
