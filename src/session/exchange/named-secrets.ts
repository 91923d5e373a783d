import { endOfString } from './json-scanner.ts';

/**
 * Secrets that give themselves away by their name, in files that no recorder of ours has cleaned: query parameters,
 * JSON fields (also of JSON inside a JSON string, as error messages quote it), and `Authorization` written out.
 */

/** What stands for a secret, here as in what the recorder keeps. */
export const KEY_MARK = '[key]';

const NAMES =
  'x-api-key|xi-api-key|api[_-]?key|authorization|(?:access|auth|id|refresh)[_-]?token|client[_-]?secret|secret|password';
/** In an address these mean a secret too; in a frame they may be text to speak. */
const QUERY_NAMES = `${NAMES}|token|key|auth|signature|sig`;

const FIELD = new RegExp(`(\\\\?)"(?:${NAMES})\\1"\\s{0,16}:\\s{0,16}\\1"`, 'gi');
const PARAMETER = new RegExp(`[?&](?:${QUERY_NAMES})=`, 'gi');
const HEADER = /\b(?:proxy-)?authorization:\s{0,16}(?:\w{1,16}\s{1,4})?(?=[^\s"{[])/gi;

const END_OF_PARAMETER = /[&#\s"'\\<>]|$/g;
const END_OF_HEADER = /[\s"'\\,;]|$/g;

/** Whether a field of this name carries a secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);
const SECRET_NAME = new RegExp(`^(?:${QUERY_NAMES})$`, 'i');

/** The text with every such secret replaced. */
export function withoutNamedSecrets(text: string): string {
  const spans = secretSpans(text);
  if (spans.length === 0) return text;
  let clean = '';
  let from = 0;
  for (const [start, end] of spans) {
    if (start < from) continue;
    clean += text.slice(from, start) + KEY_MARK;
    from = end;
  }
  return clean + text.slice(from);
}

/** The secrets themselves, so that they can be looked for elsewhere. */
export const namedSecrets = (text: string): string[] =>
  secretSpans(text).map(([start, end]) => text.slice(start, end));

/** From and to, in order; what stands there is neither empty nor replaced already. */
function secretSpans(text: string): (readonly [number, number])[] {
  const spans: (readonly [number, number])[] = [];
  const add = (start: number, end: number): void => {
    if (end > start && text.slice(start, end) !== KEY_MARK) spans.push([start, end]);
  };
  for (const match of text.matchAll(FIELD)) {
    const start = match.index + match[0].length;
    const end = match[1] === '' ? endOfString(text, start) : text.indexOf('\\"', start);
    // Without an end it is cut off, and all the rest may be the secret.
    add(start, end < 0 ? text.length : end);
  }
  for (const match of text.matchAll(PARAMETER)) addUpTo(END_OF_PARAMETER, match);
  for (const match of text.matchAll(HEADER)) addUpTo(END_OF_HEADER, match);
  return spans.sort(([a], [b]) => a - b);

  function addUpTo(end: RegExp, match: RegExpExecArray): void {
    const start = match.index + match[0].length;
    end.lastIndex = start;
    const found = end.exec(text);
    // `[` and `]` of the mark are no end, so what was replaced before is seen as a whole.
    add(start, found ? found.index : text.length);
  }
}
