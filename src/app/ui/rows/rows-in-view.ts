/** Rows beyond the view on either side, so that scrolling shows no holes. */
const OVERSCAN = 16;
/** The range moves in steps, so that most scrolls render nothing. */
const STEP = 8;

export interface RowRange {
  first: number;
  /** Exclusive. */
  end: number;
}

/**
 * Returns the rows to render of a list of rows of one height.
 * @param topPx top of the view, from the top of the first row
 */
export function rowsInView(topPx: number, viewPx: number, rowPx: number, count: number): RowRange {
  const first = Math.floor((topPx / rowPx - OVERSCAN) / STEP) * STEP;
  const end = Math.ceil(((topPx + viewPx) / rowPx + OVERSCAN) / STEP) * STEP;
  return {
    first: Math.min(Math.max(0, first), Math.max(0, count - STEP)),
    end: Math.min(Math.max(STEP, end), count),
  };
}
