import { z } from '#protocol/core/zod.ts';
import { persisted, storageSlot } from '../browser/persisted.ts';
import {
  type ItemContent,
  keptPlaylistSchema,
  MAX_TITLE_CHARS,
  numbered,
  type Playlist,
  type PlaylistContent,
  roomFor,
  withItems,
} from './playlist.ts';
import { SHIPPED } from './shipped.ts';

const MAX_OWN_PLAYLISTS = 30;

/** Number of no playlist: the presenter speaks the text of the studio. */
export const STUDIO_TEXT = 0;

/** The former name, because another one would lose the playlists that browsers hold. */
const STORAGE_NAME = 'voicewire.programmes';

const keptPlaylists = z.object({
  /** A damaged playlist is left out, and the others stay. */
  own: z.catch(
    z.pipe(
      z.array(z.catch(z.nullable(keptPlaylistSchema), null)),
      z.transform((read) => read.filter((playlist) => playlist !== null).slice(0, MAX_OWN_PLAYLISTS)),
    ),
    [],
  ),
  chosen: z.catch(z.int(), STUDIO_TEXT),
  /** A voice that is chosen in the presenter cuts off the one that speaks. */
  switchesAtOnce: z.catch(z.boolean(), true),
});

type Kept = z.output<typeof keptPlaylists>;

const anyPlaylists = z.object({ state: z.object({ own: z.array(z.unknown()) }) });

const countDamaged = (): number =>
  (storageSlot(STORAGE_NAME, anyPlaylists).load()?.state.own ?? []).filter(
    (one) => !keptPlaylistSchema.safeParse(one).success,
  ).length;

interface Damage {
  /** Stored playlists that could not be read; 0 once the person has dismissed the notice. */
  damaged: number;
}

/** The playlists of this browser. */
export const usePlaylists = persisted<typeof keptPlaylists, Damage>(STORAGE_NAME, keptPlaylists, () => ({
  damaged: countDamaged(),
}));

/** Returns all playlists, a person's own first. */
export const allPlaylists = ({ own }: Pick<Kept, 'own'>): readonly Playlist[] => [...own, ...SHIPPED];

/** Returns the playlist of the presenter; null for the text of the studio. */
export const selectPlaylist = (state: Pick<Kept, 'own' | 'chosen'>): Playlist | null =>
  state.own.find(({ id }) => id === state.chosen) ?? SHIPPED.find(({ id }) => id === state.chosen) ?? null;

export const isShipped = ({ id }: Pick<Playlist, 'id'>): boolean => id < 0;

export const choosePlaylist = (chosen: number): void => usePlaylists.setState({ chosen });

const nextId = (own: readonly Playlist[]): number =>
  own.reduce((highest, { id }) => Math.max(highest, id), 0) + 1;

/** Returns a name that no other playlist of the person has. */
function freeName(own: readonly Playlist[], wanted: string): string {
  const taken = new Set(own.map(({ name }) => name));
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1)
    name = `${wanted.slice(0, MAX_TITLE_CHARS - String(number).length - 1)} ${number}`;
  return name;
}

/** Returns why no further playlist can be kept; null if one can. */
const playlistRoom = ({ own }: Pick<Kept, 'own'>): string | null =>
  own.length < MAX_OWN_PLAYLISTS
    ? null
    : `This browser keeps ${MAX_OWN_PLAYLISTS} playlists. Delete one to make room for another.`;

/** Adds a playlist and chooses it. Returns why it is refused, or null. */
export function addPlaylist(content: PlaylistContent): string | null {
  const state = usePlaylists.getState();
  const refusal = playlistRoom(state);
  if (refusal !== null) return refusal;
  const playlist = numbered(nextId(state.own), { ...content, name: freeName(state.own, content.name) });
  usePlaylists.setState({ own: [...state.own, playlist], chosen: playlist.id });
  return null;
}

export const EMPTY_PLAYLIST: PlaylistContent = {
  name: 'My demo',
  auto: true,
  pauseMs: 1000,
  loop: true,
  items: [],
};

/** Changes the playlist of the presenter. A shipped one is copied first. Returns why not, or null. */
export function editPlaylist(change: (of: Playlist) => Playlist): string | null {
  const state = usePlaylists.getState();
  const before = selectPlaylist(state);
  if (!before) return 'There is no playlist to change.';
  const after = change(before);
  if (after === before) return null;
  if (!isShipped(before)) {
    usePlaylists.setState({ own: state.own.map((one) => (one === before ? after : one)) });
    return null;
  }
  const refusal = playlistRoom(state);
  if (refusal !== null) return refusal;
  const id = nextId(state.own);
  // The items keep their numbers, so that a run of the playlist goes on.
  usePlaylists.setState({
    own: [...state.own, { ...after, id, name: freeName(state.own, after.name) }],
    chosen: id,
  });
  return null;
}

export function deletePlaylist(id: number): void {
  const { own, chosen } = usePlaylists.getState();
  usePlaylists.setState({
    own: own.filter((playlist) => playlist.id !== id),
    ...(chosen === id ? { chosen: STUDIO_TEXT } : {}),
  });
}

/**
 * Adds items to the person's playlist: the chosen one, else the newest, else a new one. Chooses it.
 * Returns why they are refused, or null.
 */
export function addItems(items: readonly ItemContent[]): string | null {
  const state = usePlaylists.getState();
  const target = state.own.find(({ id }) => id === state.chosen) ?? state.own.at(-1);
  const refusal = roomFor(target ?? EMPTY_PLAYLIST, items.length);
  if (refusal !== null) return refusal;
  if (!target) return addPlaylist({ ...EMPTY_PLAYLIST, items: [...items] });
  usePlaylists.setState({
    own: state.own.map((one) => (one === target ? withItems(target, items) : one)),
    chosen: target.id,
  });
  return null;
}
