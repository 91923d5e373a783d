import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isSecretHeader } from '#trace/secrets/named-secrets.ts';

/** Headers of one connection alone (RFC 9110, 7.6.1). */
const OF_THE_HOP = [
  'connection',
  // This server has answered it already.
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Headers that are about this server and its pages. Cookies of this machine go to no vendor. */
const OWN = ['cookie', 'forwarded', 'host', 'origin', 'referer'];
const KEPT_BACK: ReadonlySet<string> = new Set([...OF_THE_HOP, ...OWN]);
const OWN_KIND = /^(?:access-control-|sec-fetch-|sec-websocket-|x-forwarded-)/;

/**
 * Headers of an answer by which a browser changes what it keeps of the origin, or does more than the page asked for. Here that
 * is the origin of this server's pages.
 */
const OF_THE_ORIGIN =
  /^(?:accept-ch.*|alt-svc|clear-site-data|content-security-policy-report-only|critical-ch|cross-origin-.*|expect-ct|link|nel|origin-.*|public-key-pins.*|refresh|report.*|service-worker-.*|set-cookie2?|set-login|(?:x-)?sourcemap|speculation-rules|strict-transport-security|use-as-dictionary|www-authenticate)$/;

/** A client cannot declare these as headers of its connection alone: without them, its message would mean another one. */
const isOfMessage = (name: string): boolean => name.startsWith('content-') || isSecretHeader(name);

/** Headers with names in lower case; several of a name, such as cookies, in an array. */
type Passed = Record<string, string | string[]>;

/** Returns the headers of a request that the relay passes on. Those of its body come from `framingOf`. */
export const passedHeaders = ({ 'content-length': _, ...headers }: IncomingHttpHeaders): Passed =>
  endToEnd(headers);

const trimmed = (text: string): string => text.trim();

function endToEnd(headers: IncomingHttpHeaders): Passed {
  const named = new Set((headers.connection ?? '').toLowerCase().split(',').map(trimmed));
  const isNamed = (name: string): boolean => named.has(name) && !isOfMessage(name);
  const passed: Passed = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || KEPT_BACK.has(name) || OWN_KIND.test(name) || isNamed(name)) continue;
    passed[name] = value;
  }
  return passed;
}

const POLICY = 'content-security-policy';
/** A page of the vendor would otherwise have the origin of this server, and could read its captures and the keys of its page. */
const NO_ORIGIN = 'sandbox';

/** Returns the headers of a vendor's answer to this request that are passed on: to a browser, none about its origin. */
export function passedAnswer(headers: IncomingHttpHeaders, asked: IncomingHttpHeaders): Passed {
  const { origin, 'sec-fetch-site': site, 'user-agent': program = '' } = asked;
  // Browsers send neither of the first two in a GET of a page at an address of the LAN without TLS.
  const isBrowser = origin !== undefined || site !== undefined || program.startsWith('Mozilla/');
  const passed = Object.entries(endToEnd(headers)).filter(
    ([name]) => !(isBrowser && OF_THE_ORIGIN.test(name)),
  );
  const { [POLICY]: policy, ...others } = Object.fromEntries(passed);
  return { ...others, [POLICY]: policy === undefined ? NO_ORIGIN : `${policy}, ${NO_ORIGIN}` };
}

/** Whether an answer has a status with which a call can end. Others cannot be passed on. */
export const isFinal = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200;

/**
 * Returns the headers that say where the body of a request ends, by how it was read: a body without an end would begin the
 * next request of the connection, which all clients share. Null: encoded in a way that only the first server can undo.
 */
export function framingOf({ 'transfer-encoding': encoding, 'content-length': length }: IncomingHttpHeaders) {
  if (encoding !== undefined)
    return encoding.toLowerCase() === 'chunked' ? { 'transfer-encoding': 'chunked' } : null;
  return length === undefined ? {} : { 'content-length': length };
}

/** Returns the reason phrase of an answer, without characters that cannot be sent (RFC 9112, 4). */
export const passedReason = (reason = ''): string => reason.replace(/[^ -~\x80-\xff]/g, '');
