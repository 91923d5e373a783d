import type { Listening } from '#recordings/format/user-actions.ts';
import type { EnvelopeStore } from '../../../session-client/timeline/envelope-store.ts';
import type { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import type { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import type { Block } from '../geometry/lane-shape.ts';
import { drawLane, expectedSound, type LaneInput } from '../geometry/lanes.ts';
import type { Brushes, Canvas } from './brushes.ts';
import { paintAxis } from './paint-axis.ts';
import { paintBlock } from './paint-lanes.ts';
import {
  type Overlay,
  paintConnection,
  paintGrid,
  paintHead,
  paintOverlay,
  paintUnderlay,
} from './paint-overlay.ts';

/** Everything that one picture of the timeline is made of. */
export interface Scene {
  lanes: TurnLanes;
  marks: LaneStore;
  envelopes: EnvelopeStore;
  scale: TimeScale;
  blocks: readonly Block[];
  /** Of all blocks, and the part of it that is in view. */
  heightPx: number;
  viewTop: number;
  viewHeight: number;
  /** Zero of the wall clock as it is labelled. */
  originMs: number;
  nowMs: number;
  /** Where what is heard now stands; null while nothing is heard. */
  headMs: number | null;
  /** The same on the audio clock of its turn. */
  headAudioMs: number | null;
  listening: Listening;
  pauseMs: number;
  overlay: Overlay;
}

/** One picture, at a cost of what is in view: pixels and lanes, never the length of the session. */
export function paintTimeline(onAxis: Canvas, onField: Canvas, scene: Scene, brushes: Brushes): void {
  const { lanes, marks, envelopes, scale, blocks, heightPx, originMs, nowMs, headMs, overlay } = scene;
  paintAxis(onAxis, { ...scene, cursorMs: overlay.cursorMs }, brushes);
  paintGrid(onField, scale, originMs, heightPx, brushes);
  paintUnderlay(onField, scale, overlay, heightPx, brushes);
  const input: LaneInput = scene;
  const expected = expectedSound(lanes.pending, nowMs, scene.listening, scene.pauseMs);
  const tools = { scale, envelopes, brushes };
  for (const block of blocks) {
    const isInView =
      block.top + block.shape.height > scene.viewTop && block.top < scene.viewTop + scene.viewHeight;
    if (!isInView) continue;
    const buffer = { context: block.id, lane: lanes.lane(block.id), marks, scale, nowMs };
    paintBlock(onField, block, drawLane(block.id, input, expected), buffer, tools);
  }
  paintConnection(onField, scale, marks, heightPx, brushes);
  paintOverlay(onField, scale, overlay, blocks, heightPx, brushes);
  if (headMs !== null) paintHead(onField, scale, headMs, heightPx, brushes);
}
