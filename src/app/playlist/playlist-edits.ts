import {
  type ItemContent,
  MAX_PLAYLIST_ITEMS,
  type Playlist,
  type PlaylistContent,
  type PlaylistItem,
} from './playlist.ts';

/** Edits of a playlist. Each returns a new one, or the same one where nothing changes. */

const nextId = (items: readonly PlaylistItem[]): number =>
  items.reduce((highest, { id }) => Math.max(highest, id), 0) + 1;

/** Adds items at the end. Those beyond the limit are left out; `roomFor` says it before. */
export function withItems(playlist: Playlist, added: readonly ItemContent[]): Playlist {
  const first = nextId(playlist.items);
  const items = [...playlist.items, ...added.map((content, at) => ({ ...content, id: first + at }))];
  return added.length === 0 ? playlist : { ...playlist, items: items.slice(0, MAX_PLAYLIST_ITEMS) };
}

/** Returns why that many more items are refused; null if they fit. */
export const roomFor = ({ items }: PlaylistContent, more: number): string | null =>
  items.length + more <= MAX_PLAYLIST_ITEMS
    ? null
    : `A playlist has at most ${MAX_PLAYLIST_ITEMS} items, and this would make ${items.length + more}.`;

export function withItemRemoved(playlist: Playlist, id: number): Playlist {
  const items = playlist.items.filter((item) => item.id !== id);
  return items.length === playlist.items.length ? playlist : { ...playlist, items };
}

/** Moves an item by that many places, not beyond the ends. */
export function withItemMoved(playlist: Playlist, id: number, by: number): Playlist {
  const from = playlist.items.findIndex((item) => item.id === id);
  const to = Math.min(playlist.items.length - 1, Math.max(0, from + by));
  const moved = playlist.items[from];
  if (!moved || from === to) return playlist;
  const items = playlist.items.filter((item) => item !== moved);
  items.splice(to, 0, moved);
  return { ...playlist, items };
}

export const withItemChanged = (playlist: Playlist, id: number, change: Partial<ItemContent>): Playlist => ({
  ...playlist,
  items: playlist.items.map((item) => (item.id === id ? { ...item, ...change } : item)),
});
