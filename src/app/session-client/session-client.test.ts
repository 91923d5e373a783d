import { expect, it, vi } from 'vitest';
import type { Report } from '#session/commands.ts';
import { type OwnerOptions, SessionClient, SessionOwner } from './session-client.ts';
import { FakeWorker, fakePage } from './testing/page.ts';

function opened(options?: OwnerOptions) {
  const { paintFrame } = fakePage();
  const owner = new SessionOwner(
    (port) => new SessionClient(port, { endpoint: 'kugel-stream', hasCast: false }),
    options,
  );
  const worker = FakeWorker.last;
  if (!worker) throw new Error('No worker was opened.');
  return { owner, worker, paintFrame, switchTo: vi.spyOn(owner.sound, 'switchTo') };
}

const wanting = (wantedSampleRate: number, run: number | null): Report => ({
  type: 'update',
  run,
  update: { wantedSampleRate },
});

it('switches the output to the rate of the session, and drops reports of a run that nobody shows', () => {
  const { worker, switchTo } = opened();
  worker.report(wanting(8000, 1));
  worker.report(wanting(16_000, null));
  expect(switchTo.mock.calls).toEqual([[16_000]]);
});

it('keeps the rate where another client is heard', () => {
  fakePage();
  const { client } = new SessionOwner(
    (port) => new SessionClient(port, { endpoint: 'murmr', hasCast: false }),
  );
  const { worker, switchTo } = opened({ heard: () => client });
  worker.report(wanting(16_000, null));
  expect(switchTo).not.toHaveBeenCalled();
});

it('says that the session could not go on where its worker stops', () => {
  const { owner, worker, paintFrame } = opened();
  worker.onerror?.();
  paintFrame();
  expect(owner.client.state.problems).toMatchObject([{ title: 'The session could not go on' }]);
});

it('sets up a session with its one speaker where the endpoint has contexts', () => {
  const { owner, worker } = opened();
  const speaker = { id: 'one', settings: {}, keepOpen: false };
  const target = { base: 'ws://host', key: 'local' };
  owner.begin({ ...target, endpoint: 'kugel-stream' }, {}, speaker);
  owner.begin({ ...target, endpoint: 'kugel-multi' }, {}, speaker);
  expect(worker.commands.map(({ type }) => type)).toEqual([
    ...['target', 'listen', 'warmUp'],
    ...['target', 'speakers', 'listen', 'warmUp'],
  ]);
});

it('ends its worker, and keeps what was reported', () => {
  const { owner, worker } = opened();
  worker.report({ type: 'update', run: null, update: { problems: [] } });
  worker.onerror?.();
  owner.dispose();
  expect(worker.isTerminated).toBe(true);
  expect(owner.client.state.problems).toHaveLength(1);
});
