import type { Problem, TurnView } from '#session/views.ts';
import { isUnderWay, type SessionState } from './session-state.ts';

/**
 * The end of a run. `heard`: its last sample was heard. `ended`: the server is done and the wait is known, although audio
 * may still be playing.
 */
export type RunUntil = 'heard' | 'ended';

/** `failed`: the reason, in one or two sentences. */
export type RunOutcome = 'ok' | { failed: string };

type Seen = Pick<SessionState, 'turns' | 'turnIds' | 'problems' | 'source' | 'contexts'>;

/** Returns the turns after `lastTurn`, the newest one before the run. */
export const turnsAfter = (
  { turns, turnIds }: Pick<Seen, 'turns' | 'turnIds'>,
  lastTurn: number,
): TurnView[] => turnIds.flatMap((id) => (id > lastTurn ? (turns.get(id) ?? []) : []));

export const problemsAfter = ({ problems }: Pick<Seen, 'problems'>, lastProblem: number): Problem[] =>
  problems.filter(({ id }) => id > lastProblem || id < 0);

/** No more of the turn will be heard. */
const isSettled = (turn: TurnView): boolean =>
  turn.samples === 0 || turn.heardToMs !== null || turn.silencedMs !== null;

/**
 * Whether a run is over.
 * @param run the turns and problems of this run only
 */
export function isRunOver(
  { source, contexts }: Pick<Seen, 'source' | 'contexts'>,
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
