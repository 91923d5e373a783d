import { isPending, type SessionState } from './session-state.ts';

/** The newest turn and problem before something is spoken, so that its own can be distinguished. */
export interface SpeechStart {
  turn: number;
  problem: number;
}

export const startOfSpeech = ({ turnIds, problems }: SessionState): SpeechStart => ({
  turn: turnIds.at(-1) ?? 0,
  problem: problems.reduce((newest, { id }) => Math.max(newest, id), 0),
});

/** Returns how a text or a scene ended; null while a part of it is to come. */
export function endOfSpeech(
  { turnIds, turns, problems, source }: Pick<SessionState, 'turnIds' | 'turns' | 'problems' | 'source'>,
  since: SpeechStart,
): 'heard' | 'failed' | null {
  const isOwn = (id: number) => id > since.turn;
  const own = turnIds.filter(isOwn).flatMap((id) => turns.get(id) ?? []);
  if (source.state === 'running') return null;
  const failed = problems.some(
    ({ id, severity, turn }) => severity === 'error' && id > since.problem && (turn === null || isOwn(turn)),
  );
  if (own.length === 0) return failed ? 'failed' : null;
  if (own.some(isPending)) return null;
  return own.some(({ state }) => state === 'failed' || state === 'lost') ? 'failed' : 'heard';
}
