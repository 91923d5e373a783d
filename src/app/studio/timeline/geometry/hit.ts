import type { Problem } from '#session/views.ts';
import { MARKS, type MarkRow } from '../marks.ts';
import { type Hit, SPANS } from '../spans.ts';
import type { DisplayList } from './display-list.ts';
import { stripAt } from './lane-shape.ts';

const MARK_REACH_PX = 6;

/** Returns the topmost item at a point in px, or null. Events come before spans, which are larger; ticks last. */
export function itemAt(
  { view, lanes }: DisplayList,
  x: number,
  y: number,
  problems: readonly Problem[],
): Hit | null {
  const { blocks, scale, marks } = view;
  const at = stripAt(blocks, y);
  const lane = lanes.find(({ block }) => block.id === at?.block.id);
  if (!at || !lane) return null;
  const { strip } = at;
  const { id, isOnly } = lane.block;
  const { msPerPx } = scale;
  const ms = scale.toMs(x);
  const data = { lanes: view.lanes, marks, problems };

  const markAt = (context: string | null, isHere: (row: MarkRow) => boolean | undefined): Hit | null =>
    topmost(MARKS.filter(isHere), ({ kind, words = '' }) => {
      const mark = marks.nearest(context, kind, ms, MARK_REACH_PX * msPerPx);
      if (!mark) return null;
      const { frame, turn } = mark;
      return {
        words: typeof words === 'string' ? words : words(mark, data),
        selects: frame === undefined ? null : { kind: 'frame', frame, turn, chunk: null },
        plays: null,
      };
    });
  // In the lane of a speaker, signs are hit at every height, and ticks of text overlap chunks.
  const isSignHere = (own: MarkRow['strip']) => own !== undefined && (!isOnly || own === strip);
  const tickStrip = !isOnly && strip === 'chunks' ? 'text' : strip;
  return (
    markAt(id, ({ isBehind, strip: own }) => !isBehind && isSignHere(own)) ??
    markAt(null, ({ isOfConnection }) => isOfConnection) ??
    topmost(SPANS, (row) => row.at?.({ lane, strip, ms, msPerPx, data }) ?? null) ??
    markAt(id, ({ isBehind, strip: own }) => isBehind && own === tickStrip)
  );
}

/** Returns the hit of the last row that has one, because later rows are on top. */
function topmost<Row>(rows: readonly Row[], hitOf: (row: Row) => Hit | null): Hit | null {
  for (const row of rows.toReversed()) {
    const hit = hitOf(row);
    if (hit) return hit;
  }
  return null;
}
