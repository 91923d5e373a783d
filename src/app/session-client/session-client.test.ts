import { expect, it, vi } from 'vitest';
import type { Report } from '#session/commands.ts';
import { Runner } from './runner.ts';
import { SessionClient, SessionOwner } from './session-client.ts';
import { FakeWorker, fakePage } from './testing/page.ts';

const clientOf = (owner: ConstructorParameters<typeof SessionClient>[0]) =>
  new SessionClient(owner, { endpoint: 'kugel-stream', hasCast: false });

class OtherHeard extends SessionOwner {
  readonly other = clientOf(this);

  protected override get heard(): SessionClient {
    return this.other;
  }
}

function opened<Owner extends SessionOwner>(open: () => Owner) {
  const { paintFrame } = fakePage();
  const owner = open();
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
  const { worker, switchTo } = opened(() => new SessionOwner(clientOf));
  worker.report(wanting(8000, 1));
  worker.report(wanting(16_000, null));
  expect(switchTo.mock.calls).toEqual([[16_000]]);
});

it('keeps the rate where another client is heard', () => {
  const { worker, switchTo } = opened(() => new OtherHeard(clientOf));
  worker.report(wanting(16_000, null));
  expect(switchTo).not.toHaveBeenCalled();
});

it('says that the session could not go on where its worker stops', () => {
  const { owner, worker, paintFrame } = opened(() => new SessionOwner(clientOf));
  worker.onerror?.();
  paintFrame();
  expect(owner.client.state.problems).toMatchObject([{ title: 'The session could not go on' }]);
});

it('ends its worker, and keeps what was reported', () => {
  const { owner, worker } = opened(() => new SessionOwner(clientOf));
  worker.report({ type: 'update', run: null, update: { problems: [] } });
  worker.onerror?.();
  owner.dispose();
  expect(worker.isTerminated).toBe(true);
  expect(owner.client.state.problems).toHaveLength(1);
});

const config = {
  base: 'ws://host',
  key: 'local',
  settings: {},
  speaker: {},
  source: { kind: 'whole' },
} as const;

it.each([
  ['kugel-stream', ['target', 'settings', 'listen', 'warmUp']],
  ['kugel-multi', ['target', 'settings', 'speakers', 'listen', 'warmUp']],
] as const)('sets up a session of %s, with its one speaker where it has contexts', (endpoint, commands) => {
  const { worker } = opened(() => new Runner({ ...config, endpoint }));
  expect(worker.commands.map(({ type }) => type)).toEqual(commands);
});

it('begins a run behind one that was aborted in the same press', async () => {
  const { owner } = opened(() => new Runner({ ...config, endpoint: 'kugel-stream' }));
  const first = new AbortController();
  const runs = [owner.run('One.', first.signal), owner.run('Two.', AbortSignal.timeout(0))];
  first.abort(new Error('first'));
  owner.dispose();
  expect(await Promise.allSettled(runs)).toMatchObject([
    { reason: { message: 'first' } },
    { reason: { message: 'The session was closed.' } },
  ]);
});
