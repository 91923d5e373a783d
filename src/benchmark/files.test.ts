import { describe, expect, it } from 'vitest';
import { writeCsv } from './csv.ts';
import { readResults, writeResults } from './results.ts';
import { resultsOf, testPlan } from './testing/plans.ts';

const HOSTILE = '<img src=x onerror="alert(1)">';

const hostile = resultsOf(
  testPlan({
    name: HOSTILE,
    texts: [{ name: HOSTILE, text: HOSTILE }],
    configurations: [
      { name: HOSTILE, endpoint: 'kugel-stream' },
      { name: '=SUM(A1:A9)', endpoint: 'kugel-stream' },
    ],
    runs: 6,
    connections: 'both',
    thresholds: [{ max: 100 }],
  }),
  (name, random) => (name.startsWith('=') && random() < 0.5 ? `Refused, ${HOSTILE}` : 100 + 10 * random()),
);

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
