/** Height of a turn before any was measured, with the gap before the next. */
const TURN_PX = 96;

/** Turns to render, by place in the list. The end is exclusive. */
export interface TurnWindow {
  first: number;
  end: number;
}

/** Returns two windows in order, as one where they touch. */
export function joined(one: TurnWindow, other: TurnWindow): TurnWindow[] {
  const [a, b] = one.first <= other.first ? [one, other] : [other, one];
  return b.first <= a.end ? [{ first: a.first, end: Math.max(a.end, b.end) }] : [a, b];
}

/** Heights of the turns of a session, as far as they were rendered. */
export class TurnHeights {
  readonly #px = new Map<number, number>();
  #sumPx = 0;

  /** @param heightPx with the gap before the next turn */
  measured(id: number, heightPx: number): void {
    this.#sumPx += heightPx - (this.#px.get(id) ?? 0);
    this.#px.set(id, heightPx);
  }

  /** Returns the height of a turn; the average for a turn that was never rendered. */
  of(id: number): number {
    return this.#px.get(id) ?? (this.#px.size > 0 ? this.#sumPx / this.#px.size : TURN_PX);
  }

  /** Returns the distance of a turn from the first one. */
  topOf(ids: readonly number[], at: number): number {
    let topPx = 0;
    for (let place = 0; place < at; place += 1) topPx += this.of(ids[place] ?? 0);
    return topPx;
  }

  /** Returns the turns that touch a range, at least one. */
  between(ids: readonly number[], fromPx: number, toPx: number): TurnWindow {
    const window = { first: Math.max(0, ids.length - 1), end: ids.length };
    let topPx = 0;
    let isInside = false;
    for (const [at, id] of ids.entries()) {
      const bottomPx = topPx + this.of(id);
      if (!isInside && (bottomPx > fromPx || at === ids.length - 1)) {
        isInside = true;
        window.first = at;
      } else if (isInside && topPx > toPx) {
        window.end = at;
        break;
      }
      topPx = bottomPx;
    }
    return window;
  }
}
