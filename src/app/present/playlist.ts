import type { Endpoint, EndpointId, Settings } from '#protocol/core/endpoint.ts';
import { describeIssue } from '#protocol/core/issue.ts';
import type { Setting } from '#protocol/core/settings.ts';
import { z } from '#protocol/core/zod.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { contextIdOf, MAX_NAME_LENGTH, parseScript } from '#text/script.ts';
import { isSecretName } from '#trace/secrets/named-secrets.ts';
import { MAX_CAST, SCRIPT_CHARS, speakerProblem } from '../stores/scene-store.ts';

/** Limits of a playlist. They equal those of its stored state, so that a reload loses nothing. */
const MAX_PLAYLIST_ITEMS = 60;
export const MAX_TITLE_CHARS = 80;
export const MAX_PAUSE_BETWEEN_MS = 60_000;
const MAX_ID_CHARS = 100;

const settings = z.record(z.string().check(z.maxLength(100)), z.unknown());

const castEntry = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(MAX_NAME_LENGTH)),
  /** -1 is left, 0 the centre, 1 right. */
  position: z._default(z.number().check(z.gte(-1), z.lte(1)), 0),
  settings,
});

const item = z.strictObject({
  title: z.string().check(z.maxLength(MAX_TITLE_CHARS)),
  endpoint: z.enum(PAGE_ENDPOINTS.map(({ id }) => id) as [EndpointId, ...EndpointId[]]),
  /** The id of a recording of this browser, which is replayed instead of speaking a text. */
  recording: z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_ID_CHARS))),
  /** On an endpoint with contexts, a script. Empty for a recording. */
  text: z.string().check(z.maxLength(SCRIPT_CHARS)),
  settings,
  /** Empty for an endpoint with a single context. */
  cast: z._default(z.array(castEntry).check(z.maxLength(MAX_CAST)), []),
});

/** How a playlist is run. */
const rules = {
  name: z.string().check(z.minLength(1), z.maxLength(MAX_TITLE_CHARS)),
  /** Each item follows the one before by itself; otherwise on a key. */
  auto: z.boolean(),
  pauseMs: z.int().check(z.gte(0), z.lte(MAX_PAUSE_BETWEEN_MS)),
  loop: z.boolean(),
};

export const playlistSchema = z.strictObject({
  ...rules,
  items: z.array(item).check(z.maxLength(MAX_PLAYLIST_ITEMS)),
});

/**
 * A text or a scene with endpoint, voice and settings, or a recording. It has no server, so that no file redirects a key.
 */
export type ItemContent = z.output<typeof item>;

export type PlaylistContent = z.output<typeof playlistSchema>;

/** An item with its number, which no other item of the playlist has. */
export const keptPlaylistSchema = z.object({
  id: z.int(),
  ...rules,
  items: z.array(z.extend(item, { id: z.int() })).check(z.maxLength(MAX_PLAYLIST_ITEMS)),
});

export type Playlist = z.output<typeof keptPlaylistSchema>;

export type PlaylistItem = Playlist['items'][number];

/** A fault of an item at a path inside it. */
export interface ItemProblem {
  path: readonly PropertyKey[];
  expected: string;
  found: string;
}

const endpointById = (id: EndpointId): Endpoint | undefined =>
  PAGE_ENDPOINTS.find((known) => known.id === id);

/** Returns the first fault of an item that the schema does not see; null where it can be spoken. */
export function itemProblem({
  endpoint: id,
  text,
  settings,
  cast,
  recording,
}: ItemContent): ItemProblem | null {
  const endpoint = endpointById(id);
  if (!endpoint) return { path: ['endpoint'], expected: 'a known endpoint', found: id };
  if (recording !== undefined) return null;
  const inSettings = settingsProblem(settings, endpoint, endpoint.settings, endpoint.checkSettings);
  if (inSettings) return { ...inSettings, path: ['settings', ...inSettings.path] };
  if (text.trim() === '') return { path: ['text'], expected: 'words to speak', found: 'nothing but space' };
  const { contexts, limits } = endpoint;
  const maxChars = contexts ? SCRIPT_CHARS : limits.textChars;
  if (text.length > maxChars)
    return { path: ['text'], expected: `at most ${maxChars} characters`, found: String(text.length) };
  if (!contexts)
    return cast.length > 0 ? { path: ['cast'], expected: `no cast on ${id}`, found: 'one' } : null;
  for (const [at, member] of cast.entries()) {
    const problem = speakerProblem(cast.slice(0, at), member.name);
    if (problem !== null) return { path: ['cast', at, 'name'], expected: 'a name', found: problem };
    const inMember = settingsProblem(member.settings, endpoint, contexts.settings, contexts.checkSettings);
    if (inMember) return { ...inMember, path: ['cast', at, 'settings', ...inMember.path] };
  }
  const ids = new Set(cast.map(({ name }) => contextIdOf(name)));
  const speaks = parseScript(text).lines.some(
    ({ speaker, problem }) => problem === null && speaker !== null && ids.has(contextIdOf(speaker)),
  );
  return speaks
    ? null
    : { path: ['text'], expected: 'a line of a speaker of the cast', found: 'no such line' };
}

function settingsProblem(
  settings: Settings,
  { reservedFields }: Endpoint,
  described: readonly Setting[],
  check: Endpoint['checkSettings'],
): ItemProblem | null {
  for (const field of Object.keys(settings)) {
    if (isSecretName(field) || reservedFields.includes(field))
      return { path: [field], expected: 'no key in a playlist', found: 'one' };
    if (!described.some((setting) => setting.field === field))
      return { path: [field], expected: 'a setting of the endpoint', found: 'an unknown one' };
  }
  const [issue] = check(settings);
  return issue ? { path: issue.path.split('.'), expected: issue.expected, found: issue.found } : null;
}

/** Returns a fault as a sentence. */
export const itemProblemWords = ({ path, expected, found }: ItemProblem): string =>
  `${describeIssue({ path: path.map(String).join('.'), expected, found })}.`;

const TITLE_CHARS = 48;

/** Returns the first words of a text, for an item without a title of its own. */
export function titleOf(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  if (line.length <= TITLE_CHARS) return line;
  const cut = line.slice(0, TITLE_CHARS);
  const end = cut.lastIndexOf(' ');
  return `${(end > TITLE_CHARS / 2 ? cut.slice(0, end) : cut).replace(/(?<![\s,;:.–-])[\s,;:.–-]+$/u, '')} …`;
}

/** Returns a playlist without the numbers of its items, as files have it. */
export const contentOf = ({ name, auto, pauseMs, loop, items }: Playlist): PlaylistContent => ({
  name,
  auto,
  pauseMs,
  loop,
  items: items.map(({ id: _, ...content }) => content),
});

/** Returns a playlist with a number, and one for each of its items. */
export const numbered = (id: number, { items, ...of }: PlaylistContent): Playlist => ({
  id,
  ...of,
  items: items.map((content, at) => ({ ...content, id: at + 1 })),
});

// Each edit returns a new playlist, or the same one where nothing changes.

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
