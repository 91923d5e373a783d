import { describe, expect, it } from 'vitest';
import { seededRandom } from '#lib/statistics/random.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { unreportedBy } from '#session/measures/unreported.ts';
import { comparisonsOf, percentilesOf, seriesOf } from './analysis.ts';
import { runMeasure } from './measures.ts';
import { resultsOf, testPlan } from './testing/plans.ts';
import { thresholdResults } from './thresholds.ts';
import { sentenceOf, verdictOf } from './wording.ts';

const WAIT = runMeasure('waitMs');

/** A wait as it is measured: a long tail, and the 10 ms steps of an audio clock. */
const wait = (random: () => number, baseMs: number): number =>
  baseMs - 8 * Math.log(1 - random()) + 10 * random();

const verdicts = (waits: Parameters<typeof resultsOf>[1], change: Record<string, unknown> = {}, seed = 1) =>
  comparisonsOf(seriesOf(resultsOf(testPlan({ runs: 50, ...change }), waits, seed), 'waitMs'), 0).map(
    (comparison) => verdictOf(comparison, WAIT),
  );

describe('comparisons', () => {
  it('finds an arranged difference of 20 ms, with its size', () => {
    const results = resultsOf(testPlan({ runs: 50 }), (name, random) =>
      wait(random, name === 'B' ? 120 : 100),
    );
    const [comparison] = comparisonsOf(seriesOf(results, 'waitMs'), 0);
    expect(comparison?.difference?.value).toBeCloseTo(20, -1);
    expect(comparison && verdictOf(comparison, WAIT)).toEqual({
      kind: 'different',
      headline: expect.stringMatching(/^B is slower than A by \d+ ms \(95 % interval \d+ to \d+ ms\)\.$/),
      detail: '',
    });
  });

  it('takes drift that hits both alike for noise', () => {
    let drifted = 0;
    const [verdict] = verdicts((_, random) => {
      drifted += 4;
      return wait(random, 100 + drifted);
    });
    expect(verdict?.kind).toBe('noise');
  });

  it('reports too few runs and configurations that only failed', () => {
    expect(verdicts((_, random) => wait(random, 100), { runs: 5 })[0]).toMatchObject({
      kind: 'unknown',
      headline: 'Too few runs to compare B with A.',
      detail: expect.stringMatching(
        /^An interval takes 6 runs of a text .* So far B is (?:faster|slower) by /,
      ),
    });
    expect(verdicts((name, random) => (name === 'B' ? 'Refused.' : wait(random, 100)))[0]).toEqual({
      kind: 'unknown',
      headline: 'Nothing to compare.',
      detail: `${WAIT.title} is known of no run of B. 50 of 50 runs of B failed; they are in no percentile.`,
    });
  });

  it('compares warm and cold connections separately', () => {
    const results = resultsOf(testPlan({ connections: 'both' }), (_, random) => wait(random, 100));
    const series = seriesOf(results, 'waitMs');
    expect(series.map(({ label, connection }) => `${label} ${connection}`)).toEqual([
      'A warm',
      'B warm',
      'A cold',
      'B cold',
    ]);
    expect(
      comparisonsOf(series, 1).map(({ base, other }) => [base.label, other.label, other.connection]),
    ).toEqual([
      ['B', 'A', 'warm'],
      ['B', 'A', 'cold'],
    ]);
  });

  it('an earlier day is compared by name, with the warning that goes with it', () => {
    const now = resultsOf(testPlan({ runs: 30 }), (_, random) => wait(random, 100));
    const before = resultsOf(testPlan({ runs: 30 }), (_, random) => wait(random, 160), 9);
    const compared = comparisonsOf(seriesOf(now, 'waitMs'), 0, seriesOf(before, 'waitMs', true));
    expect(compared.map(({ base, other }) => [base.label, other.label])).toEqual([
      ['A', 'B'],
      ['A, 2026-11-21', 'A'],
      ['B, 2026-11-21', 'B'],
    ]);
    const sentence = compared[1] && sentenceOf(verdictOf(compared[1], WAIT));
    expect(sentence).toMatch(/^A is faster than A, 2026-11-21 by \d+ ms .*not made side by side/);
  });

  it('texts that only one of them has spoken are not compared', () => {
    const now = resultsOf(testPlan(), () => 100);
    const other = resultsOf(testPlan({ texts: [{ name: 'Other', text: 'Something else.' }] }), () => 100);
    const [, then] = comparisonsOf(seriesOf(now, 'waitMs'), 0, seriesOf(other, 'waitMs', true));
    expect(then && verdictOf(then, WAIT)).toEqual({
      kind: 'unknown',
      headline: 'Nothing to compare.',
      detail: expect.stringMatching(/^They have no text in common\./),
    });
  });
});

describe('series', () => {
  it('keeps failures apart and counts what is unknown', () => {
    const random = seededRandom(2);
    const results = resultsOf(testPlan({ runs: 20 }), () => (random() < 0.3 ? 'Lost.' : 100));
    const [series] = seriesOf(results, 'waitMs');
    expect((series?.values.length ?? 0) + (series?.failures.length ?? 0)).toBe(20);
    expect(series && percentilesOf(series)[0]?.value).toBe(100);
    expect(seriesOf(results, 'rtf')[0]).toMatchObject({ values: [], unknown: series?.values.length });
  });
});

describe('a measure that the server of an endpoint never reports', () => {
  const configurations = PAGE_ENDPOINTS.map(({ id, title }) => ({ name: title, endpoint: id }));
  const results = resultsOf(testPlan({ configurations }), () => 100);
  const isReported = (id: (typeof PAGE_ENDPOINTS)[number]['id']) => !unreportedBy(id).measures.has('rtf');

  it('differs from a measure missing in the runs, on every endpoint', () => {
    const told = seriesOf(results, 'rtf').map((series) => series.unreportedBy);
    expect(told).toEqual(PAGE_ENDPOINTS.map(({ id, title }) => (isReported(id) ? null : title)));
    expect(seriesOf(results, 'waitMs').map((series) => series.unreportedBy)).toEqual(told.map(() => null));
  });

  it('is why nothing is compared', () => {
    const reasons = comparisonsOf(seriesOf(results, 'rtf'), 0).map(
      (comparison) => verdictOf(comparison, runMeasure('rtf')).detail,
    );
    const [first, ...others] = PAGE_ENDPOINTS;
    expect(first && isReported(first.id)).toBe(true);
    expect(reasons).toEqual(
      others.map(({ id, title }) =>
        isReported(id)
          ? `RTF is known of no run of ${first?.title} and ${title}.`
          : `RTF is never reported by ${title}. RTF is known of no run of ${first?.title}.`,
      ),
    );
  });
});

describe('thresholds', () => {
  const results = resultsOf(
    testPlan({
      runs: 40,
      thresholds: [
        { percentile: 95, max: 110 },
        { percentile: 50, min: 90, configuration: 'A' },
        { measure: 'rtf', max: 1, configuration: 'A' },
      ],
    }),
    (name) => (name === 'A' ? 100 : 120),
  );

  it('judges every series that a limit is about; one without values keeps none', () => {
    expect(thresholdResults(results)).toEqual([
      { kept: true, sentence: 'waitMs p95 of A, warm: 100 ms, at most 110 ms' },
      { kept: false, sentence: 'waitMs p95 of B, warm: 120 ms, at most 110 ms' },
      { kept: true, sentence: 'waitMs p50 of A, warm: 100 ms, at least 90 ms' },
      { kept: false, sentence: 'rtf p95 of A, warm: no run has it' },
    ]);
  });
});
