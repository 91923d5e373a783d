import { wallMsOf } from '../../session-client/heard-clock.ts';
import type { SessionState } from '../../session-client/session-store.ts';
import type { Head } from '../timeline/use-timeline-paint.ts';

/**
 * Where what is heard now stands on the timeline. For the first time it is heard now; heard again, the head runs over
 * the place where it was heard first.
 */
export function playHeadOf(
  { player, turns }: Pick<SessionState, 'player' | 'turns'>,
  nowMs: number,
): Head | null {
  if (player.state !== 'playing') return null;
  const track = player.tracks.find((candidate) => candidate.turn !== null && candidate.state === 'playing');
  const turn = track?.turn == null ? undefined : turns.get(track.turn);
  const rate = turn?.sampleRate ?? 0;
  if (!track || !turn || rate === 0) return { atMs: nowMs, audioMs: 0 };
  const sample = Math.min(turn.samples, track.sample + Math.max(0, ((nowMs - track.atMs) / 1000) * rate));
  const atMs = player.replaying ? wallMsOf(turn, sample) : nowMs;
  return { atMs: atMs ?? nowMs, audioMs: (sample / rate) * 1000 };
}
