import {
  type ItemContent,
  MAX_PROGRAMME_ITEMS,
  type Programme,
  type ProgrammeContent,
  type ProgrammeItem,
} from './programme.ts';

/** Edits of a programme. Each returns a new one, or the same one where nothing changes. */

const nextId = (items: readonly ProgrammeItem[]): number =>
  items.reduce((highest, { id }) => Math.max(highest, id), 0) + 1;

/** Adds items at the end. Those beyond the limit are left out; `roomFor` says it before. */
export function withItems(programme: Programme, added: readonly ItemContent[]): Programme {
  const first = nextId(programme.items);
  const items = [...programme.items, ...added.map((content, at) => ({ ...content, id: first + at }))];
  return added.length === 0 ? programme : { ...programme, items: items.slice(0, MAX_PROGRAMME_ITEMS) };
}

/** Returns why that many more items are refused; null if they fit. */
export const roomFor = ({ items }: ProgrammeContent, more: number): string | null =>
  items.length + more <= MAX_PROGRAMME_ITEMS
    ? null
    : `A programme has at most ${MAX_PROGRAMME_ITEMS} items, and this would make ${items.length + more}.`;

export function withItemRemoved(programme: Programme, id: number): Programme {
  const items = programme.items.filter((item) => item.id !== id);
  return items.length === programme.items.length ? programme : { ...programme, items };
}

/** Moves an item by that many places, not beyond the ends. */
export function withItemMoved(programme: Programme, id: number, by: number): Programme {
  const from = programme.items.findIndex((item) => item.id === id);
  const to = Math.min(programme.items.length - 1, Math.max(0, from + by));
  const moved = programme.items[from];
  if (!moved || from === to) return programme;
  const items = programme.items.filter((item) => item !== moved);
  items.splice(to, 0, moved);
  return { ...programme, items };
}

export const withItemChanged = (
  programme: Programme,
  id: number,
  change: Partial<ItemContent>,
): Programme => ({
  ...programme,
  items: programme.items.map((item) => (item.id === id ? { ...item, ...change } : item)),
});
