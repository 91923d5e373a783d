import type { TimelineData } from '../marks.ts';
import { type Hit, SPANS } from '../spans.ts';
import type { DisplayList, MarkLayer } from './display-list.ts';
import { stripAt } from './lane-shape.ts';

const MARK_REACH_PX = 6;

/** Returns the topmost item at a point in px, or null. Events come before spans, which are larger; ticks last. */
export function itemAt(
  { view, lanes, connection }: DisplayList,
  x: number,
  y: number,
  problems: TimelineData['problems'],
): Hit | null {
  const { blocks, scale, marks } = view;
  const at = stripAt(blocks, y);
  const lane = lanes.find(({ block }) => block.id === at?.block.id);
  if (!at || !lane) return null;
  const { strip } = at;
  const { id, isOpen } = lane.block;
  const { msPerPx } = scale;
  const ms = scale.toMs(x);
  const data = { lanes: view.lanes, marks, problems };

  const markAt = (context: string | null, layers: readonly MarkLayer[]): Hit | null => {
    const layer = layers.findLast(({ columns }) =>
      columns.some(({ atMs }) => Math.abs(scale.toPx(atMs) - x) <= MARK_REACH_PX),
    );
    const mark = layer && marks.nearest(context, layer.kind, ms, MARK_REACH_PX * msPerPx);
    if (!mark) return null;
    const { words = '' } = layer;
    const { frame, turn } = mark;
    return {
      words: typeof words === 'string' ? words : words(mark, data),
      selects: frame === undefined ? null : { kind: 'frame', frame, turn, chunk: null },
      plays: null,
    };
  };
  const ofLane = (isIn: (layer: MarkLayer) => boolean) => markAt(id, lane.marks.filter(isIn));
  const spans = SPANS.map((row) => row.at?.({ lane, strip, ms, msPerPx, data }) ?? null);
  // In a folded block, signs are hit at every height, and ticks of text overlap chunks.
  const tickStrip = !isOpen && strip === 'chunks' ? 'text' : strip;
  return (
    ofLane((layer) => !layer.isBehind && (!isOpen || layer.strip === strip)) ??
    markAt(null, connection) ??
    spans.findLast((hit) => hit !== null) ??
    ofLane((layer) => layer.isBehind === true && layer.strip === tickStrip)
  );
}
