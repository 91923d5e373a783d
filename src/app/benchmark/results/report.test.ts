import { describe, expect, it } from 'vitest';
import { runMeasure } from '#benchmark/measures.ts';
import { HOSTILE_RESULTS as hostile, resultsOf, testPlan } from '#benchmark/testing/plans.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { unreportedBy } from '#session/measures/unreported.ts';
import { writeReport } from './report.tsx';

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

  it.each(PAGE_ENDPOINTS)('says which figures $id never has', ({ id, title }) => {
    const results = resultsOf(testPlan({ configurations: [{ name: 'Mine', endpoint: id }] }), () => 100);
    const { measures, titles } = unreportedBy(id);
    const report = (measure: string) =>
      writeReport({ results, measure: runMeasure(measure), base: 0, earlier: null }, []);
    expect(report('waitMs')).not.toContain('does not report it');
    expect(report('rtf').includes(`${title} does not report it`)).toBe(measures.has('rtf'));
    expect(report('waitMs').includes(`never reports: ${titles.join(', ')}.`)).toBe(titles.length > 0);
  });
});
