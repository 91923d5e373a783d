/** Rows that share one element. The browser lays out and paints a changed element without its neighbours. */
export const GROUP_ROWS = 8;

/** A group of rows, by number from the top of the list, and the element that shows it, by React's key. */
export interface Slot {
  readonly key: number;
  readonly group: number;
}

/** Returns the first group to show and the number of groups, which depends on the view only and not on the scroll. */
export function groupsFrom(
  firstRow: number,
  rowsShown: number,
  totalRows: number,
): { first: number; count: number } {
  const count = Math.ceil(rowsShown / GROUP_ROWS) + 1;
  const latest = Math.max(0, Math.ceil(totalRows / GROUP_ROWS) - count);
  return { first: Math.min(Math.floor(firstRow / GROUP_ROWS), latest), count };
}

/** Returns the slots after a scroll. A new group reuses an element, because new text costs less than that. */
export function advance(slots: readonly Slot[], first: number, count: number): readonly Slot[] {
  if (slots.length !== count) return Array.from({ length: count }, (_, key) => ({ key, group: first + key }));
  const isShown = (group: number) => group >= first && group < first + count;
  const staying = new Set(slots.map(({ group }) => group).filter(isShown));
  if (staying.size === count) return slots;
  let next = first;
  return slots.map((slot) => {
    if (isShown(slot.group)) return slot;
    while (staying.has(next)) next += 1;
    next += 1;
    return { key: slot.key, group: next - 1 };
  });
}

/** Returns the slots in the order of the rows, for screen readers. Elements move, so the scroll must be at rest. */
export function inOrder(slots: readonly Slot[]): readonly Slot[] {
  const isInOrder = slots.every(({ group }, at) => at === 0 || group > (slots[at - 1]?.group ?? 0));
  return isInOrder ? slots : slots.toSorted((a, b) => a.group - b.group);
}
