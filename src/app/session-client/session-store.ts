import { create } from 'zustand';
import { keepSame } from '#lib/deep-equal.ts';
import type {
  ConnectionView,
  ContextView,
  PlayerView,
  Problem,
  SessionTotals,
  SessionUpdate,
  SourceView,
  TrackView,
  TurnView,
} from '#session/views.ts';

/** What the worker reported last. The page only reads it. */
export interface SessionState {
  connection: ConnectionView;
  /** In order of speaking. Changes only when a turn is added. */
  turnIds: readonly number[];
  /**
   * One map for good, changed in place: a frame's update costs one entry, however many turns there are. Select a turn
   * by its id; a turn that did not change keeps its identity.
   */
  turns: ReadonlyMap<number, TurnView>;
  /** Of an endpoint that has several. */
  contexts: readonly ContextView[];
  totals: SessionTotals;
  player: PlayerView;
  source: SourceView;
  problems: readonly Problem[];
  /** Counts the updates that brought a turn, for who reads all of them out of `turns`, which stays the same map. */
  turnsRevision: number;
}

const NO_CONNECTION: ConnectionView = {
  state: 'idle',
  sinceMs: 0,
  handshakeMs: null,
  address: null,
  close: null,
  retry: null,
  framesSent: 0,
  framesReceived: 0,
  bytesSent: 0,
  bytesReceived: 0,
};

const NO_PLAYER: PlayerView = {
  state: 'detached',
  transport: null,
  sampleRate: 0,
  replaying: false,
  tracks: [],
};

const SILENT: TrackView = {
  context: '',
  state: 'idle',
  turn: null,
  sample: 0,
  atMs: 0,
  epoch: 0,
  bufferedSeconds: 0,
  peak: 0,
  floorMs: 0,
  floorReason: '',
};

/** What is heard of a context; silence where it has not spoken. */
export const trackOf = (player: Pick<PlayerView, 'tracks'>, context: string): TrackView =>
  player.tracks.find((track) => track.context === context) ?? SILENT;

/** The newest of the turns that are heard now; null while none is. */
export const selectHeard = ({ player }: Pick<SessionState, 'player'>): number | null =>
  player.tracks.reduce<number | null>(
    (newest, { turn }) => (turn === null ? newest : Math.max(turn, newest ?? turn)),
    null,
  );

/** The state before the first report. */
export const emptySession = (): SessionState => ({
  connection: NO_CONNECTION,
  turnIds: [],
  turns: new Map(),
  contexts: [],
  totals: {
    turns: 0,
    audioSeconds: 0,
    characters: 0,
    costCents: 0,
    currency: null,
    unknownCosts: 0,
    unreportedCosts: 0,
    planCharacters: 0,
  },
  player: NO_PLAYER,
  source: { state: 'idle', total: 0, sent: 0, startedMs: null, finishedMs: null, nextToken: null },
  problems: [],
  turnsRevision: 0,
});

/** The newer list, with the views of the older one that say the same; the older list where all do. */
function keepContexts(older: readonly ContextView[], newer: readonly ContextView[]): readonly ContextView[] {
  const known = new Map(older.map((context) => [context.id, context]));
  const kept = newer.map((context) => keepSame(context, known.get(context.id)));
  const isUnchanged = kept.length === older.length && kept.every((context, at) => context === older[at]);
  return isUnchanged ? older : kept;
}

/**
 * Takes a report into the state. Turns are written into the map that is there, contexts that say the same stay the same;
 * the rest is replaced.
 */
export function applyUpdate(state: SessionState, update: SessionUpdate): SessionState {
  const { turns, marks: _marks, envelopes: _envelopes, wantedSampleRate: _rate, ...parts } = update;
  let { turnIds, turnsRevision } = state;
  if (turns && turns.length > 0) {
    const book = state.turns as Map<number, TurnView>;
    const added = turns.filter((turn) => !book.has(turn.id)).map((turn) => turn.id);
    for (const turn of turns) book.set(turn.id, turn);
    turnsRevision += 1;
    if (added.length > 0) turnIds = [...turnIds, ...added].sort((a, b) => a - b);
  }
  const contexts = parts.contexts ? keepContexts(state.contexts, parts.contexts) : state.contexts;
  return { ...state, ...parts, contexts, turnIds, turnsRevision };
}

/** Two reports in order, as one: of what both tell, the later holds. */
export function joinUpdates(earlier: SessionUpdate, later: SessionUpdate): SessionUpdate {
  const joined = { ...earlier, ...later };
  if (earlier.marks && later.marks) joined.marks = [...earlier.marks, ...later.marks];
  if (earlier.envelopes && later.envelopes) joined.envelopes = [...earlier.envelopes, ...later.envelopes];
  if (!earlier.turns || !later.turns) return joined;
  const turns = new Map(earlier.turns.map((turn) => [turn.id, turn]));
  for (const turn of later.turns) turns.set(turn.id, turn);
  return { ...joined, turns: [...turns.values()] };
}

export const useSession = create<SessionState>()(emptySession);

/** A turn by its id; re-renders only when that turn changes. */
export const useTurn = (id: number | null): TurnView | undefined =>
  useSession((state) => (id === null ? undefined : state.turns.get(id)));

/** The newest turn. */
export const selectNewest = (state: SessionState): TurnView | undefined => {
  const id = state.turnIds.at(-1);
  return id === undefined ? undefined : state.turns.get(id);
};

const UNDER_WAY = new Set(['sending', 'waiting', 'receiving']);

/** The server still owes something for this turn. */
export const isUnderWay = (turn: TurnView): boolean => UNDER_WAY.has(turn.state);

/** Every sample of the turn has left the speakers: a turn that was silenced on the way has not been heard whole. */
export const isHeardWhole = (turn: Pick<TurnView, 'heardToMs' | 'chunks'>): boolean =>
  turn.heardToMs !== null && turn.chunks.every((chunk) => chunk.samples === 0 || chunk.heardToMs !== null);

/** The turn is not over for the listener: more is to come, or to be heard. */
export const isLive = (turn: TurnView, player: Pick<PlayerView, 'state'>): boolean =>
  isUnderWay(turn) ||
  (turn.state === 'ended' &&
    turn.samples > 0 &&
    turn.heardToMs === null &&
    turn.silencedMs === null &&
    (turn.held || player.state === 'playing' || player.state === 'buffering'));

/**
 * A cancel on a context, or on all (null), ends a replay and nothing else. Where a turn is live as well, its cancel
 * silences the replay too; a replay of somebody else goes on.
 */
export const isOnlyReplay = (
  { player, source, turns }: Pick<SessionState, 'player' | 'source' | 'turns'>,
  context: string | null,
): boolean =>
  player.replaying &&
  (context === null || trackOf(player, context).turn !== null) &&
  source.state !== 'running' &&
  ![...turns.values()].some((turn) => isLive(turn, player));

/** Turns before these are long over. */
const RECENT_TURNS = 16;

/** Something can be cancelled: a turn is live, anything is heard, or a simulated model writes. */
export const selectBusy = (state: SessionState): boolean =>
  state.player.replaying ||
  // Of a long scene, what is heard may be many lines behind the newest.
  state.player.state === 'playing' ||
  state.player.state === 'buffering' ||
  state.source.state === 'running' ||
  state.turnIds.slice(-RECENT_TURNS).some((id) => {
    const turn = state.turns.get(id);
    return turn !== undefined && isLive(turn, state.player);
  });
