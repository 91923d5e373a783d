import { beforeEach, expect, test, vi } from 'vitest';
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
const side = {
  endpoint: 'kugel-stream',
  server: 'local',
  customBase: '',
  settings: {},
  speaker: {},
} as const;
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
    ['done', { how: 'failed', reason: expect.any(String) }],
    ['done', { how: 'failed', reason: expect.any(String) }],
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

test('goes on without configurations that cannot speak, and keeps why', async () => {
  const { tournament } = new Comparisons();
  const configurations = { a: side, b: side, c: side, d: side };
  // The page has no audio output, so the first one to speak fails.
  const stuck = () => vi.waitFor(() => expect(tournament.state.phase).toBe('stuck'));
  tournament.begin({
    configurations,
    configs: { a: config, b: config, c: config, d: config },
    texts: ['Hello.', 'Good night.'],
    seed: 1,
  });
  await stuck();
  const { record, failure: first } = tournament.state;
  expect(record?.roundsPlanned).toBe(12);
  if (!record || !first) throw new Error('expected a round that is stuck');
  const answer = {
    text: 'Hello.',
    choice: 'none',
    plays: { x: 1, y: 1 },
    turns: { x: null, y: null },
  } as const;
  const heard = Object.keys(configurations).flatMap((y) =>
    y === first.id ? [] : [{ x: first.id, y, ...answer }],
  );
  tournament.store.setState({ record: { ...record, heard } });
  const gone: (string | undefined)[] = [];
  // The rounds that were heard stay in the count.
  for (const rounds of [6 + 3, 2 + 3]) {
    await stuck();
    const { failure } = tournament.state;
    gone.push(failure?.id);
    tournament.leaveOut();
    expect(tournament.state).toMatchObject({
      phase: 'preparing',
      failure: null,
      record: { roundsPlanned: rounds },
    });
    expect(tournament.state.record?.leftOut[String(failure?.id)]).toEqual({ side, reason: failure?.reason });
    expect(gone).not.toContain(tournament.state.round?.x);
    expect(gone).not.toContain(tournament.state.round?.y);
  }
  expect(Object.keys(tournament.state.record?.configurations ?? {})).toHaveLength(2);
  await stuck();
  tournament.leave();
});
