import { describe, expect, it } from 'vitest';
import { runMeasure } from '#benchmark/measures.ts';
import { resultsOf, testPlan } from '#benchmark/testing/plans.ts';
import { writeReport } from './report.tsx';

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

describe('the report', () => {
  const measure = runMeasure('waitMs');
  const html = writeReport({ results: hostile, measure, base: 0, earlier: hostile }, []);

  it('holds no script, no address and no markup from outside', () => {
    expect(html).not.toMatch(/<script|<img|<link|<iframe|https?:|wss?:|url\(|@import/i);
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
  });

  it('closes every element that it opens', () => {
    const open: string[] = [];
    for (const [, slash, tag = '', rest = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)([^>]*)>/g)) {
      if (['meta', 'br'].includes(tag) || rest.endsWith('/')) continue;
      if (slash === '/') expect(open.pop()).toBe(tag);
      else open.push(tag);
    }
    expect(open).toEqual([]);
  });

  it('draws a dot for every run that has the measure and a cross for every failure', () => {
    const failures = hostile.runs.filter(({ failure }) => failure !== null).length;
    const count = (name: string): number =>
      [...html.matchAll(new RegExp(`data-marks="${name}"[^>]* d="([^"]*)"`, 'g'))]
        .map(([, path = '']) => path.split('M').length - 1)
        .reduce((sum, points) => sum + points, 0);
    // Today's and the earlier day's.
    expect(count('dots')).toBe(2 * (hostile.runs.length - failures));
    expect(count('crosses')).toBe(2 * failures);
  });
});
