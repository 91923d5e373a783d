import { keepSame } from '#lib/deep-equal.ts';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { ReplayView } from '#session/replay/replay-view.ts';
import { sessionTotals } from '#session/turns/totals.ts';
import {
  type ConnectionView,
  type ContextView,
  NO_SOURCE,
  type PlayerView,
  type Problem,
  reportedTurn,
  type SessionTotals,
  type SessionUpdate,
  type SourceView,
  type TrackView,
  type TurnView,
} from '#session/views.ts';
import { isUnderWay } from '#trace/turn-state.ts';
import { TurnMap } from './turn-map.ts';

/** State of one session from the reports of its worker. Every change of a part changes its identity. */
export interface SessionState {
  /** Endpoint of the next turn, or of the recording. */
  endpoint: EndpointId;
  connection: ConnectionView;
  /** In order of speaking. Changes only when a turn is added. */
  turnIds: readonly number[];
  turns: TurnMap;
  /** Empty for an endpoint with a single context. */
  contexts: readonly ContextView[];
  totals: SessionTotals;
  player: PlayerView;
  source: SourceView;
  problems: readonly Problem[];
  /** The replay, if this session is one; null for a session with a server. */
  replay: ReplayView | null;
}

const SILENT: TrackView = {
  context: '',
  state: 'idle',
  turn: null,
  sample: 0,
  atMs: 0,
  epoch: 0,
  bufferedSeconds: 0,
  peak: 0,
  targetMs: 0,
  targetReason: '',
};

/** Returns the track of a context; a silent one where the context has not spoken. */
export const trackOf = (player: Pick<PlayerView, 'tracks'>, context: string): TrackView =>
  player.tracks.find((track) => track.context === context) ?? SILENT;

/** Returns the newest of the turns that are playing; null while none is. */
export const selectHeard = ({ player }: Pick<SessionState, 'player'>): number | null =>
  player.tracks.reduce<number | null>(
    (newest, { turn }) => (turn === null ? newest : Math.max(turn, newest ?? turn)),
    null,
  );

/** Who hears the session: this page, or another client, which this page follows in silence (`unheard`) or plays too. */
export type Hearing = 'here' | 'unheard' | 'listening';

export function selectHearing({ replay }: Pick<SessionState, 'replay'>): Hearing {
  if (!replay?.followed) return 'here';
  return replay.followed.isListening ? 'listening' : 'unheard';
}

/** Whether another client speaks, which this page follows. */
export const selectIsOfClient = (state: Pick<SessionState, 'replay'>): boolean =>
  selectHearing(state) !== 'here';

/** What is heard of the session is unknown, because another client plays it. */
export const selectIsUnheard = (state: Pick<SessionState, 'replay'>): boolean =>
  selectHearing(state) === 'unheard';

export const emptySession = (endpoint: EndpointId = endpointOf(null).id): SessionState => ({
  endpoint,
  connection: {
    state: 'idle',
    sinceMs: 0,
    handshakeMs: null,
    address: null,
    close: null,
    retry: null,
    open: 0,
    framesSent: 0,
    framesReceived: 0,
    bytesSent: 0,
    bytesReceived: 0,
  },
  turnIds: [],
  turns: TurnMap.EMPTY,
  contexts: [],
  totals: sessionTotals([]),
  player: {
    state: 'detached',
    transport: null,
    sampleRate: 0,
    repeating: false,
    isPaused: false,
    isStill: false,
    tracks: [],
  },
  source: NO_SOURCE,
  problems: [],
  replay: null,
});

/** Returns the newer list with unchanged views of the older one; the older list where all are unchanged. */
function keepContexts(older: readonly ContextView[], newer: readonly ContextView[]): readonly ContextView[] {
  const known = new Map(older.map((context) => [context.id, context]));
  const kept = newer.map((context) => keepSame(context, known.get(context.id)));
  const isUnchanged = kept.length === older.length && kept.every((context, at) => context === older[at]);
  return isUnchanged ? older : kept;
}

