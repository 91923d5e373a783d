import { counted, seconds } from '../format.ts';
import type { LaneStore } from './lane-store.ts';
import { EVENT_KINDS, type EventKind } from './lanes.ts';
import type { TimelineSpeaker } from './rows.ts';
import { type TurnLanes, unheardSeconds } from './turn-lanes.ts';

export interface TableRow {
  key: string;
  speaker: string;
  hue: number;
  what: string;
  fromMs: number;
  /** null: one moment, or not over. */
  toMs: number | null;
  detail: string;
}

const EVENTS: Readonly<Record<EventKind, string>> = {
  cancel: 'cancel',
  keepAlive: 'keep-alive',
  opened: 'opened',
  closeSent: 'close sent',
  closed: 'closed',
  refused: 'refused',
  error: 'error',
};

const finite = (ms: number): number | null => (Number.isFinite(ms) ? ms : null);

/** The newest `most` facts of all lanes, in the order of time. */
export function tableRows(
  speakers: readonly TimelineSpeaker[],
  lanes: TurnLanes,
  marks: LaneStore,
  most: number,
): { rows: TableRow[]; hasMore: boolean } {
  const rows: TableRow[] = [];
  for (const { id, name, hue } of speakers) {
    const add = (key: string, what: string, fromMs: number, toMs: number | null, detail: string) =>
      rows.push({ key: `${id} ${key}`, speaker: name, hue, what, fromMs, toMs, detail });
    const lane = lanes.lane(id);
    for (const turn of lane.turns.slice(-most)) {
      if (turn.firstTextMs !== null) {
        const detail = `${counted(turn.textFrames, 'frame')}, ${counted(turn.text.length, 'character')}`;
        add(`${turn.id} text`, 'text sent', turn.firstTextMs, turn.flushedMs, detail);
      }
      const lost = unheardSeconds(turn);
      if (lost > 0 && turn.endedMs !== null) {
        add(
          `${turn.id} lost`,
          'never heard',
          turn.heardToMs ?? turn.silencedMs ?? turn.endedMs,
          null,
          `${seconds(lost)} received`,
        );
      }
    }
    for (const { fromMs, toMs, turn, chunk } of lane.made.slice(-most)) {
      const detail = `${chunk.text ?? ''} (${counted(chunk.audioFrames, 'audio frame')})`;
      add(`${turn.id} ${chunk.id} made`, `chunk ${chunk.id}`, fromMs, finite(toMs), detail.trim());
    }
    for (const { fromMs, toMs, turn, chunk } of lane.heard.slice(-most)) {
      add(`${turn.id} ${chunk.id} heard`, 'heard', fromMs, finite(toMs), chunk.text ?? '');
    }
    for (const { fromMs, toMs, turn } of lane.underruns.slice(-most)) {
      add(`${turn.id} dry ${fromMs}`, 'underrun', fromMs, finite(toMs), 'silence within the turn');
    }
    for (const kind of EVENT_KINDS) {
      // A barge-in that ends several turns of a speaker is one event.
      const counts = new Map<number, number>();
      for (const { atMs } of marks.latest(id, kind, most)) counts.set(atMs, (counts.get(atMs) ?? 0) + 1);
      for (const [atMs, together] of counts) {
        const detail = kind === 'cancel' && together > 1 ? counted(together, 'turn') : '';
        add(`${kind} ${atMs}`, EVENTS[kind], atMs, null, detail);
      }
    }
  }
  rows.sort((a, b) => a.fromMs - b.fromMs);
  return { rows: rows.slice(-most), hasMore: rows.length > most };
}
