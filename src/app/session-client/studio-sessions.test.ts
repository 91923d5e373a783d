import { describe, expect, it } from 'vitest';
import type { Report } from '#session/commands.ts';
import { replayView, turnReport, turnView } from '#session/testing/views.ts';
import { useSettings } from '../stores/settings-store.ts';
import { ReplayClient } from './replay-client.ts';
import { selectBusy, selectHearing } from './session-state.ts';
import { StudioSessions } from './studio-sessions.ts';
import { FakeWorker, fakePage } from './testing/page.ts';

const turns = (run: number | null, ...ids: number[]): Report => ({
  type: 'update',
  run,
  update: { turns: ids.map((id) => turnReport(turnView({ id }))) },
});

function opened() {
  const { paintFrame } = fakePage();
  useSettings.getState().chooseEndpoint('kugel-stream');
  const sessions = new StudioSessions(new MessageChannel().port1);
  const worker = FakeWorker.last;
  if (!worker) throw new Error('No worker was opened.');
  const client = () => sessions.shown.getState().client;
  return {
    client,
    worker,
    report: (report: Report) => {
      worker.report(report);
      paintFrame();
    },
    ids: () => [...client().state.turnIds],
    sent: () => worker.commands.map(({ type }) => type),
  };
}

describe('StudioSessions', () => {
  it('shows a replay with its own endpoint, and keeps the chosen endpoint', () => {
    const { client, report } = opened();
    report({ type: 'replay', replay: replayView() });
    expect(client()).toBeInstanceOf(ReplayClient);
    expect(client().state.endpoint).toBe('murmr');
    expect(useSettings.getState().endpoint).toBe('kugel-stream');
  });

  it('applies reports of the live session during a replay, and shows them afterwards', () => {
    const { client, report, ids } = opened();
    report(turns(null, 1));
    report({ type: 'replay', replay: replayView() });
    report(turns(1, 7));
    report(turns(null, 1, 2));
    expect(ids()).toEqual([7]);
    (client() as ReplayClient).leave();
    expect(ids()).toEqual([1, 2]);
  });

  it('clears the turns of a replay that seeks back, and drops late reports of the previous run', () => {
    const { report, ids } = opened();
    report({ type: 'replay', replay: replayView() });
    report(turns(1, 1, 2));
    report({ type: 'replay', replay: replayView({ run: 2 }) });
    expect(ids()).toEqual([]);
    report(turns(1, 3));
    report(turns(2, 1));
    expect(ids()).toEqual([1]);
  });

  it('drops reports of a replay that was left', () => {
    const { client, report } = opened();
    report({ type: 'replay', replay: replayView() });
    (client() as ReplayClient).leave();
    report({ type: 'replay', replay: replayView({ positionMs: 5 }) });
    expect(client()).not.toBeInstanceOf(ReplayClient);
    report({ type: 'replay', replay: null });
    report({ type: 'replay', replay: replayView({ run: 2 }) });
    expect(client()).toBeInstanceOf(ReplayClient);
  });

  it('leaves a replay before a command, and when another endpoint is chosen', () => {
    const { client, report, sent } = opened();
    report({ type: 'replay', replay: replayView() });
    client().send({ type: 'flush' });
    expect(client()).not.toBeInstanceOf(ReplayClient);
    expect(sent().slice(-2)).toEqual(['leaveReplay', 'flush']);
    report({ type: 'replay', replay: null });
    report({ type: 'replay', replay: replayView({ run: 2 }) });
    useSettings.getState().chooseEndpoint('kugel-multi');
    expect(client()).not.toBeInstanceOf(ReplayClient);
    expect(client().state.endpoint).toBe('kugel-multi');
  });

  it('cancels and replays turns inside of the replay', () => {
    const { client, report, sent } = opened();
    report({ type: 'replay', replay: replayView() });
    client().cancel();
    client().stopRepeat();
    expect(client()).toBeInstanceOf(ReplayClient);
    expect(sent().slice(-2)).toEqual(['cancel', 'stopRepeat']);
  });

  it('follows another client in silence: a cancel stops listening, and no wait is measured', () => {
    const { client, report, worker } = opened();
    const followed = { isListening: true };
    report({ type: 'replay', replay: replayView({ followed }) });
    const wait = [{ name: 'server', ms: 5 }] as const;
    report({ type: 'update', run: 1, update: { turns: [turnReport(turnView({ wait }))] } });
    expect(client().state.turns.get(1)?.wait).toBeNull();
    client().cancel();
    expect(worker.commands.at(-1)).toEqual({
      type: 'controlReplay',
      control: { do: 'listen', isListening: false },
    });
    expect(selectHearing(client().state)).toBe('listening');
    report({ type: 'replay', replay: replayView({ followed: { isListening: false } }) });
    expect(selectHearing(client().state)).toBe('unheard');
    // Its turn goes on, but a cancel would end nothing here.
    expect(selectBusy(client().state)).toBe(false);
    report({ type: 'replay', replay: replayView({ run: 2 }) });
    expect(selectHearing(client().state)).toBe('here');
  });

  it('sends a changed target before the next connection', () => {
    const { client, worker } = opened();
    const targets = () => worker.commands.filter(({ type }) => type === 'target').length;
    expect(targets()).toBe(1);
    client().send({ type: 'connect' });
    expect(targets()).toBe(1);
    useSettings.getState().chooseEndpoint('murmr');
    expect(targets()).toBe(2);
  });
});
