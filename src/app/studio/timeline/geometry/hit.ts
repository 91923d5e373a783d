import { playedOf } from '../../../session-client/played.ts';
import type { Selected } from '../../../session-client/selection.ts';
import { wordItem } from '../../../session-client/timeline/turn-lanes.ts';
import {
  type DisplayList,
  type LaneItem,
  type LaneItems,
  type MarkItem,
  type MarkLayer,
  markItem,
  stripOfMark,
  stripsOf,
  type WaveItem,
} from './display-list.ts';
import { type StripName, stripAt } from './lane-shape.ts';

const MARK_REACH_PX = 6;
/** Underruns are hit from this distance before their start, because many are very narrow. */
const UNDERRUN_REACH_PX = 2;

/** Returns the topmost item at a point in px, or null. Events come before spans, which are larger; ticks last. */
export function itemAt(list: DisplayList, x: number, y: number): LaneItem | null {
  const { blocks, scale } = list.view;
  const at = stripAt(blocks, y);
  const lane = list.lanes.find(({ block }) => block.id === at?.block.id);
  if (!at || !lane) return null;
  const { strip } = at;
  const { id, isOpen } = lane.block;
  const isOfStrip = ({ kind }: MarkLayer) => !isOpen || stripOfMark(kind) === strip;
  return (
    markAt(list, id, lane.signs.filter(isOfStrip), x) ??
    markAt(list, null, list.connection, x) ??
    spanAt(lane, strip, scale.toMs(x), scale.msPerPx) ??
    markAt(list, id, ticksOf(lane, strip), x)
  );
}

function ticksOf({ text, audio, block }: LaneItems, strip: StripName): readonly MarkLayer[] {
  if (strip === 'audio') return [audio];
  return strip === 'text' || (strip === 'chunks' && !block.isOpen) ? [text] : [];
}

function markAt(
  { view }: DisplayList,
  context: string | null,
  layers: readonly MarkLayer[],
  x: number,
): MarkItem | null {
  const layer = layers.findLast(({ columns }) =>
    columns.some(({ atMs }) => Math.abs(view.scale.toPx(atMs) - x) <= MARK_REACH_PX),
  );
  const reachMs = MARK_REACH_PX * view.scale.msPerPx;
  const mark = layer && view.marks.nearest(context, layer.kind, view.scale.toMs(x), reachMs);
  return mark ? markItem(mark) : null;
}

/** Searches layers from the top. Underruns and lost audio come before the words that they interrupt. */
function spanAt(lane: LaneItems, strip: StripName, ms: number, msPerPx: number): LaneItem | null {
  const depth: LaneItem = { kind: 'depth', context: lane.block.id, fromMs: -Infinity, toMs: Infinity };
  const { underruns, words, waits, waves, lost, chunks } = lane;
  for (const layer of [underruns, lost, words, waits, waves, chunks, [depth]]) {
    const item = layer.findLast((one: LaneItem) => {
      const reachMs = one.kind === 'underrun' ? UNDERRUN_REACH_PX * msPerPx : 0;
      return stripsOf(one).includes(strip) && one.fromMs - reachMs <= ms && ms <= one.toMs;
    });
    if (item) return item.kind === 'wave' ? (wordOf(item, ms) ?? item) : item;
  }
  return null;
}

/** Returns the word of a wave at a moment, also where words are too narrow to be shown. */
function wordOf({ turn, isHeard }: WaveItem, ms: number): LaneItem | null {
  if (!isHeard) return null;
  for (const chunk of turn.chunks) {
    for (const at of chunk.words?.keys() ?? []) {
      const item = wordItem(turn, chunk, at, ms);
      if (item && item.fromMs <= ms && ms < item.toMs) return item;
    }
  }
  return null;
}

/** Returns the selection by a press on an item; null for an item that cannot be selected. */
export function selectedBy(item: LaneItem): Selected | null {
  switch (item.kind) {
    case 'mark': {
      const { frame, turn } = item.mark;
      return frame === undefined ? null : { kind: 'frame', frame, turn, chunk: null };
    }
    case 'chunk':
      return { kind: 'chunk', turn: item.turn.id, chunk: item.chunk.id };
    case 'word':
      return { kind: 'word', turn: item.turn.id, chunk: item.chunk.id, word: item.word };
    case 'underrun':
      return { kind: 'underrun', turn: item.turn.id, underrun: item.underrun };
    case 'depth':
      return null;
    default:
      return { kind: 'turn', turn: item.turn.id };
  }
}

/** Returns the sample from which a press at a moment plays; a word plays from its start. Null without sound. */
export function playFrom(item: LaneItem, ms: number): { turn: number; sample: number } | null {
  if (item.kind === 'mark' || item.kind === 'depth') return null;
  const { turn } = item;
  const rate = turn.sampleRate ?? 0;
  const from = (sample: number | null) =>
    sample === null ? null : { turn: turn.id, sample: Math.floor(sample) };
  switch (item.kind) {
    case 'word': {
      if (!item.isHeard) return null;
      const startMs = item.chunk.words?.[item.word]?.startMs ?? 0;
      return from(item.chunk.startSample + (startMs / 1000) * rate);
    }
    // The wait includes the leading silence of the audio.
    case 'wait':
      return from(playedOf(turn).sampleAt(ms));
    case 'wave':
      return item.isHeard ? from(playedOf(turn).sampleAt(ms)) : null;
    case 'lost': {
      const lastMs = playedOf(turn).wallMsOf(turn.samples, true) ?? ms;
      const sample = turn.samples - ((lastMs - ms) / 1000) * rate;
      return from(Math.max(0, Math.min(turn.samples - 1, sample)));
    }
    default:
      return null;
  }
}
