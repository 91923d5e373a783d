/** Captions of timed words as SubRip (SRT) and WebVTT. Times are in ms from wherever the caller counts. */

export interface CaptionWord {
  /** As it shall be read, with its punctuation. */
  text: string;
  startMs: number;
  endMs: number;
  /** No space stands before it, as in languages that write none. */
  joined?: boolean;
}

export interface Caption {
  /** Whole ms; no caption begins before the one before it has ended, and each lasts at least 1 ms. */
  startMs: number;
  endMs: number;
  /** One or two. */
  lines: readonly string[];
}

/** What subtitlers agree on: two lines of 42 characters, seven seconds at most. */
const MAX_LINE_CHARS = 42;
const MAX_CAPTION_MS = 7000;
/** A silence so long ends a caption. */
const PAUSE_MS = 1000;
/** A caption stays so long, where the next one leaves room for it. */
const MIN_CAPTION_MS = 1000;
/** A sentence that is shorter shares its caption with the next one. */
const MIN_SENTENCE_CHARS = 12;
/** How much fuller a line may be for its break to stand at the end of a clause. */
const CLAUSE_WORTH_CHARS = 12;

const SENTENCE_END = /[.!?…。！？؟।]["'”’»)\]]*$/u;
const CLAUSE_END = /[.!?…。！？؟।,;:，、；：،–—]["'”’»)\]]*$/u;

/** Every word once, in order. A word that is longer than a line has one to itself. */
export function captionsOf(words: readonly CaptionWord[]): Caption[] {
  const captions: Caption[] = [];
  let endMs = 0;
  for (const group of groupsOf(words.map(readable).filter(({ text }) => text !== ''))) {
    const [first] = group;
    if (!first) continue;
    const startMs = Math.max(endMs, wholeMs(first.startMs));
    endMs = Math.max(startMs + 1, ...group.map((word) => wholeMs(word.endMs)));
    captions.push({ startMs, endMs, lines: linesOf(group) });
  }
  return captions.map((caption, i) => {
    const roomToMs = captions[i + 1]?.startMs ?? Number.POSITIVE_INFINITY;
    const wantedMs = Math.max(caption.endMs, caption.startMs + MIN_CAPTION_MS);
    return { ...caption, endMs: Math.min(wantedMs, Math.max(roomToMs, caption.endMs)) };
  });
}

/** SubRip: numbered, times with a comma. */
export const toSrt = (captions: readonly Caption[]): string =>
  captions
    .map(
      ({ startMs, endMs, lines }, i) =>
        `${i + 1}\n${timeText(startMs, ',')} --> ${timeText(endMs, ',')}\n${lines.map(withoutArrow).join('\n')}\n`,
    )
    .join('\n');

/** WebVTT (W3C): a signature, times with a point, `&`, `<` and `>` escaped. */
export const toVtt = (captions: readonly Caption[]): string =>
  [
    'WEBVTT\n',
    ...captions.map(
      ({ startMs, endMs, lines }) =>
        `${timeText(startMs, '.')} --> ${timeText(endMs, '.')}\n${lines.map(escaped).join('\n')}\n`,
    ),
  ].join('\n');

/** Control characters and line ends would break the format, and half a surrogate pair the file. */
function readable(word: CaptionWord): CaptionWord {
  const text = word.text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .trim();
  return { ...word, text };
}

function groupsOf(words: readonly CaptionWord[]): CaptionWord[][] {
  const groups: CaptionWord[][] = [];
  let group: CaptionWord[] = [];
  for (const word of words) {
    const last = group.at(-1);
    if (last && (word.startMs - last.endMs >= PAUSE_MS || isSentence(group))) {
      groups.push(group);
      group = [];
    } else if (last && !fits([...group, word])) {
      const at = clauseBreak(group);
      groups.push(group.slice(0, at));
      group = group.slice(at);
      // What stays behind the clause may still leave no room for the word.
      if (group.length > 0 && !fits([...group, word])) {
        groups.push(group);
        group = [];
      }
    }
    group.push(word);
  }
  return group.length > 0 ? [...groups, group] : groups;
}

function fits(group: readonly CaptionWord[]): boolean {
  const [first] = group;
  const last = group.at(-1);
  if (first && last && last.endMs - first.startMs > MAX_CAPTION_MS) return false;
  return linesOf(group).every((line) => line.length <= MAX_LINE_CHARS);
}

const isSentence = (group: readonly CaptionWord[]): boolean =>
  SENTENCE_END.test(group.at(-1)?.text ?? '') && joinedText(group).length >= MIN_SENTENCE_CHARS;

/** Behind the last clause that ends in the second half; behind the last word where none does. */
function clauseBreak(group: readonly CaptionWord[]): number {
  const at = group.findLastIndex(({ text }) => CLAUSE_END.test(text)) + 1;
  return at * 2 >= group.length && at > 0 ? at : group.length;
}

/** One line where it is short enough; else two of about the same length, the first ending with a clause if it can. */
function linesOf(group: readonly CaptionWord[]): string[] {
  const whole = joinedText(group);
  if (whole.length <= MAX_LINE_CHARS || group.length === 1) return [whole];
  let best: { lines: string[]; cost: number } | null = null;
  for (let at = 1; at < group.length; at += 1) {
    const lines = [joinedText(group.slice(0, at)), joinedText(group.slice(at))];
    const longest = Math.max(...lines.map((line) => line.length));
    const isClause = CLAUSE_END.test(group[at - 1]?.text ?? '');
    const excess = Math.max(0, longest - MAX_LINE_CHARS) * MAX_LINE_CHARS;
    const cost = longest + excess - (isClause ? CLAUSE_WORTH_CHARS : 0);
    if (!best || cost < best.cost) best = { lines, cost };
  }
  return best?.lines ?? [whole];
}

const joinedText = (group: readonly CaptionWord[]): string =>
  group.reduce((text, word) => (text === '' || word.joined ? text + word.text : `${text} ${word.text}`), '');

const wholeMs = (ms: number): number => Math.max(0, Math.round(ms));

/** Hours, minutes, seconds and ms; hours have as many digits as they need. */
function timeText(ms: number, point: ',' | '.'): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${String(ms % 1000).padStart(3, '0')}`;
}

/** The arrow between two times may not stand in a text, and SubRip knows no escape. */
const withoutArrow = (line: string): string => line.replace(/-{2,}>/g, '->');

const escaped = (line: string): string =>
  line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
