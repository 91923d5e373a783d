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
const FIELD_NAME = new RegExp(`^(?:${NAMES})$`, 'i');
/** Names of secrets in an address. In a frame they may be text to speak. */
const ALL_NAMES = `${NAMES}|token|key|auth|signature|sig`;
const SECRET_NAME = new RegExp(`^(?:${ALL_NAMES})$`, 'i');
/** Matches each JSON text with a field of such a name, or with an escape, which may be in a name. Most frames have neither. */
export const MAY_NAME_SECRET = new RegExp(`(?:${ALL_NAMES})"|\\\\`, 'i');
const MAX_NAME_CHARS = 'single_use_token'.length;
/** Last letters of all names, so that most other words cost no search. */
const LAST_LETTERS = charSet('yntdhegYNTDHEG');
const NAME_LETTERS = charSet('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-');

/** A token in the answer to the call that makes it: for one connection, or a JWT. Other fields of this name may be text. */
const TOKEN = /sutkn_|eyJ[\w-]{1,1000}\.eyJ/iy;

/** Blanks and the scheme before the key in a header. */
const BEFORE_KEY = /\s{0,16}(?:(?:bearer|basic|token)\s{1,4})?/iy;
/** An `api_key:` is no header, but the beginning of a server's message about the field. */
const KEY_HEADERS = ['authorization', 'xi-api-key', 'x-api-key'];

/** Subprotocols of a handshake, the only header that a browser lets a page choose: `token, KEY`. */
const PROTOCOL_HEADERS = ['sec-websocket-protocol'];
/** A longer list is replaced as a whole. Node and most servers accept headers of 16 KiB in all. */
const MAX_PROTOCOLS_CHARS = 16 * 1024;
/** A longer subprotocol is no name. */
const MAX_PROTOCOL_CHARS = 128;
/** A name such as `graphql-transport-ws` or `openai-beta.realtime-v1`. */
const SUBPROTOCOL_NAME = /^[a-z]{1,15}(?:[-._/][a-z]{1,15})*(?:[-._/]?v?\d{1,2}(?:\.\d{1,2})*)?$/;
/** Before the key itself, as in `openai-insecure-api-key.KEY`. */
const KEY_PREFIX = /^.*(?:key|token|bearer|auth|authorization|secret)\./i;

const END_OF_PARAMETER = charSet(`&#"'\\<>`);
const END_OF_HEADER = charSet(`"'\\,;`);
const END_OF_LINE = charSet('\r\n"\\');

export const isSecretName = (name: string): boolean =>
  name.length <= MAX_NAME_CHARS &&
  LAST_LETTERS[name.charCodeAt(name.length - 1)] === 1 &&
  SECRET_NAME.test(name);

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

/** A key of 8 KiB, the most that servers read in headers, with an escape for each character. */
const MAX_WRITTEN_CHARS = 6 * 8 * 1024;

/**
 * Returns the secrets themselves, to find them elsewhere: as written, and decoded where they have escapes or are in a private
 * subprotocol; neither with the scheme of an authorization. Leaves out values that are too long for a key in any spelling,
 * because decoding them takes long.
 * @param minChars shorter ones are left out
 */
