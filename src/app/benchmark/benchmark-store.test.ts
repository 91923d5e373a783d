import { expect, test, vi } from 'vitest';
import { readPlan } from '#benchmark/read-plan.ts';
import { testPlan } from '#benchmark/testing/plans.ts';
import { editPlan, openPlan, useBenchmark } from './benchmark-store.ts';

test('keeps the last valid plan for the next visit', () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', { setItem: (name: string, value: string) => kept.set(name, value) });
  const plan = testPlan({ runs: 3 });
  editPlan(plan);
  editPlan({ ...plan, name: '' });
  expect(useBenchmark.getState()).toMatchObject({ plan: { name: '' }, problems: [{ path: 'name' }] });
  expect([...kept.values()].map((text) => readPlan(text).plan)).toEqual([plan]);
  vi.unstubAllGlobals();
});

test('keeps the plan and reports why a file cannot be read', async () => {
  const { plan } = useBenchmark.getState();
  const file = { name: 'gone.json', text: () => Promise.reject(new Error('It was moved.')) };
  await openPlan(file as unknown as File);
  expect(useBenchmark.getState()).toMatchObject({
    plan,
    fileProblem: { title: 'gone.json cannot be read', detail: 'It was moved.' },
  });
});