/** Returns the state after a report. Turns and contexts without a change keep their identity. */
export function applyUpdate(state: SessionState, update: SessionUpdate): SessionState {
  const { turns = [], marks: _marks, envelopes: _envelopes, wantedSampleRate: _rate, ...parts } = update;
  const added = turns.flatMap(({ id }) => (state.turns.get(id) ? [] : id));
  return {
    ...state,
    ...parts,
    contexts: parts.contexts ? keepContexts(state.contexts, parts.contexts) : state.contexts,
    turns: state.turns.with(turns.map((report) => reportedTurn(state.turns.get(report.id), report))),
    turnIds: added.length > 0 ? [...state.turnIds, ...added].sort((a, b) => a - b) : state.turnIds,
  };
}

export const selectNewest = (state: SessionState): TurnView | undefined => {
  const id = state.turnIds.at(-1);
  return id === undefined ? undefined : state.turns.get(id);
};

/** Returns the newest turn; of a script its first line, because the listener waits for that. */
export function selectNewestStart({ turnIds, turns }: SessionState): TurnView | undefined {
  const turnAt = (at: number): TurnView | undefined => turns.get(turnIds[at] ?? -1);
  let at = turnIds.length - 1;
  for (; at > 0; at -= 1) {
    const line = turnAt(at)?.line ?? null;
    const before = turnAt(at - 1)?.line ?? null;
    if (line === null || before === null || before >= line) break;
  }
  return turnAt(at);
}

/** Whether every sample of the turn has left the speakers. False for a turn that was silenced. */
export const isHeardWhole = (turn: Pick<TurnView, 'heardToMs' | 'chunks'>): boolean =>
  turn.heardToMs !== null && turn.chunks.every((chunk) => chunk.samples === 0 || chunk.heardToMs !== null);

/** Whether a part of the turn is still to be generated or heard. */
export const isPending = (turn: TurnView): boolean =>
  isUnderWay(turn) ||
  (turn.state === 'ended' && turn.samples > 0 && turn.heardToMs === null && turn.silencedMs === null);

const isSounding = ({ state }: Pick<PlayerView, 'state'>): boolean =>
  state === 'playing' || state === 'buffering';

/** Whether the server still sends the turn or the player still plays it. */
export const isLive = (turn: TurnView, player: Pick<PlayerView, 'state'>): boolean =>
  isUnderWay(turn) || (isPending(turn) && (turn.held || isSounding(player)));

/**
 * Whether a cancel on a context, or on all (null), ends the repeat of a turn and nothing else. The cancel of a live
 * turn silences the repeat too. A repeat on another context continues.
 */
export const isOnlyRepeat = (
  { player, source, turns }: Pick<SessionState, 'player' | 'source' | 'turns'>,
  context: string | null,
): boolean =>
  player.repeating &&
  (context === null || trackOf(player, context).turn !== null) &&
  source.state !== 'running' &&
  ![...turns.values()].some((turn) => isLive(turn, player));

/** Live turns are searched among this many of the newest, because all older ones are over. */
const RECENT_TURNS = 16;

/** Returns the next turn to be heard: the oldest live one, else the newest turn. */
export function selectNext({ turnIds, turns, player }: SessionState): number | null {
  let next = turnIds.length - 1;
  for (let at = next; at >= 0 && at > next - RECENT_TURNS; at -= 1) {
    const turn = turns.get(turnIds[at] ?? -1);
    if (turn && isLive(turn, player)) next = at;
  }
  return turnIds[next] ?? null;
}

/** Whether a cancel has an effect: a turn is live, audio plays, or a simulated model writes. Never for an unheard client. */
export const selectBusy = (state: SessionState): boolean => !selectIsUnheard(state) && isBusy(state);

const isBusy = (state: SessionState): boolean =>
  state.player.repeating ||
  // In a long scene, the turn that plays may be many lines behind the newest.
  isSounding(state.player) ||
  state.source.state === 'running' ||
  state.turnIds.slice(-RECENT_TURNS).some((id) => {
    const turn = state.turns.get(id);
    return turn !== undefined && isLive(turn, state.player);
  });
