import { deepEqual } from '#lib/deep-equal.ts';
import type { Usage } from '#protocol/core/speech-event.ts';
import type { ContextView, Problem, TurnView } from '#session/views.ts';
import { isUnderWay } from '#session/views.ts';
import type { SessionState } from './session-state.ts';
import type { SpeechStart } from './speech-end.ts';

/** The end of a run: its last sample was heard, or the server is done and the wait is known. */
export type RunUntil = 'heard' | 'ended';

/** `failed`: the reason, in one or two sentences. */
export type RunOutcome = 'ok' | { failed: string };

export const problemsSince = ({ problems }: Pick<SessionState, 'problems'>, since: SpeechStart): Problem[] =>
  problems.filter(({ id }) => id > since.problem || id < 0);

/** The turn has no audio left to play. */
const isSettled = (turn: TurnView): boolean =>
  turn.samples === 0 || turn.heardToMs !== null || turn.silencedMs !== null;

/** Whether a run is over. @param run the turns and problems of this run only */
export function isRunOver(
  { source, contexts }: Pick<SessionState, 'source' | 'contexts'>,
  run: { turns: readonly TurnView[]; problems: readonly Problem[] },
  until: RunUntil,
): boolean {
  if (source.state === 'running') return false;
  const [first] = run.turns;
  // A run that failed before its first text has no turn.
  if (!first) return run.problems.some(({ severity }) => severity === 'error');
  if (run.turns.some(isUnderWay)) return false;
  // The server bills a context when it closes.
  if (contexts.some(({ state }) => state !== 'closed' && state !== 'refused')) return false;
  return until === 'ended' ? first.wait !== null || isSettled(first) : run.turns.every(isSettled);
}

const ENDED_BADLY: Readonly<Record<string, string>> = {
  failed: 'The server refused the text.',
  lost: 'The connection was lost.',
  cancelled: 'The run was cancelled.',
};

/** Returns the outcome of a run: a failure unless all of its audio came without an error. */
export function outcomeOf(turns: readonly TurnView[], problems: readonly Problem[]): RunOutcome {
  const problem = problems.find(({ severity }) => severity === 'error');
  if (problem) return { failed: `${problem.title}. ${problem.detail}` };
  const bad = turns.find(({ state }) => state !== 'ended');
  if (bad) return { failed: ENDED_BADLY[bad.state] ?? 'The run was not finished.' };
  return turns.some(({ samples }) => samples > 0) ? 'ok' : { failed: 'The server sent no audio.' };
}

/** Returns a text that changes with every progress of a run, and with nothing else. */
export const progressOf = (
  state: Pick<SessionState, 'connection' | 'source' | 'player' | 'turnIds' | 'problems'>,
): string =>
  [
    state.connection.state,
    state.connection.framesReceived,
    state.source.sent,
    state.turnIds.length,
    state.problems.length,
    ...state.player.tracks.map(({ turn, sample }) => `${turn}:${sample}`),
  ].join(' ');

/**
 * Returns the charge of a run: the usage of its turns, plus the growth of its contexts' bills. Null where the server
 * reported neither. The cost of the whole is unknown where that of one part is unknown or in another currency.
 */
export function chargeOf(
  turns: readonly TurnView[],
  before: readonly ContextView[],
  after: readonly ContextView[],
): Usage | null {
  const reported = turns.flatMap(({ usage }) => (typeof usage === 'object' ? [usage] : []));
  const billed = after.flatMap((context) => {
    const earlier = before.find(({ id }) => id === context.id);
    const isSameBill =
      deepEqual(context.billed, earlier?.billed) && context.unknownCosts === earlier?.unknownCosts;
    if (!context.billed || isSameBill) return [];
    const grown = earlier?.billed ? combine(context.billed, earlier.billed, (x, y) => x - y) : context.billed;
    return context.unknownCosts > (earlier?.unknownCosts ?? 0) ? [{ ...grown, costCents: null }] : [grown];
  });
  const [first, ...rest] = [...reported, ...billed];
  return first ? rest.reduce((a, b) => combine(a, b, (x, y) => x + y), first) : null;
}

const combine = (a: Usage, b: Usage, of: (x: number, y: number) => number): Usage => {
  const both = (x: number | null, y: number | null): number | null =>
    x === null || y === null ? null : of(x, y);
  const isMixed = a.currency !== null && b.currency !== null && a.currency !== b.currency;
  return {
    audioSeconds: both(a.audioSeconds, b.audioSeconds),
    characters: both(a.characters, b.characters),
    costCents: isMixed ? null : both(a.costCents, b.costCents),
    currency: a.currency ?? b.currency,
    modelId: a.modelId ?? b.modelId,
  };
};
