import { messageOf } from '#lib/message-of.ts';
import type { Redaction } from '#record/redaction.ts';
import type { ProgrammeContent } from '../programme/programme.ts';
import { programmeText, readProgramme } from '../programme/programme-file.ts';
import { MAX_LINK_CHARS, packed, unpacked } from './packed-text.ts';

export const PROGRAMME_PREFIX = 'programme=';
const VERSION = '1.';

/** Returns the fragment of a programme, without `#`: the text of its file. It holds no key and no server. */
export async function writeProgrammeLink(
  programme: ProgrammeContent,
  redaction: Redaction,
): Promise<{ fragment: string } | { problem: string }> {
  const fragment = PROGRAMME_PREFIX + VERSION + (await packed(programmeText(programme, redaction, 0)));
  return fragment.length > MAX_LINK_CHARS
    ? {
        problem: `The programme is too long for a link: ${fragment.length} characters, at most ${MAX_LINK_CHARS} can be shared. Save it as a file instead.`,
      }
    : { fragment };
}

/** Reads a fragment without `#` that begins with `PROGRAMME_PREFIX`. */
export async function readProgrammeLink(fragment: string): Promise<ProgrammeContent | { problem: string }> {
  const broken = (why: string) => ({ problem: `The link cannot be used: ${why}.` });
  const rest = fragment.slice(PROGRAMME_PREFIX.length);
  if (!rest.startsWith(VERSION)) return broken('it is of another version');
  if (fragment.length > MAX_LINK_CHARS) return broken(`it is longer than ${MAX_LINK_CHARS} characters`);
  const text = await unpacked(rest.slice(VERSION.length));
  if (text === null) return broken('it is incomplete');
  try {
    return readProgramme(text);
  } catch (error) {
    return broken(messageOf(error).replace(/\.$/, ''));
  }
}
