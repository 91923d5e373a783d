import { endOfString } from '#lib/json-limits.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { KEY_PROTOCOL, readProtocols } from '#protocol/core/private-protocol.ts';

/** Secrets recognised by name: query parameters, JSON fields (also in quoted JSON), and headers. */

/** Replaces a secret. */
export const KEY_MARK = '[key]';

/** The names of the registered vendors, in the spellings of headers, queries and JSON. */
const NAMES =
  '(?:xi?[_-]?)?api[_-]?key|master[_-]?key|authorization|access[_-]?token|single[_-]?use[_-]?token';
/** Names of secrets in an address, such as that of a webhook. In a frame they may be text to speak. */
const ALL_NAMES = `${NAMES}|token|key|(?:client[_-]?)?secret|password|signature|sig`;
const FIELD_NAME = new RegExp(`^(?:${NAMES})$`, 'i');
const SECRET_NAME = new RegExp(`^(?:${ALL_NAMES})$`, 'i');

/** A token in the answer to the call that makes it: for one connection, or a JWT. Other fields of this name may be text. */
const TOKEN = '(?:sutkn_|eyJ[\\w-]{1,1000}\\.eyJ)';

/*
 * Each pattern reads a character a fixed number of times, because a hostile text may repeat its beginning. JSON and HTML may
 * escape the ampersand. An `api_key:` is no header, but the beginning of a server's message about the field.
 */
const PARAMETER = new RegExp(`(?:[?&]|&amp;|\\\\u0026)(?:${ALL_NAMES})=([^\\s&#"'\\\\<>]+)`, 'gi');
const BETWEEN = '\\s{0,16}:\\s{0,16}';
const FIELD = new RegExp(`(\\\\?)"(?:${NAMES}|token(?=\\1"${BETWEEN}\\1"${TOKEN}))\\1"${BETWEEN}\\1"`, 'gi');
const HEADER =
  /(?<!\w)(?:authorization|xi-api-key|x-api-key):\s{0,16}(?:(?:bearer|basic|token)\s{1,4})?([^\s"'\\,;]+)/gi;
/** The header of a handshake that a browser lets a page choose: `token, KEY`. */
const PROTOCOLS = /(?<!\w)sec-websocket-protocol:([^\r\n"\\]*)/gi;
const PROTOCOL_KEY = new RegExp(
  `(?:(?<![^\\s,])(?:token|bearer)\\s{0,16},\\s{0,16}|${KEY_PROTOCOL.replaceAll('.', '\\.')})([^\\s,]+)`,
  'gi',
);

export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);
export const isSecretField = (name: string): boolean => FIELD_NAME.test(name);

/** Whether a header holds a secret, also of vendors that nobody knows here. @param name in lower case */
export const isSecretHeader = (name: string): boolean => isSecretName(name) || SECRET_HEADER.test(name);
const SECRET_HEADER =
  /(?:^|-)(?:auth|authorization|cookie2?|(?<!idempotency-)key|password|secret|signature|token)(?:-|$)|^sec-websocket-protocol$/;

/** Bytes stay as they are. */
export const withoutNamedSecrets = <F extends Frame>(frame: F): F =>
  typeof frame === 'string' ? (withMarks(frame, secretSpans(frame), KEY_MARK) as F) : frame;

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

/** A name, and the character behind it with which each pattern goes on. Most texts have none, and end here. */
const NAMED = new RegExp(`[=:"\\\\](?<=(?:${ALL_NAMES}|sec-websocket-protocol).)`, 'i');

/** Returns the places of secrets in order, without empty and replaced ones. */
function secretSpans(text: string): Span[] {
  if (!NAMED.test(text)) return [];
  const spans = [
    ...groupsOf(PARAMETER, text),
    ...fieldSpans(text),
    ...groupsOf(HEADER, text),
    ...protocolSpans(text),
  ];
  return spans
    .filter(
      ([start, end]) => start < end && !(end - start === KEY_MARK.length && text.startsWith(KEY_MARK, start)),
    )
    .sort(([a], [b]) => a - b);
}

/** Behind so many secrets the rest of a text is one, because only a hostile text has them. */
const MAX_SECRETS = 10_000;

/** Returns the places of the group with which a pattern ends. */
function groupsOf(pattern: RegExp, text: string): Span[] {
  const spans: Span[] = [];
  for (const { 0: found, 1: group = '', index } of text.matchAll(pattern)) {
    const end = index + found.length;
    spans.push([end - group.length, spans.length < MAX_SECRETS ? end : text.length]);
    if (spans.length > MAX_SECRETS) break;
  }
  return spans;
}

/** A string that is cut off ends with the text. */
function fieldSpans(text: string): Span[] {
  const spans: Span[] = [];
  FIELD.lastIndex = 0;
  for (let found = FIELD.exec(text); found && spans.length <= MAX_SECRETS; found = FIELD.exec(text)) {
    const start = FIELD.lastIndex;
    const close = found[1] === '' ? endOfString(text, start) : text.indexOf('\\"', start);
    const end = close < 0 || spans.length === MAX_SECRETS ? text.length : close;
    spans.push([start, end]);
    FIELD.lastIndex = end;
  }
  return spans;
}

const protocolSpans = (text: string): Span[] =>
  groupsOf(PROTOCOLS, text).flatMap(([from, to]) =>
    groupsOf(PROTOCOL_KEY, text.slice(from, to)).map(([start, end]): Span => [from + start, from + end]),
  );

/** A part of a text or of bytes, by offsets. */
export type Span = readonly [start: number, end: number];

/** Returns the text with a mark in place of each span. Spans that overlap get one mark. */
export function withMarks(text: string, spans: readonly Span[], mark: string): string {
  if (spans.length === 0) return text;
  // Joined once, because a text that grows would keep all its pieces.
  const pieces: string[] = [];
  let from = -1;
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= from) pieces.push(text.slice(Math.max(0, from), start), mark);
    from = Math.max(from, end);
  }
  pieces.push(text.slice(Math.max(0, from)));
  return pieces.join('');
}
