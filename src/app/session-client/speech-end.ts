import type { TurnView } from '#session/views.ts';
import { isPending, type SessionState } from './session-state.ts';

/** The newest turn and problem before something is spoken, so that its own can be distinguished. */
export interface SpeechStart {
  turn: number;
  problem: number;
}

/** Later problems have greater ids, also after a dismissal. */
export const startOfSpeech = ({
  turnIds,
  problems,
}: Pick<SessionState, 'turnIds' | 'problems'>): SpeechStart => ({
  turn: turnIds.at(-1) ?? 0,
  problem: problems.reduce((newest, { id }) => Math.max(newest, id), 0),
});

export const turnsSince = (
  { turns, turnIds }: Pick<SessionState, 'turns' | 'turnIds'>,
  since: SpeechStart,
): TurnView[] => turnIds.flatMap((id) => (id > since.turn ? (turns.get(id) ?? []) : []));

/** Returns how a text or a scene ended; null while a part of it is to come. */
export function endOfSpeech(
  state: Pick<SessionState, 'turnIds' | 'turns' | 'problems' | 'source'>,
  since: SpeechStart,
): 'heard' | 'failed' | null {
  const own = turnsSince(state, since);
  if (state.source.state === 'running') return null;
  const failed = state.problems.some(
    ({ id, severity, turn }) =>
      severity === 'error' && id > since.problem && (turn === null || turn > since.turn),
  );
  if (own.length === 0) return failed ? 'failed' : null;
  if (own.some(isPending)) return null;
  return own.some(({ state }) => state === 'failed' || state === 'lost') ? 'failed' : 'heard';
}
