import type { Problem, TurnView } from '#session/views.ts';
import { isUnderWay, type SessionState } from './session-state.ts';

/**
 * When a run is over. `heard`: its last sample has been heard. `ended`: the server is done and the wait is known; what
 * is left to be heard is not waited for.
 */
export type RunUntil = 'heard' | 'ended';

/** `failed`: why, as a sentence or two. */
export type RunOutcome = 'ok' | { failed: string };

type Seen = Pick<SessionState, 'turns' | 'turnIds' | 'problems' | 'source' | 'contexts'>;

/** The turns of a run: those that came after the ones there were before it. */
export const turnsAfter = (
  { turns, turnIds }: Pick<Seen, 'turns' | 'turnIds'>,
  lastTurn: number,
): TurnView[] => turnIds.flatMap((id) => (id > lastTurn ? (turns.get(id) ?? []) : []));

export const problemsAfter = ({ problems }: Pick<Seen, 'problems'>, lastProblem: number): Problem[] =>
  problems.filter(({ id }) => id > lastProblem || id < 0);

/** Nothing more of it will be heard. */
const isSettled = (turn: TurnView): boolean =>
  turn.samples === 0 || turn.heardToMs !== null || turn.silencedMs !== null;

/** @param run the turns and problems of the run alone */
export function isRunOver(
  { source, contexts }: Pick<Seen, 'source' | 'contexts'>,
  run: { turns: readonly TurnView[]; problems: readonly Problem[] },
  until: RunUntil,
): boolean {
  if (source.state === 'running') return false;
  const [first] = run.turns;
  // What went wrong before any text could go out has no turn.
  if (!first) return run.problems.some(({ severity }) => severity === 'error');
  if (run.turns.some(isUnderWay)) return false;
  // The bill of a context comes with its end.
  if (contexts.some(({ state }) => state !== 'closed' && state !== 'refused')) return false;
  return until === 'ended' ? first.wait !== null || isSettled(first) : run.turns.every(isSettled);
}

const ENDED_BADLY: Readonly<Record<string, string>> = {
  failed: 'The server refused the text.',
  lost: 'The connection was lost.',
  cancelled: 'The run was cancelled.',
};

/** How a run went: anything less than all of its audio without an error is a failure. */
export function outcomeOf(turns: readonly TurnView[], problems: readonly Problem[]): RunOutcome {
  const problem = problems.find(({ severity }) => severity === 'error');
  if (problem) return { failed: `${problem.title}. ${problem.detail}` };
  const bad = turns.find(({ state }) => state !== 'ended');
  if (bad) return { failed: ENDED_BADLY[bad.state] ?? 'The run was not finished.' };
  return turns.some(({ samples }) => samples > 0) ? 'ok' : { failed: 'The server sent no audio.' };
}

/** Changes with everything that brings a run nearer to its end, and with nothing else. */
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
