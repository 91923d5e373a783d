/** Browsers limit an element's height: Firefox to about 17.8 million px, Chromium to 33.5. */
export const MAX_CONTENT_PX = 15_000_000;

/** Rows that share one element. The browser lays out and paints a changed element without its neighbours. */
export const GROUP_ROWS = 8;

/** A scroll over more views at once is a drag of the scroll bar. */
const JUMP_VIEWS = 2;

/**
 * Scroll position of a list of rows of one height. The scrolled element is at most {@link MAX_CONTENT_PX} high. A higher
 * list scrolls by the pixel for small scrolls, and by proportion while the bar is dragged.
 */
export class ScrollScale {
  readonly rowPx: number;
  readonly #maxContentPx: number;
  #rows = 0;
  #viewPx = 0;
  #scrollTop = 0;
  #topPx = 0;

  constructor(rowPx: number, maxContentPx = MAX_CONTENT_PX) {
    this.rowPx = rowPx;
    this.#maxContentPx = maxContentPx;
  }

  get contentPx(): number {
    return Math.min(this.#rows * this.rowPx, this.#maxContentPx);
  }

  get topPx(): number {
    return this.#topPx;
  }

  get maxTopPx(): number {
    return Math.max(0, this.#rows * this.rowPx - this.#viewPx);
  }

  get isAtEnd(): boolean {
    return this.#topPx >= this.maxTopPx - this.rowPx / 2;
  }

  get rowsInView(): number {
    return Math.max(1, Math.floor(this.#viewPx / this.rowPx));
  }

  /** Returns the groups of the rows in view, with `over` more rows on either side; as many for any scroll. */
  groups(over: number): { first: number; count: number } {
    const rows = Math.ceil(this.#viewPx / this.rowPx) + 1 + 2 * over;
    const count = Math.ceil(rows / GROUP_ROWS) + 1;
    const firstRow = Math.max(0, Math.floor(this.#topPx / this.rowPx) - over);
    const latest = Math.max(0, Math.ceil(this.#rows / GROUP_ROWS) - count);
    return { first: Math.min(Math.floor(firstRow / GROUP_ROWS), latest), count };
  }

  /** Position of a row within the scrolled element, in px from its top. */
  placeOf(row: number): number {
    return row * this.rowPx - this.#topPx + this.#scrollTop;
  }

  /** Sets the size of list and view, and keeps the rows in view where possible. */
  resize(rows: number, viewPx: number): void {
    this.#rows = rows;
    this.#viewPx = viewPx;
    this.#topPx = clamp(this.#topPx, this.maxTopPx);
  }

  scrolled(scrollTop: number): void {
    const byPx = scrollTop - this.#scrollTop;
    // Browsers round the scroll position that is set.
    if (Math.abs(byPx) < 1) return;
    this.#scrollTop = scrollTop;
    if (!this.#isScaled) this.#topPx = scrollTop;
    else if (scrollTop <= 0) this.#topPx = 0;
    else if (scrollTop >= this.#maxScroll) this.#topPx = this.maxTopPx;
    else if (Math.abs(byPx) > JUMP_VIEWS * this.#viewPx) {
      this.#topPx = (scrollTop / this.#maxScroll) * this.maxTopPx;
    } else this.#topPx += byPx;
    this.#topPx = clamp(this.#topPx, this.maxTopPx);
  }

  /** @returns the scroll position to set */
  moveTo(topPx: number): number {
    this.#topPx = clamp(topPx, this.maxTopPx);
    return this.settle();
  }

  /** Scrolls as little as shows the whole row. @returns the scroll position to set */
  reveal(row: number): number {
    const top = row * this.rowPx;
    if (top < this.#topPx) return this.moveTo(top);
    const below = top + this.rowPx - this.#viewPx;
    return this.moveTo(Math.max(this.#topPx, below));
  }

  /** Corrects the bar, which drifts by small scrolls. Invisible at rest. @returns the scroll position to set */
  settle(): number {
    const { maxTopPx } = this;
    this.#scrollTop = this.#isScaled
      ? Math.round((this.#topPx / Math.max(1, maxTopPx)) * this.#maxScroll)
      : this.#topPx;
    return this.#scrollTop;
  }

  get #isScaled(): boolean {
    return this.#rows * this.rowPx > this.#maxContentPx;
  }

  get #maxScroll(): number {
    return Math.max(0, this.contentPx - this.#viewPx);
  }
}

const clamp = (value: number, max: number): number => Math.min(Math.max(0, value), max);

/**
 * Returns the groups in the order of their elements. Each element keeps its group while that is shown, and then gets
 * another one, because new text costs less than a new element. Element `group % count` shows the group.
 * @param top group whose element is the first one; where it is `first`, elements are in the order of the rows
 */
export const groupsByElement = (first: number, count: number, top: number): number[] =>
  Array.from({ length: count }, (_, at) => first + ((((top - first + at) % count) + count) % count));
