import { endOfString } from '#lib/json-limits.ts';
import { KEY_PROTOCOL, readProtocols } from '#protocol/core/private-protocol.ts';
import { type Span, withMarks } from './spans.ts';

/** Secrets recognised by name: query parameters, JSON fields (also in quoted JSON), and headers. */

/** Replaces a secret. */
export const KEY_MARK = '[key]';

/** The names of the vendors and of others, in the spellings of headers, queries and JSON. */
const NAMES = [
  '(?:xi?[_-]?)?api[_-]?key',
  'master[_-]?key',
  'authorization',
  '(?:access|auth|id|refresh|single[_-]?use)[_-]?token',
  '(?:client[_-]?)?secret',
  'password',
].join('|');
/** Names of secrets in an address. In a frame they may be text to speak. */
const QUERY_NAMES = `${NAMES}|token|key|auth|signature|sig`;

const FIELD = new RegExp(`(\\\\?)"(?:${NAMES})\\1"\\s{0,16}:\\s{0,16}\\1"`, 'gi');
/** A token in the answer to the call that makes it: for one connection, or a JWT. Other fields of this name may be text. */
const TOKEN_FIELD = /(\\?)"token\1"\s{0,16}:\s{0,16}\1"(?=sutkn_|eyJ[\w-]{1,1000}\.eyJ)/gi;
/** JSON and HTML may escape the ampersand. */
const PARAMETER = new RegExp(String.raw`(?:[?&]|&amp;|\\u0026)(?:${QUERY_NAMES})=`, 'gi');
/** An `api_key:` is no header, but the beginning of a server's message about the field. */
const HEADER = /\b(?:authorization|xi?-api-key):\s{0,16}(?:(?:bearer|basic|token)\s{1,4})?/gi;

/** Subprotocols of a handshake, the only header that a browser lets a page choose: `token, KEY`. */
const SUBPROTOCOLS = /\bsec-websocket-protocol:([^\r\n"\\]*)/gi;
const SUBPROTOCOL = /[^\s,]+/g;
/** A name such as `graphql-transport-ws` or `openai-beta.realtime-v1`. */
const SUBPROTOCOL_NAME = /^[a-z]{1,15}(?:[-._/][a-z]{1,15})*(?:[-._/]?v?\d{1,2}(?:\.\d{1,2})*)?$/;
/** Before the key itself, as in `openai-insecure-api-key.KEY`. */
const KEY_PREFIX = /^.*(?:key|token|bearer|auth|authorization|secret)\./i;

const END_OF_PARAMETER = /[&#\s"'\\<>]/g;
const END_OF_HEADER = /[\s"'\\,;]/g;

export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);
const SECRET_NAME = new RegExp(`^(?:${QUERY_NAMES})$`, 'i');

/** Whether a header holds a secret, also of vendors that nobody knows here. @param name in lower case */
export const isSecretHeader = (name: string): boolean => isSecretName(name) || SECRET_HEADER.test(name);
const SECRET_HEADER =
  /(?:^|-)(?:auth|authorization|cookie2?|(?<!idempotency-)key|password|secret|signature|token)(?:-|$)|^sec-websocket-protocol$/;

export function withoutNamedSecrets(text: string): string {
  const spans = secretSpans(text);
  return spans.length === 0 ? text : withMarks(text, spans, KEY_MARK);
}

/** The scheme before a key, which other texts may repeat alone. */
const SCHEME = /^(?:bearer|basic|token)(?:\s|%20|\+)+/i;

/**
 * Returns the secrets themselves, to find them elsewhere: as written, and decoded where they have escapes or are in a private
 * subprotocol; neither with the scheme of an authorization.
 */
export const namedSecrets = (text: string): string[] =>
  secretSpans(text).flatMap(([start, end]) => {
    const written = text.slice(start, end).replace(SCHEME, '');
    const { key } = readProtocols(text.slice(Math.max(0, start - KEY_PROTOCOL.length), end));
    return [...new Set([written, unescaped(written), key ?? written])];
  });

function unescaped(written: string): string {
  try {
    if (written.includes('\\')) return String(JSON.parse(`"${written}"`));
    if (written.includes('%')) return decodeURIComponent(written);
  } catch {
    // Neither, so these are no escapes.
  }
  return written;
}

/** Returns the places of secrets in order, without empty and replaced ones. */
function secretSpans(text: string): Span[] {
  const spans = [
    ...[FIELD, TOKEN_FIELD].flatMap((field) =>
      spansBehind(field, text, (start, [, backslash]) =>
        backslash === '' ? endOfString(text, start) : text.indexOf('\\"', start),
      ),
    ),
    ...spansBehind(PARAMETER, text, (start) => search(END_OF_PARAMETER, text, start)),
    ...spansBehind(HEADER, text, (start) => search(END_OF_HEADER, text, start)),
    ...[...text.matchAll(SUBPROTOCOLS)].flatMap(subprotocolSpans),
  ];
  return spans.sort(([a], [b]) => a - b);
}

const isProtocolName = (value: string): boolean =>
  SUBPROTOCOL_NAME.test(value) && !value.startsWith(KEY_PROTOCOL);

/** Returns the subprotocols that are no names, and those behind the name of a secret. */
function subprotocolSpans({ 0: line, 1: list = '', index }: RegExpExecArray): Span[] {
  const from = index + line.length - list.length;
  let previous = '';
  return [...list.matchAll(SUBPROTOCOL)].flatMap(({ 0: value, index: at }): Span[] => {
    const isKey = isSecretName(previous) || /^bearer$/i.test(previous) || !isProtocolName(value);
    previous = value;
    const start = at + (KEY_PREFIX.exec(value)?.[0].length ?? 0);
    return isKey && !value.endsWith(KEY_MARK) ? [[from + start, from + at + value.length]] : [];
  });
}

/** Returns the value behind each name. The search continues behind it, so that each character is read once. */
function spansBehind(
  name: RegExp,
  text: string,
  endOf: (start: number, match: RegExpExecArray) => number,
): Span[] {
  const spans: Span[] = [];
  name.lastIndex = 0;
  for (let match = name.exec(text); match; match = name.exec(text)) {
    const start = match.index + match[0].length;
    const end = endOf(start, match);
    // A truncated value may extend to the end.
    const to = end < 0 ? text.length : end;
    name.lastIndex = Math.max(to, start);
    if (to > start && !(to - start === KEY_MARK.length && text.startsWith(KEY_MARK, start)))
      spans.push([start, to]);
  }
  return spans;
}

function search(what: RegExp, text: string, from: number): number {
  what.lastIndex = from;
  return what.exec(text)?.index ?? -1;
}
