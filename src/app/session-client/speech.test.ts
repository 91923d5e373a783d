import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { Usage } from '#protocol/core/speech-event.ts';
import { turnView } from '#session/testing/views.ts';
import type { ContextView, Problem, TurnView } from '#session/views.ts';
import { emptySession, type SessionState } from './session-state.ts';
import { RunSpeech, type SpeechUntil, waitFor } from './speech.ts';
import { TurnMap } from './turn-map.ts';

const problem = (change: Partial<Problem> = {}): Problem => ({
  id: 9,
  turn: null,
  atMs: 0,
  severity: 'error',
  title: 'The server reported an error',
  detail: 'No credits.',
  remedy: null,
  times: 1,
  ...change,
});

const context = (state: ContextView['state'], change: Partial<ContextView> = {}): ContextView => ({
  id: '',
  state,
  sinceMs: 0,
  idleAtMs: null,
  keepAlives: 0,
  billed: null,
  unbilledSeconds: 0,
  unknownCosts: 0,
  ...change,
});

/** A session with an earlier turn that was lost, and an earlier problem. */
function openSession({ isImmediate = true, contexts = [] as readonly ContextView[] } = {}) {
  const earlier = turnView({ id: 1, state: 'lost' });
  const state: SessionState = {
    ...emptySession(),
    turnIds: [1],
    turns: TurnMap.of(earlier),
    problems: [problem({ id: 3 })],
    contexts,
  };
  const store = createStore<SessionState>()(() => state);
  const status = createStore(() => ({ blocked: false, failure: null, isReady: true }));
  const cancel = vi.fn();
  const client = {
    store,
    sound: { status },
    isImmediate,
    cancel,
    get state() {
      return store.getState();
    },
  };
  return {
    client,
    cancel,
    speech: new RunSpeech(client),
    change: (change: Partial<SessionState>) => store.setState(change),
    report: (turns: readonly TurnView[], change: Partial<SessionState> = {}) =>
      store.setState({
        turnIds: [1, ...turns.map(({ id }) => id)],
        turns: TurnMap.of(earlier, ...turns),
        ...change,
      }),
  };
}

const turn = (change: Partial<TurnView> = {}): TurnView =>
  turnView({ id: 2, state: 'ended', samples: 100, heardToMs: 9, ...change });
const wait = [{ name: 'server' as const, ms: 5 }];
const playing = { heardToMs: null, wait };
const talkedOver = { onsetMs: 1, pressedMs: 2, silentMs: 3, interruptedMs: null, heard: null };
const cutOff = { ...talkedOver, onsetMs: null };

describe('the end of speech', () => {
  it.each<[string, TurnView[], Problem[], SpeechUntil, string | null]>([
    ['has not begun', [], [], 'heard', null],
    ['is still generated', [turn({ state: 'receiving' })], [], 'heard', null],
    ['is still heard', [turn(playing)], [], 'heard', null],
    ['has a wait, while it is heard', [turn(playing)], [], 'ended', 'spoken'],
    ['has no wait yet', [turn({ heardToMs: null })], [], 'ended', null],
    ['has a wait, while the server sends', [turn({ state: 'receiving', wait })], [], 'ended', null],
    ['has a line that is to come', [turn(), turn({ id: 3, state: 'waiting' })], [], 'heard', null],
    ['was heard', [turn(), turn({ id: 3 })], [], 'heard', 'spoken'],
    ['had a warning', [turn()], [problem({ severity: 'warning' })], 'heard', 'spoken'],
    ['had an error', [turn()], [problem()], 'heard', 'failed: The server reported an error. No credits.'],
    ['had a problem of an earlier turn', [turn()], [problem({ turn: 1 })], 'heard', 'spoken'],
    [
      'fails before its first turn',
      [],
      [problem()],
      'heard',
      'failed: The server reported an error. No credits.',
    ],
    ['only has a warning', [], [problem({ severity: 'warning' })], 'heard', null],
    ['only has an older problem', [], [problem({ id: 3 })], 'heard', null],
    [
      'has no worker',
      [],
      [problem({ id: -1 })],
      'heard',
      'failed: The server reported an error. No credits.',
    ],
    [
      'was refused',
      [turn({ state: 'failed', samples: 0 })],
      [],
      'heard',
      'failed: The server refused the text.',
    ],
    ['failed, and is still heard', [turn({ state: 'failed', heardToMs: null })], [], 'heard', null],
    ['was lost', [turn({ state: 'lost' })], [], 'heard', 'lost: The connection was lost.'],
    ['is silent', [turn({ samples: 0 })], [], 'heard', 'failed: The server sent no audio.'],
    [
      'was cut off',
      [turn({ state: 'cancelled', heardToMs: null, silencedMs: 4 })],
      [],
      'heard',
      'cancelled: The run was cancelled.',
    ],
    [
      'was talked over',
      [turn({ bargeIn: talkedOver }), turn({ id: 3, state: 'waiting' })],
      [],
      'heard',
      'cancelled: The run was cancelled.',
    ],
    [
      'has a line that a later one cut off',
      [turn({ state: 'cancelled', bargeIn: cutOff }), turn({ id: 3 })],
      [],
      'heard',
      'spoken',
    ],
  ])('%s', (_, turns, problems, until, expected) => {
    const { speech, report } = openSession();
    report(turns, { problems });
    const outcome = speech.outcome(until);
    expect(outcome && ('reason' in outcome ? `${outcome.how}: ${outcome.reason}` : outcome.how)).toBe(
      expected,
    );
  });

  it('waits for a model that writes, and for the bill of its own context', () => {
    const { speech, report } = openSession();
    const { source } = emptySession();
    report([turn()], { source: { ...source, state: 'running' } });
    expect(speech.outcome()).toBeNull();
    report([turn()], { source, contexts: [context('closing')] });
    expect(speech.outcome()).toBeNull();
    report([turn()], { contexts: [context('closed'), context('open', { id: 'another' })] });
    expect(speech.outcome()).toEqual({ how: 'spoken' });
  });
});

