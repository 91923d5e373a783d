import {
  Ban,
  Check,
  CircleAlert,
  Clock,
  Hourglass,
  type LucideIcon,
  Play,
  Unplug,
  VolumeX,
} from 'lucide-react';
import type { PlayerView, TrackView, TurnView } from '#session/views.ts';
import { isHeardWhole } from '../../session-client/session-state.ts';
import type { BadgeTone } from '../../ui/badge.tsx';

export interface TurnStatus {
  word: string;
  tone: BadgeTone;
  icon?: LucideIcon;
  /** Reason and start of the wait; null where the turn does not wait. */
  waiting: { for: string; sinceMs: number } | null;
}

type PlayerPart = Pick<TrackView, 'turn'> & Pick<PlayerView, 'state' | 'repeating'>;

const still = (word: string, tone: BadgeTone, icon?: LucideIcon): TurnStatus => ({
  word,
  tone,
  ...(icon && { icon }),
  waiting: null,
});

const waitingFor = (word: string, what: string, sinceMs: number | null): TurnStatus => ({
  word,
  tone: 'waiting',
  icon: Hourglass,
  waiting: sinceMs === null ? null : { for: what, sinceMs },
});

/**
 * Returns the status of a turn. Playback takes precedence over the state of the server.
 * @param isUnheard another client plays it, so that its playback is unknown
 */
export function turnStatus(turn: TurnView, player: PlayerPart, isUnheard = false): TurnStatus {
  const isHere = player.turn === turn.id;
  if (isHere && player.repeating && player.state === 'playing') return still('Replaying', 'live', Play);
  switch (turn.state) {
    case 'cancelled':
      return still('Cancelled', 'neutral', Ban);
    case 'failed':
      return still('Failed', 'failed', CircleAlert);
    case 'lost':
      return still('Connection lost', 'failed', Unplug);
    case 'ended':
      if (turn.samples === 0) return still('No audio', 'neutral', Ban);
      if (isHeardWhole(turn)) return still('Spoken', 'neutral', Check);
      if (isUnheard || turn.isLeftOut) return still('Received', 'neutral', Check);
      // The server had finished, so the page silenced the rest.
      if (turn.heardToMs !== null) return still('Cancelled', 'neutral', Ban);
      if (turn.silencedMs !== null || !isToCome(turn, player)) return still('Not heard', 'neutral', VolumeX);
  }
  if (isHere && player.state === 'playing') return still('Speaking', 'live');
  const underrun = turn.underruns.at(-1);
  // A player that ran dry is at no turn.
  if (!player.repeating && player.state === 'buffering' && underrun?.lengthMs === null) {
    return waitingFor('Ran dry', 'audio', underrun.atMs);
  }
  if (turn.answer?.state === 'asked') {
    return waitingFor('Waiting', 'the first token of the model', turn.answer.askedMs);
  }
  if (turn.samples === 0) {
    return waitingFor(turn.flushedMs === null ? 'Sending' : 'Waiting', 'the first audio', turn.firstTextMs);
  }
  if (isUnheard) return still('Receiving', 'live');
  if (turn.held || isBehind(turn, player)) return still('Queued', 'waiting', Clock);
  return waitingFor('Buffering', 'the prebuffer target', turn.chunks[0]?.firstAudioMs ?? turn.firstTextMs);
}

/** The player plays an earlier turn, because turns are heard in order. */
const isBehind = (turn: TurnView, player: PlayerPart): boolean =>
  !player.repeating && player.turn !== null && player.turn < turn.id;

/** The turn may still be heard: it is under the playhead, or waits for the prebuffer target or an earlier turn. */
const isToCome = (turn: TurnView, player: PlayerPart): boolean =>
  turn.held ||
  player.turn === turn.id ||
  isBehind(turn, player) ||
  (player.turn === null && player.state === 'buffering');
