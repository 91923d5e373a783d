import { expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import type { NewEntry, RecordEntry } from '#record/record.ts';
import type { FeedMessage } from '#recordings/messages.ts';
import { NO_IMPAIRMENTS } from './replay/impairments.ts';
import { ReplayRun } from './replay/replay-run.ts';
import { World } from './testing/world.ts';

const SPEC = 'latency=20,reset@3,mark=mine';

/** A connection with faults, whose strikes the test reports. */
function faultyWorld() {
  const world = new World();
  const entries: NewEntry[] = [];
  const postMessage = (message: FeedMessage) => {
    if (message.type === 'entries') entries.push(...structuredClone(message.entries));
  };
  const port: { postMessage: typeof postMessage; onmessage?: (event: object) => void } = { postMessage };
  // Only what a session uses is there.
  world.do({ type: 'attachRecordings', port: port as unknown as MessagePort });
  const target = {
    endpoint: world.endpoint.id,
    base: `ws://server/faults/${SPEC}/kugel`,
    key: 'k',
    mark: 'mine',
  };
  world.do({ type: 'target', target, settings: {} });
  const strike = (mark: string, what: string, atMs: number) => {
    port.onmessage?.({ data: { type: 'fault', mark, what, atMs } });
    world.advance(100);
  };
  const strikes = () => entries.filter(({ kind }) => kind === 'fault');
  const marks = () => world.marks.filter(({ kind }) => kind === 'fault');
  return { world, entries, strike, strikes, marks };
}

it('a strike on this connection is an entry and a mark at its time', () => {
  const { world, entries, strike, strikes, marks } = faultyWorld();
  const openedMs = world.nowMs;
  world.connect();
  world.advance(500);
  const struckMs = world.nowMs - 40;
  strike('mine', 'reset@3', struckMs);
  const [entry] = strikes();
  expect(entry).toMatchObject({ direction: 'connection', connection: 1, payload: '{"what":"reset@3"}' });
  expect(entry?.atUs).toBe((struckMs - openedMs) * 1000);
  const frame = entries.findIndex(({ kind }) => kind === 'fault');
  expect(marks()).toMatchObject([{ atMs: struckMs, context: null, text: 'reset@3', frame }]);
});

it('a strike on a connection of another mark is nothing', () => {
  const { world, strike, strikes, marks } = faultyWorld();
  world.connect();
  strike('other', 'reset@3', world.nowMs);
  expect([...strikes(), ...marks()]).toEqual([]);
});

it.each([
  ['ahead', 60_000],
  ['behind', -60_000],
])('a clock of the server that is %s moves no strike out of the connection', (_, offMs) => {
  const { world, strike, marks } = faultyWorld();
  const openedMs = world.nowMs;
  world.connect();
  world.advance(500);
  const reportedMs = world.nowMs;
  strike('mine', 'reset@3', reportedMs + offMs);
  expect(marks()).toMatchObject([{ atMs: offMs > 0 ? reportedMs : openedMs }]);
});

it('a strike after the frame that it changed is behind it, at no earlier time', () => {
  const { world, entries, strike } = faultyWorld();
  const socket = world.connect();
  socket.say({ cut: 1 });
  const saidMs = world.nowMs;
  world.advance(5);
  strike('mine', 'odd-byte@1', saidMs - 1);
  const [before, last] = entries.slice(-2);
  expect([before?.direction, last?.kind]).toEqual(['in', 'fault']);
  expect(last?.atUs).toBe(before?.atUs);
});

it('a replay marks the strikes of its recording', () => {
  const { world: live, entries, strike } = faultyWorld();
  live.connect();
  live.advance(500);
  strike('mine', 'stall=700@2', live.nowMs);
  const recorded: RecordEntry[] = entries.map((entry, index) => ({ ...entry, index }));
  const runs: ReplayRun[] = [];
  const endpoint = endpointOf(null);
  const world = new World(undefined, endpoint, (options) => {
    const listener = { wantsMore() {}, moved() {} };
    const address = `ws://server/kugel${endpoint.path}`;
    const run = new ReplayRun({ ...options, endpoint, address, impairments: NO_IMPAIRMENTS, listener });
    runs.push(run);
    return run.session;
  });
  const startedMs = world.nowMs;
  runs[0]?.add(recorded, true);
  runs[0]?.play();
  world.advance(1000);
  const [mark, ...others] = world.marks.filter(({ kind }) => kind === 'fault');
  expect([mark?.text, others]).toEqual(['stall=700@2', []]);
  expect((mark?.atMs ?? 0) - startedMs).toBeGreaterThanOrEqual(500);
});