describe('a wait', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const { signal: never } = new AbortController();

  it('for speech resolves with its end, and leaves nothing behind', async () => {
    const { speech, report, cancel } = openSession();
    const over = speech.over(never);
    report([turn()]);
    expect(await over).toEqual({ how: 'spoken' });
    expect(vi.getTimerCount()).toBe(0);
    expect(cancel).not.toHaveBeenCalled();
  });

  it('for speech stalls without a further frame, and cancels it', async () => {
    const { speech, change, client, cancel } = openSession();
    let how: string | null = null;
    void speech.over(never).then((outcome) => {
      how = outcome.how;
    });
    await vi.advanceTimersByTimeAsync(19_000);
    change({ connection: { ...client.state.connection, framesReceived: 1 } });
    await vi.advanceTimersByTimeAsync(19_000);
    // A report of the clock is no progress.
    change({ player: { ...client.state.player, sampleRate: 8000 } });
    expect(how).toBeNull();
    await vi.advanceTimersByTimeAsync(1000);
    expect(how).toBe('stalled');
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('does not stall while a hidden page gets no reports', async () => {
    const { speech, cancel } = openSession({ isImmediate: false });
    const page = { hidden: true };
    vi.stubGlobal('document', page);
    void speech.over(never);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(cancel).not.toHaveBeenCalled();
    page.hidden = false;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('for speech rejects with the reason of an abort, which cancels it at once', async () => {
    const { speech, cancel } = openSession();
    const abort = new AbortController();
    const over = speech.over(abort.signal);
    abort.abort(new Error('enough'));
    expect(cancel).toHaveBeenCalledTimes(1);
    await expect(over).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('for a condition has a limit, and does not begin after an abort', async () => {
    const { client } = openSession();
    const reached = waitFor(client, () => false, { stalledAfterMs: 100, signal: never });
    await vi.advanceTimersByTimeAsync(100);
    expect(await reached).toBe(false);
    const late = waitFor(client, () => true, {
      stalledAfterMs: 100,
      signal: AbortSignal.abort(new Error('enough')),
    });
    await expect(late).rejects.toThrow('enough');
  });
});

describe('the charge of speech', () => {
  const usage = (costCents: number | null, audioSeconds = 1): Usage => ({
    audioSeconds,
    characters: 10,
    costCents,
    currency: 'eur',
    modelId: 'm',
  });
  const bill = (billed: Usage | null, unknownCosts = 0) => [context('closed', { billed, unknownCosts })];

  const charge = (
    turns: readonly TurnView[],
    before: readonly ContextView[] = [],
    contexts: readonly ContextView[] = [],
  ) => {
    const { speech, report } = openSession({ contexts: before });
    report(turns, { contexts });
    return speech.charged;
  };

  it('is the sum of its turns', () => {
    const turns = [turn({ usage: usage(2) }), turn({ id: 3, usage: usage(3) })];
    expect(charge(turns)).toEqual({ ...usage(5, 2), characters: 20 });
  });

  it('is the growth of the bill of a context', () => {
    const own = [turn({ usage: 'withContext' })];
    expect(charge(own, bill(usage(4, 2)), bill(usage(7, 5)))?.costCents).toBe(3);
    expect(charge(own, [], bill(usage(7)))?.costCents).toBe(7);
  });

  it('has an unknown cost where that of one part is unknown or in another currency', () => {
    expect(charge([turn({ usage: usage(2) }), turn({ id: 3, usage: usage(null) })])?.costCents).toBeNull();
    expect(charge([], bill(usage(4)), bill(usage(4), 1))?.costCents).toBeNull();
    const mixed = [turn({ usage: usage(2) }), turn({ id: 3, usage: { ...usage(3), currency: 'usd' } })];
    expect(charge(mixed)).toMatchObject({ costCents: null, audioSeconds: 2 });
  });

  it('is none where the server reported none', () => {
    expect(charge([turn({ usage: 'unreported' })])).toBeNull();
    expect(charge([], bill(usage(4)), bill(usage(4)))).toBeNull();
  });
});
