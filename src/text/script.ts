/** Offsets into a text in UTF-16 code units; `to` is exclusive. */
export interface TextRange {
  from: number;
  to: number;
}

/** One turn of a script: the words of a speaker up to the next name or blank line. */
export interface ScriptEntry extends TextRange {
  /** Counted from 0. */
  index: number;
  /** The name as written; the previous speaker's on a line without one, null before the first. */
  speaker: string | null;
  /** Range of the name, without the colon; null on a line without one. */
  name: TextRange | null;
  /** Its lines, joined by a space. */
  text: string;
  /** Range of each line of the text, trimmed. */
  parts: readonly TextRange[];
  /** `noSpeaker`: no name here or above. `noText`: no words behind the name. */
  problem: 'noSpeaker' | 'noText' | null;
  /** `Name (interrupts):` cuts off the previous line instead of waiting for its end. */
  interrupts: boolean;
}

export interface Script {
  lines: readonly ScriptEntry[];
  comments: readonly TextRange[];
}

export const MAX_NAME_LENGTH = 40;

/** Titles whose full stop belongs to a name, as an initial's does: `Dr. Smith`, `J. R. Tolkien`. */
const TITLES =
  'Dipl|Dr|Mr|Mrs|Ms|Mx|Prof|St|Sr|Jr|Rev|Fr|Hr|Sgt|Capt|Cpt|Lt|Col|Gen|Gov|Sen|Rep|Hon|Pres|Mme|Mlle|Dott|Sig|Sra|Dra|Ing|Mag|Ph|Ph\\.D';
/** Within a name: `O'Brien`, `D'angelo`. That of `It's`, `They're` and `Y'all` is text. */
const APOSTROPHE = "(?<=\\p{L})['’](?=\\p{Lu})|(?<=\\p{Lu}\\p{L}{0,3})['’](?=\\p{Ll}{3})(?!all(?!\\p{L}))";
/** Letters, digits, space, underscore, hyphen, apostrophe and the full stop of a title, starting with a letter or digit. */
const NAME = `[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N} _-]|${APOSTROPHE}|(?<=(?<![\\p{L}\\p{M}\\p{N}])(?:${TITLES}))\\.|(?<=^[-•*\\s]*(?:\\p{Lu}\\. ?){0,4}\\p{Lu})\\.){0,${MAX_NAME_LENGTH - 1}}`;
/** A name and its colon, also in bold type or in a list of Markdown. `https://` and `12:30` are text. */
const NAMED = new RegExp(
  `^\\s*(?:[-•*]\\s+)?(\\*{0,3})(${NAME})(\\(interrupts\\)\\s*)?(?:[:：]\\1|\\1[:：])(?!//)(?!(?<=\\p{N}[:：])\\p{N})`,
  'u',
);

const COMMENT = /^\s*#/;

/**
 * Parses lines `Name: words`, also `**Name:** words` and `名前：words`. A line without a name continues the previous one; after a blank line it is a new turn of
 * the same speaker. Lines that start with `#` are comments. Any text is a script. Where other names are plain, one in bold type
 * that occurs once is a label in the text, such as `**Important**: read`.
 */
export function parseScript(text: string): Script {
  const lines: Draft[] = [];
  const comments: TextRange[] = [];
  let speaker: string | null = null;
  let open: Draft | null = null;
  const isSpeaker = speakersOf(text);
  for (const line of physicalLines(text)) {
    const content = text.slice(line.from, line.to);
    const said = trimmed(text, line);
    if (said.from === said.to) {
      open = null;
      continue;
    }
    if (COMMENT.test(content)) {
      comments.push(said);
      continue;
    }
    const match = NAMED.exec(content);
    if (match?.[1] !== undefined && match[2] !== undefined && isSpeaker(match[1], match[2])) {
      const end = line.from + match[0].length;
      const start = line.from + match[0].indexOf(match[2]);
      const name = trimmed(text, { from: start, to: start + match[2].length });
      const words = trimmed(text, { from: end, to: line.to });
      speaker = text.slice(name.from, name.to);
      open = {
        from: name.from,
        to: Math.max(words.to, end),
        speaker,
        name,
        parts: nonEmpty(words),
        interrupts: match[3] !== undefined,
      };
      lines.push(open);
    } else if (open) {
      open.parts.push(said);
      open.to = said.to;
    } else {
      open = { ...said, speaker, name: null, parts: [said], interrupts: false };
      lines.push(open);
    }
  }
  return { lines: lines.map((draft, index) => finished(draft, index, text)), comments };
}

/** Returns whether a name between marks of bold type is that of a speaker in this text. */
function speakersOf(text: string): (marks: string, name: string) => boolean {
  const times = new Map<string, number>();
  let hasPlain = false;
  for (const { from, to } of physicalLines(text)) {
    const [, marks, name = ''] = NAMED.exec(text.slice(from, to)) ?? [];
    if (marks === undefined) continue;
    hasPlain ||= marks === '';
    times.set(contextIdOf(name), (times.get(contextIdOf(name)) ?? 0) + 1);
  }
  return (marks, name) => marks === '' || !hasPlain || (times.get(contextIdOf(name)) ?? 0) > 1;
}

interface Draft extends TextRange {
  speaker: string | null;
  name: TextRange | null;
  parts: TextRange[];
  interrupts: boolean;
}

function finished(draft: Draft, index: number, text: string): ScriptEntry {
  const said = draft.parts.map(({ from, to }) => text.slice(from, to)).join(' ');
  const problem = draft.speaker === null ? 'noSpeaker' : said === '' ? 'noText' : null;
  return { index, ...draft, text: said, problem };
}

const nonEmpty = (range: TextRange): TextRange[] => (range.to > range.from ? [range] : []);

function* physicalLines(text: string): Generator<TextRange> {
  let from = 0;
  for (const end of text.matchAll(/\r\n|\r|\n/g)) {
    yield { from, to: end.index };
    from = end.index + end[0].length;
  }
  yield { from, to: text.length };
}

/** Returns the range without blanks at its ends; if nothing is left, an empty range at its end. */
function trimmed(text: string, { from, to }: TextRange): TextRange {
  const content = text.slice(from, to);
  const start = from + content.length - content.trimStart().length;
  return { from: start, to: Math.max(start, from + content.trimEnd().length) };
}

/** Writes a script that {@link parseScript} parses to the same lines. */
export const formatScript = (
  lines: readonly { speaker: string; text: string; interrupts?: boolean }[],
): string =>
  lines
    .map(
      ({ speaker, text, interrupts }) =>
        `${speaker}${interrupts ? ' (interrupts)' : ''}: ${text.replace(/\s+/gu, ' ').trim()}`,
    )
    .join('\n');

/** Returns the context id of a speaker: lower case, with hyphens for gaps, without marks. Names with equal ids are one speaker. */
export const contextIdOf = (name: string): string =>
  name
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[.'’]/gu, '')
    .replace(/[\s-]+/gu, '-');

/** Returns why a name cannot be used in a script, as a sentence; null if it can. */
export function nameProblem(name: string): string | null {
  const wanted = name.trim();
  if (wanted === '') return 'A speaker needs a name.';
  if (wanted.length > MAX_NAME_LENGTH) return `A name has at most ${MAX_NAME_LENGTH} characters.`;
  const match = NAMED.exec(`${wanted}: `);
  if (match?.[1] !== '' || match[2] !== wanted)
    return 'A name starts with a letter or digit, and is made of letters, digits, spaces, _, -, apostrophes and titles such as Dr.';
  return null;
}
