import { counted, milliseconds, seconds } from '#lib/format.ts';
import type { Problem, TurnView } from '#session/views.ts';
import type { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import {
  audioSecondsOf,
  type TurnLane,
  type TurnLanes,
} from '../../../session-client/timeline/turn-lanes.ts';
import type { TimelineSpeaker } from '../lane-rows.ts';
import { depthAt } from './depth.ts';
import { problemAt } from './hit.ts';
import { EVENT_KINDS, type EventKind } from './lanes.ts';

export interface TableRow {
  key: string;
  speaker: string;
  /** null: it is of the connection, not of a speaker. */
  hue: number | null;
  what: string;
  fromMs: number;
  /** null: one moment, or not over. */
  toMs: number | null;
  detail: string;
}

const EVENTS: Readonly<Record<EventKind | 'connected' | 'disconnected', string>> = {
  cancel: 'cancel',
  keepAlive: 'keep-alive',
  opened: 'opened',
  closeSent: 'close sent',
  closed: 'closed',
  refused: 'refused',
  error: 'error',
  connected: 'connected',
  disconnected: 'disconnected',
};

const OF_CONNECTION = ['connected', 'disconnected', 'error'] as const;

const finite = (ms: number): number | null => (Number.isFinite(ms) ? ms : null);

type Add = (key: string, what: string, fromMs: number, toMs: number | null, detail: string) => void;

/** The newest `most` facts of all lanes, in the order of time. */
export function tableRows(
  speakers: readonly TimelineSpeaker[],
  lanes: TurnLanes,
  marks: LaneStore,
  most: number,
  problems: readonly Problem[],
): { rows: TableRow[]; hasMore: boolean } {
  const rows: TableRow[] = [];
  for (const { id, name, hue } of speakers) {
    const add: Add = (key, what, fromMs, toMs, detail) =>
      rows.push({ key: `${id} ${key}`, speaker: name, hue, what, fromMs, toMs, detail });
    const lane = lanes.lane(id);
    for (const turn of lane.turns.slice(-most)) addTurn(add, turn);
    addLane(add, id, lane, marks, most);
    addEvents(add, id, EVENT_KINDS, marks, most, problems);
  }
  const addShared: Add = (key, what, fromMs, toMs, detail) =>
    rows.push({ key: `connection ${key}`, speaker: 'connection', hue: null, what, fromMs, toMs, detail });
  addEvents(addShared, null, OF_CONNECTION, marks, most, problems);
  rows.sort((a, b) => a.fromMs - b.fromMs);
  return { rows: rows.slice(-most), hasMore: rows.length > most };
}

function addTurn(add: Add, turn: TurnView): void {
  const { id, firstTextMs, flushedMs, textFrames, text, wait } = turn;
  if (firstTextMs === null) return;
  const detail = `${counted(textFrames, 'frame')}, ${counted(text.length, 'character')}`;
  add(`${id} text`, 'text sent', firstTextMs, flushedMs, detail);
  const waitMs = wait?.reduce((sum, { ms }) => sum + ms, 0);
  if (waitMs !== undefined) {
    add(`${id} wait`, 'wait', firstTextMs, firstTextMs + waitMs, 'first text to first audible');
  }
}

function addLane(add: Add, id: string, lane: TurnLane, marks: LaneStore, most: number): void {
  for (const { fromMs, toMs, turn, chunk } of lane.made.slice(-most)) {
    add(`${turn.id} ${chunk.id} made`, `chunk ${chunk.id}`, fromMs, finite(toMs), chunk.text ?? '');
    if (chunk.firstAudioMs === null) continue;
    const length = turn.sampleRate ? chunk.samples / turn.sampleRate : null;
    const came = `${counted(chunk.audioFrames, 'audio frame')} of chunk ${chunk.id}, ${seconds(length)}`;
    add(`${turn.id} ${chunk.id} came`, 'audio received', chunk.firstAudioMs, chunk.lastAudioMs, came);
  }
  for (const { fromMs, toMs, turn } of lane.heard.slice(-most)) {
    const detail = `${seconds(audioSecondsOf(turn))} of audio`;
    add(`${turn.id} heard`, 'heard', fromMs, finite(toMs), detail);
    const depthMs = depthAt(id, lane, marks, fromMs);
    add(`${turn.id} depth`, 'buffer', fromMs, null, `${milliseconds(depthMs)} when hearing began`);
  }
  for (const { fromMs, toMs, turn } of lane.underruns.slice(-most)) {
    add(`${turn.id} dry ${fromMs}`, 'underrun', fromMs, finite(toMs), 'silence within the turn');
  }
  for (const { fromMs, toMs, turn } of lane.lost.slice(-most)) {
    add(`${turn.id} lost`, 'never heard', fromMs, null, `${seconds((toMs - fromMs) / 1000)} received`);
  }
  for (const { atMs, amount } of marks.latest(id, 'floor', most)) {
    add(`floor ${atMs}`, 'start floor', atMs, null, milliseconds(amount));
  }
}

function addEvents(
  add: Add,
  id: string | null,
  kinds: readonly (EventKind | 'connected' | 'disconnected')[],
  marks: LaneStore,
  most: number,
  problems: readonly Problem[],
): void {
  for (const kind of kinds) {
    // A barge-in that ends several turns of a speaker is one event.
    const counts = new Map<number, number>();
    for (const { atMs } of marks.latest(id, kind, most)) counts.set(atMs, (counts.get(atMs) ?? 0) + 1);
    for (const [atMs, together] of counts) {
      const problem = kind === 'error' || kind === 'refused' ? problemAt(problems, atMs) : null;
      const several = kind === 'cancel' && together > 1 ? counted(together, 'turn') : '';
      add(`${kind} ${atMs}`, EVENTS[kind], atMs, null, problem ? problem.title : several);
    }
  }
}
