import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Broken, type FuzzPart, replayCase, runFuzz, watching } from './fuzz-part.ts';
import { reported, shortened } from './report.ts';

const lists = (check: (one: number[]) => void | Promise<void>): FuzzPart<number[]> => ({
  name: 'lists',
  cases: fc.array(fc.nat({ max: 1000 }), { minLength: 1 }),
  sizeOf: ({ length }) => length,
  check,
  describe: String,
});

const limits = (frames: number, more: object = {}) => ({
  frames,
  lanes: 2,
  seed: 7,
  untilMs: Number.POSITIVE_INFINITY,
  ...more,
});

const wanting = (most: number) =>
  lists((one) => {
    const highest = Math.max(...one);
    if (highest > most) throw new Broken(`expected at most ${most}, got ${highest}`);
  });

it('a finding is the smallest case, and its replay runs that case alone', async () => {
  const { findings } = await runFuzz(wanting(500), limits(2000));
  expect(findings).toMatchObject([{ example: '501' }]);
  const [, seed, ...path] = (findings[0]?.replay ?? '').split(':');
  const runs: number[][] = [];
  const part = wanting(500);
  const counted = {
    ...part,
    check(one: number[]) {
      runs.push(one);
      return part.check(one);
    },
  };
  const replayed = await replayCase(counted, Number(seed), path.join(':'));
  expect(runs).toEqual([[501]]);
  expect(replayed.findings).toMatchObject([{ ...findings[0], times: 1 }]);
});

it('a run ends at its budget, where every case fails as well', async () => {
  const { frames, budget } = await runFuzz(wanting(-1), limits(3000));
  expect(budget).toBe(3000);
  expect(frames).toBeGreaterThanOrEqual(3000);
  expect(frames).toBeLessThan(4000);
});

it('a run begins no case after its time, nor a smaller one after the time for those', async () => {
  const { cases } = await runFuzz(wanting(-1), limits(3000, { untilMs: performance.now() }));
  expect(cases).toBe(0);
  const { findings } = await runFuzz(wanting(500), limits(2000, { lanes: 1, shrinkWithinMs: 0 }));
  expect(findings[0]).toMatchObject({ times: expect.any(Number) });
  expect(findings[0]?.example).not.toBe('501');
});

it('a fault is the finding of the case in whose time it appears, also beside another failure', async () => {
  const faults: string[] = [];
  const part = lists(() => {
    faults.push('a crash');
    throw new Broken('expected a page, got none');
  });
  const { findings } = await runFuzz(
    watching(part, () => faults),
    limits(1),
  );
  expect(findings).toMatchObject([{ problem: 'expected no fault, got a crash' }]);
});

it('a report cuts hostile text', () => {
  const hostile = `\u001b[31m${'x'.repeat(10_000)}\n`.repeat(200);
  const finding = { replay: 'lists:7:0', problem: hostile, example: hostile, times: 1 };
  const [words = ''] = reported([
    { name: 'lists', cases: 1, frames: 1, budget: 1, seconds: 1, findings: [finding] },
  ]);
  expect(words).toContain('npm run fuzz -- --replay lists:7:0');
  expect(shortened(words).length).toBeLessThan(6000);
  expect(shortened(words)).not.toContain('\u001b');
});
