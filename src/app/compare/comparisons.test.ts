import { beforeEach, expect, test } from 'vitest';
import type { RunConfig } from '../session-client/runner.ts';
import { FakeWorker, fakePage } from '../session-client/testing/page.ts';
import { Comparisons } from './comparisons.ts';

const config: RunConfig = {
  endpoint: 'kugel-stream',
  base: 'ws://127.0.0.1:4173/kugel',
  key: 'local',
  settings: {},
  speaker: {},
  source: { kind: 'whole' },
};
const configs = { a: config, b: { ...config, settings: { voice_id: 2 } } };

beforeEach(() => void fakePage());

test('keeps the results of a comparison that was left, without its sessions', async () => {
  const comparisons = new Comparisons();
  const { sideBySide } = comparisons;
  // A page without an audio output: both runs fail, with a result.
  await sideBySide.start(configs, 'Hello.', 'inTurn');
  const { running, sides } = sideBySide.state;
  expect(running).toBe(false);
  expect([sides.a, sides.b].map(({ phase, result }) => [phase, result?.outcome])).toEqual([
    ['done', { failed: expect.any(String) }],
    ['done', { failed: expect.any(String) }],
  ]);
  comparisons.leave();
  expect(FakeWorker.last?.isTerminated).toBe(true);
  expect(sideBySide.state.sides.a.result).toBe(sides.a.result);
  expect(sideBySide.canRepeat('a')).toBe(false);
});

test('ends a run under way when the comparison is left', async () => {
  const comparisons = new Comparisons();
  const over = comparisons.sideBySide.start(configs, 'Hello.', 'together');
  comparisons.leave();
  await over;
  expect(comparisons.sideBySide.state).toMatchObject({
    running: false,
    sides: { a: { phase: 'idle', result: null }, b: { phase: 'idle', result: null } },
  });
});

test('drops a tournament without answers when it is left', async () => {
  const { tournament } = new Comparisons();
  const side = {
    endpoint: 'kugel-stream',
    server: 'local',
    customBase: '',
    settings: {},
    speaker: {},
  } as const;
  tournament.begin({
    configurations: { a: side, b: side },
    configs,
    texts: ['Hello.'],
    seed: 1,
  });
  expect(tournament.state).toMatchObject({ phase: 'preparing', playing: null });
  tournament.leave();
  expect(tournament.state).toMatchObject({ phase: 'setUp', record: null });
});

test('fails a side of two recordings whose worker stops', async () => {
  const { paintFrame } = fakePage();
  const { recorded } = new Comparisons();
  const recording = { id: 'r1', name: 'One', endpoint: 'murmr', address: '', durationUs: 1 };
  // The output of a page without sound never opens.
  void recorded.replay({ a: recording, b: recording });
  FakeWorker.last?.onerror?.();
  paintFrame();
  expect(recorded.store.getState()).toMatchObject({
    a: { phase: 'replaying' },
    b: { phase: 'failed', problem: expect.stringMatching(/worker has stopped/) },
  });
  recorded.leave();
});
