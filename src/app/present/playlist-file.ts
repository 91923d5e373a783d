import { bytes } from '#lib/format.ts';
import type { JsonLimits } from '#lib/json-limits.ts';
import { isFields } from '#protocol/core/json-frame.ts';
import { z } from '#protocol/core/zod.ts';
import { checked, parseJson, wrongAt } from '#trace/files/json.ts';
import { withoutNamedSecrets } from '#trace/secrets/named-secrets.ts';
import type { Redaction } from '#trace/secrets/redaction.ts';
import { plainFileName } from '../browser/save-file.ts';
import { itemProblem, type PlaylistContent, playlistSchema } from './playlist.ts';

/** A larger file is no playlist, and reading it would block the page. */
const MAX_FILE_BYTES = 2_000_000;
const LIMITS: JsonLimits = { depth: 12, values: 50_000 };
const FILE_VERSION = 1;

/** The first field of a file is its version, under the former name of a playlist, as files of that time exist. */
const VERSION_FIELD = 'voicewire-programme';

const versioned = z.looseObject({ [VERSION_FIELD]: z.literal(FILE_VERSION) });
const fileSchema = z.extend(playlistSchema, { [VERSION_FIELD]: z.literal(FILE_VERSION) });

/** Returns a playlist as the text of a file. @param redaction of all known keys, which a text may contain */
export const playlistText = (playlist: PlaylistContent, redaction: Redaction): string => {
  const items = playlist.items.map((item) => ({
    ...item,
    text: redaction.words(withoutNamedSecrets(item.text)),
    title: redaction.words(withoutNamedSecrets(item.title)),
  }));
  const value = { [VERSION_FIELD]: FILE_VERSION, ...playlist, items };
  return `${String(redaction.frame(JSON.stringify(value, null, 2)))}\n`;
};

/**
 * Reads the text of a file.
 * @throws ImportError with line, column and path of the first fault
 */
export function readPlaylist(text: string): PlaylistContent {
  const value = parseJson(text, LIMITS);
  // Another kind of file, or another version, is said before any of its fields.
  if (!isFields(value) || !(VERSION_FIELD in value))
    throw wrongAt(text, [], 'a playlist of Voicewire', 'another kind of file');
  checked(versioned, value, text);
  const { [VERSION_FIELD]: _, ...playlist } = checked(fileSchema, value, text);
  for (const [at, item] of playlist.items.entries()) {
    const problem = itemProblem(item);
    if (problem) throw wrongAt(text, ['items', at, ...problem.path], problem.expected, problem.found);
  }
  return playlist;
}

/** Reads a file. @throws Error in words for the page */
export async function readPlaylistFile(file: Blob): Promise<PlaylistContent> {
  if (file.size > MAX_FILE_BYTES)
    throw new Error(`The file has ${bytes(file.size)}, and a playlist has at most ${bytes(MAX_FILE_BYTES)}.`);
  return readPlaylist(await file.text());
}

/** Returns `my-demo.voicewire-programme.json` for a playlist named “My demo”. */
export const playlistFileName = (name: string): string =>
  `${plainFileName(name, 'playlist')}.voicewire-programme.json`;
