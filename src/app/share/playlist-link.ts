import { messageOf } from '#lib/message-of.ts';
import type { Redaction } from '#trace/secrets/redaction.ts';
import type { PlaylistContent } from '../playlist/playlist.ts';
import { playlistText, readPlaylist } from '../playlist/playlist-file.ts';
import { brokenLink, fragmentOf, type LinkProblem, textOf } from './packed-text.ts';

/** The former name of a playlist, as links of that time exist. */
const NAME = 'programme';

/** How a fragment of a playlist begins, with `#`. */
export const PLAYLIST_START = `#${NAME}=`;

/** Returns the fragment of a playlist, without `#`: the text of its file, without key and server. */
export const writePlaylistLink = (playlist: PlaylistContent, redaction: Redaction) =>
  fragmentOf(NAME, playlistText(playlist, redaction, 0), 'The playlist', 'Save it as a file instead.');

/** Reads a fragment of a playlist, without `#`. */
export async function readPlaylistLink(fragment: string): Promise<PlaylistContent | LinkProblem> {
  const text = await textOf(NAME, fragment);
  if (typeof text !== 'string') return text;
  try {
    return readPlaylist(text);
  } catch (error) {
    return brokenLink(messageOf(error));
  }
}
