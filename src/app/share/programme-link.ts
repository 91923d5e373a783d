import { messageOf } from '#lib/message-of.ts';
import type { Redaction } from '#record/redaction.ts';
import type { ProgrammeContent } from '../programme/programme.ts';
import { programmeText, readProgramme } from '../programme/programme-file.ts';
import { brokenLink, fragmentOf, type LinkProblem, textOf } from './packed-text.ts';

const NAME = 'programme';

/** How a fragment of a programme begins, with `#`. */
export const PROGRAMME_START = `#${NAME}=`;

/** Returns the fragment of a programme, without `#`: the text of its file. It holds no key and no server. */
export const writeProgrammeLink = (programme: ProgrammeContent, redaction: Redaction) =>
  fragmentOf(NAME, programmeText(programme, redaction, 0), 'The programme', 'Save it as a file instead.');

/** Reads a fragment of a programme, without `#`. */
export async function readProgrammeLink(fragment: string): Promise<ProgrammeContent | LinkProblem> {
  const text = await textOf(NAME, fragment);
  if (typeof text !== 'string') return text;
  try {
    return readProgramme(text);
  } catch (error) {
    return brokenLink(messageOf(error).replace(/\.$/, ''));
  }
}
