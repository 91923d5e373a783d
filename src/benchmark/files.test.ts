import { describe, expect, it } from 'vitest';
import { writeCsv } from './csv.ts';
import { readResults, writeResults } from './results.ts';
import { HOSTILE_RESULTS as hostile, testPlan } from './testing/plans.ts';

describe('results as JSON', () => {
  it('are read back as they were', () => {
    expect(readResults(writeResults(hostile))).toEqual(hostile);
  });

  it.each([
    ['no JSON', 'hello', /^Line 1/],
    ['a plan instead', JSON.stringify(testPlan()), /kind/],
    [
      'a run of a configuration that is not there',
      writeResults({ ...hostile, runs: hostile.runs.map((run) => ({ ...run, configuration: 7 })) }),
      /runs\[0\]/,
    ],
  ])('%s is refused with its place', (_, text, expected) => {
    expect(() => readResults(text)).toThrow(expected);
  });
});

describe('results as CSV', () => {
  const rows = writeCsv(hostile).split('\r\n');

  it('have a line for each run, failures included, and as many cells in each', () => {
    expect(rows).toHaveLength(hostile.runs.length + 2);
    expect(rows[0]).toMatch(/^round,configuration,text,connection,startedAt,failure,.*,waitMs,/);
    const plain = rows
      .slice(1, -1)
      .map((row) => row.replaceAll(/"(?:[^"]|"")*"/g, 'quoted').split(',').length);
    expect(new Set(plain)).toEqual(new Set([rows[0]?.split(',').length]));
  });

  it('hold nothing that a spreadsheet would calculate', () => {
    expect(rows.some((row) => row.includes("'=SUM(A1:A9)"))).toBe(true);
    expect(rows.some((row) => /(?:^|,)"?=/.test(row))).toBe(false);
  });
});
