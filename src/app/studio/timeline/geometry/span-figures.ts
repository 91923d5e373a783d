import { playedOf } from '../../../session-client/played.ts';
import type { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { spansIn, type TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';

/** What happened between two moments, over all contexts. Times in ms. */
export interface SpanFigures {
  durationMs: number;
  textFrames: number;
  characters: number;
  audioFrames: number;
  /** Of the audio frames. */
  receivedMs: number;
  /** On the audio clock; of speakers who are heard together, each counts. */
  heardMs: number;
  /** Time in which the server was making a chunk, of each context. */
  generationMs: number;
  underruns: number;
}

const EVERY_SPAN = 0;

/** Costs what lies in the span. */
export function spanFigures(
  fromMs: number,
  toMs: number,
  lanes: TurnLanes,
  marks: LaneStore,
  nowMs: number,
): SpanFigures {
  const figures: SpanFigures = {
    durationMs: toMs - fromMs,
    textFrames: 0,
    characters: 0,
    audioFrames: 0,
    receivedMs: 0,
    heardMs: 0,
    generationMs: 0,
    underruns: 0,
  };
  const end = Math.min(toMs, nowMs);
  for (const context of marks.lanes) {
    const text = marks.total(context, 'text', fromMs, toMs);
    const audio = marks.total(context, 'audio', fromMs, toMs);
    figures.textFrames += text.count;
    figures.characters += text.sum;
    figures.audioFrames += audio.count;
    figures.receivedMs += audio.sum;
  }
  for (const id of lanes.ids) {
    const { made, heard, underruns } = lanes.lane(id);
    for (const span of spansIn(made, fromMs, end, EVERY_SPAN)) {
      figures.generationMs += Math.max(0, Math.min(span.toMs, end) - Math.max(span.fromMs, fromMs));
    }
    for (const { turn } of spansIn(heard, fromMs, end, EVERY_SPAN)) {
      figures.heardMs += playedOf(turn).playedMsUntil(end) - playedOf(turn).playedMsUntil(fromMs);
    }
    figures.underruns += spansIn(underruns, fromMs, end, EVERY_SPAN).length;
  }
  return figures;
}
