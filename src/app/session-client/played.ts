import { largest } from '#lib/collections/arrays.ts';
import { madeOnce } from '#lib/collections/maps.ts';
import { PlayedRanges } from '#player/played-ranges.ts';
import { Playhead, type PlayheadPlace, type PlayheadReading, playheadSample } from '#player/playhead.ts';
import type { PlayerView, TrackView, TurnView } from '#session/views.ts';
import { isHeardWhole, type SessionState } from './session-state.ts';

const known = new WeakMap<TurnView, PlayedRanges>();

/**
 * Returns the played ranges of a turn, memoised per view. The last range of a playing turn extends to the end of its
 * audio, which may be later than now, because the growth of a range alone causes no report.
 */
export const playedOf = (turn: TurnView): PlayedRanges =>
  madeOnce(known, turn, () => new PlayedRanges(turn.sampleRate ?? 0, soFar(turn)));

function soFar({
  played,
  samples,
  heardToMs,
  silencedMs,
  pausedMs,
  underruns,
}: TurnView): TurnView['played'] {
  const last = played.at(-1);
  const isSilent = heardToMs !== null || silencedMs !== null || pausedMs !== null;
  if (!last || isSilent || underruns.at(-1)?.lengthMs === null) return played;
  return [...played.slice(0, -1), { ...last, count: Math.max(last.count, samples - last.sample) }];
}

const readingOf = (track: TrackView, player: PlayerView): PlayheadReading => ({
  epoch: track.epoch,
  turn: track.turn,
  sample: track.sample,
  atMs: track.atMs,
  isPlaying: track.state === 'playing' && !player.isStill,
  isRepeat: player.repeating,
  queuedSamples: Math.round(track.bufferedSeconds * player.sampleRate),
  sampleRate: player.sampleRate,
});

/** A sample of a turn, with the repeat in which it is heard. */
export type HeardPlace = Omit<PlayheadPlace, 'turn'>;

const END = Number.MAX_SAFE_INTEGER;

/** The playhead of each turn at paint time. */
export class Playheads {
  readonly #heads = new Map<string, Playhead>();
  /** By turn, without repeats. */
  readonly #reached = new Map<number, number>();
  /** By turn that plays now. */
  readonly #now = new Map<number, HeardPlace>();

  follow(player: PlayerView, nowMs: number): void {
    this.#now.clear();
    for (const track of player.tracks) {
      const head = madeOnce(this.#heads, track.context, () => new Playhead());
      head.read(readingOf(track, player));
      const place = head.at(nowMs);
      if (!place) continue;
      const { turn, repeat } = place;
      const before = repeat === null ? (this.#reached.get(turn) ?? 0) : 0;
      const sample = Math.max(before, place.sample);
      this.#now.set(turn, { sample, repeat });
      if (repeat === null) this.#reached.set(turn, sample);
    }
  }

  /** Returns the place of the playhead in a turn, or its last place; sample -1 for an unheard turn. */
  placeOf(turn: Pick<TurnView, 'id' | 'heardToMs' | 'chunks' | 'played'>): HeardPlace {
    const now = this.#now.get(turn.id);
    if (now) return now;
    if (isHeardWhole(turn)) return { sample: END, repeat: null };
    const ends = turn.played.map(({ sample, count }) => sample + count - 1);
    return { sample: largest(ends, this.#reached.get(turn.id) ?? -1), repeat: null };
  }
}

/**
 * Returns the playhead on the timeline; null in silence. A repeat moves over the place of the first hearing. Where the
 * output stands still, the playhead stays behind the last sample that left it.
 */
export function timelineHeadOf(
  { player, turns }: Pick<SessionState, 'player' | 'turns'>,
  nowMs: number,
): { atMs: number; audioMs: number } | null {
  if (player.state !== 'playing') return null;
  const track = player.tracks.find((candidate) => candidate.turn !== null && candidate.state === 'playing');
  const turn = track?.turn == null ? undefined : turns.get(track.turn);
  if (!track || !turn?.sampleRate) return { atMs: nowMs, audioMs: 0 };
  const sample = Math.min(turn.samples, playheadSample(readingOf(track, player), nowMs));
  const atMs = player.repeating || player.isStill ? playedOf(turn).wallMsOf(sample, player.isStill) : nowMs;
  return { atMs: atMs ?? nowMs, audioMs: (sample / turn.sampleRate) * 1000 };
}