export const namedSecrets = (text: string, minChars = 1): string[] =>
  secretSpans(text).flatMap(([start, end]) => {
    if (end - start < minChars || end - start > MAX_WRITTEN_CHARS) return [];
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

/** The text that was searched last. A recorder learns the secrets of a frame, and replaces them right after that. */
let last: { text: string; spans: readonly Span[] } | null = null;

/** Returns the places of secrets in order, without empty and replaced ones. */
function secretSpans(text: string): readonly Span[] {
  if (last?.text !== text) last = { text, spans: foundSpans(text) };
  return last.spans;
}

/** Behind so many secrets, the rest of a text is one, because only a hostile text has them. */
const MAX_SECRETS = 10_000;

function foundSpans(text: string): Span[] {
  const spans = new Spans(text);
  // Each secret is behind one of two signs, for which the engine searches fast through the base64 of audio.
  for (let at = text.indexOf('='); at >= 0 && !spans.isFull(at); at = text.indexOf('=', at + 1))
    spans.parameter(at);
  for (let at = text.indexOf(':'); at >= 0 && !spans.isFull(at); at = text.indexOf(':', at + 1))
    spans.fieldOrHeader(at);
  return spans.all.sort(([a], [b]) => a - b);
}

type Kind = 'parameter' | 'field' | 'token' | 'header' | 'protocols';

/** Collects the secrets of a text. Each character is read a fixed number of times. */
class Spans {
  readonly all: Span[] = [];
  readonly #text: string;
  /** Ends of the last values, within which no further one of their kind begins. */
  readonly #until: Record<Kind, number> = { parameter: 0, field: 0, token: 0, header: 0, protocols: 0 };

  constructor(text: string) {
    this.#text = text;
  }

  /** Hides the rest of the text where there are too many secrets before it. */
  isFull(at: number): boolean {
    if (this.all.length < MAX_SECRETS) return false;
    this.all.push([at, this.#text.length]);
    return true;
  }

  /** @param at of an equals sign */
  parameter(at: number): void {
    const text = this.#text;
    const start = this.#nameStart(at);
    if (start < 0 || !this.#isParameterStart(start) || start <= this.#until.parameter) return;
    if (SECRET_NAME.test(text.slice(start, at)))
      this.#add('parameter', at + 1, endOfValue(text, at + 1, END_OF_PARAMETER));
  }

  /** @param at of a colon */
  fieldOrHeader(at: number): void {
    const text = this.#text;
    const last = text.charCodeAt(at - 1);
    if (last === QUOTE || isBlank(last)) {
      let quote = at - 1;
      for (let left = MAX_BLANKS; left > 0 && isBlank(text.charCodeAt(quote)); left -= 1) quote -= 1;
      if (text.charCodeAt(quote) === QUOTE) this.#field(quote, at);
    } else if (LAST_LETTERS[last] === 1) this.#header(at);
    else if ((last | CASE) === LETTER_L) this.#protocols(at);
  }

  /** A string may be JSON in a string, whose quotes have a backslash. */
  #field(quote: number, colon: number): void {
    const text = this.#text;
    const isQuoted = text.charCodeAt(quote - 1) === BACKSLASH;
    const nameEnd = isQuoted ? quote - 1 : quote;
    const nameStart = this.#nameStart(nameEnd);
    if (nameStart < 0 || text.charCodeAt(nameStart - 1) !== QUOTE) return;
    if (isQuoted && text.charCodeAt(nameStart - 2) !== BACKSLASH) return;
    let open = colon + 1;
    for (let left = MAX_BLANKS; left > 0 && isBlank(text.charCodeAt(open)); left -= 1) open += 1;
    if (isQuoted && text.charCodeAt(open) !== BACKSLASH) return;
    if (isQuoted) open += 1;
    if (text.charCodeAt(open) !== QUOTE) return;
    const start = open + 1;
    const kind = this.#kindOfField(text.slice(nameStart, nameEnd), start);
    if (kind === null || nameStart - (isQuoted ? 2 : 1) < this.#until[kind]) return;
    this.#add(kind, start, isQuoted ? text.indexOf('\\"', start) : endOfString(text, start));
  }

  #kindOfField(name: string, start: number): Kind | null {
    if (FIELD_NAME.test(name)) return 'field';
    if (name.toLowerCase() !== 'token') return null;
    TOKEN.lastIndex = start;
    return TOKEN.test(this.#text) ? 'token' : null;
  }

  #header(colon: number): void {
    if (!this.#isHeader(KEY_HEADERS, colon) || colon < this.#until.header) return;
    BEFORE_KEY.lastIndex = colon + 1;
    BEFORE_KEY.test(this.#text);
    const start = BEFORE_KEY.lastIndex;
    this.#add('header', start, endOfValue(this.#text, start, END_OF_HEADER));
  }

  #protocols(colon: number): void {
    const text = this.#text;
    if (!this.#isHeader(PROTOCOL_HEADERS, colon) || colon < this.#until.protocols) return;
    const from = colon + 1;
    let end = from;
    while (end < text.length && END_OF_LINE[text.charCodeAt(end)] !== 1) end += 1;
    this.#until.protocols = end;
    if (end - from > MAX_PROTOCOLS_CHARS) this.all.push([from, end]);
    else for (const span of subprotocolSpans(text.slice(from, end), from)) this.all.push(span);
  }

  #isHeader(names: readonly string[], colon: number): boolean {
    return names.some((name) => {
      const start = colon - name.length;
      if (start < 0 || isWordCharacter(this.#text.charCodeAt(start - 1))) return false;
      return this.#text.slice(start, colon).toLowerCase() === name;
    });
  }

  /** Where the name begins that ends there; -1 for none of a secret. */
  #nameStart(end: number): number {
    const text = this.#text;
    if (LAST_LETTERS[text.charCodeAt(end - 1)] !== 1) return -1;
    let start = end - 1;
    while (end - start <= MAX_NAME_CHARS && NAME_LETTERS[text.charCodeAt(start - 1)] === 1) start -= 1;
    return end - start <= MAX_NAME_CHARS ? start : -1;
  }

  /** JSON and HTML may escape the ampersand. */
  #isParameterStart(at: number): boolean {
    const text = this.#text;
    const before = text[at - 1];
    if (before === '?' || before === '&') return true;
    return (before === ';' && text.endsWith('&amp;', at)) || (before === '6' && text.endsWith('\\u0026', at));
  }

  /** @param end -1 where the value was truncated */
  #add(kind: Kind, start: number, end: number): void {
    const to = Math.max(start, end < 0 ? this.#text.length : end);
    this.#until[kind] = to;
    const isMark = to - start === KEY_MARK.length && this.#text.startsWith(KEY_MARK, start);
    if (to > start && !isMark) this.all.push([start, to]);
  }
}

/** Blanks around the colon of a field. */
const MAX_BLANKS = 16;
const [QUOTE, BACKSLASH, LETTER_L] = [0x22, 0x5c, 0x6c];
/** The bit that differs between the cases of an ASCII letter. */
const CASE = 0x20;

function charSet(characters: string): Uint8Array {
  const set = new Uint8Array(128);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
}

const isBlank = (code: number): boolean =>
  code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0xa0 && /\s/.test(String.fromCharCode(code)));

const isWordCharacter = (code: number): boolean =>
  code === 0x5f || (code < 0x80 && /\w/.test(String.fromCharCode(code)));

/** Returns where a value ends: at a blank or one of these characters. */
function endOfValue(text: string, from: number, ends: Uint8Array): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (ends[code] === 1 || isBlank(code)) break;
  }
  return at;
}

const isProtocolName = (value: string): boolean =>
  value.length <= MAX_PROTOCOL_CHARS && SUBPROTOCOL_NAME.test(value) && !value.startsWith(KEY_PROTOCOL);

/** Returns the subprotocols that are no names, and those behind the name of a secret. */
function subprotocolSpans(list: string, from: number): Span[] {
  const spans: Span[] = [];
  let isBehindName = false;
  let at = from;
  for (const item of list.split(/[\s,]/)) {
    if (item !== '') {
      const isKey = isBehindName || !isProtocolName(item);
      isBehindName = isSecretName(item) || /^bearer$/i.test(item);
      const start = KEY_PREFIX.exec(item)?.[0].length ?? 0;
      if (isKey && !item.endsWith(KEY_MARK)) spans.push([at + start, at + item.length]);
    }
    at += item.length + 1;
  }
  return spans;
}
