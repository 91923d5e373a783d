import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Headers of one connection alone (RFC 9110, 7.6.1). */
const OF_THE_HOP = [
  'connection',
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
const OWN = ['cookie', 'forwarded', 'host', 'origin', 'referer', 'set-cookie'];
const KEPT_BACK: ReadonlySet<string> = new Set([...OF_THE_HOP, ...OWN]);
const OWN_KIND = /^(?:access-control-|sec-fetch-|sec-websocket-|x-forwarded-)/;

/** Returns the headers of a request or an answer that the relay passes on. Names are in lower case. */
export function passedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || KEPT_BACK.has(name) || OWN_KIND.test(name) || named.includes(name)) continue;
    passed[name] = String(value);
  }
  return passed;
}

/** Returns the reason phrase of an answer, without characters that cannot be sent (RFC 9112, 4). */
export const passedReason = ({ statusMessage = '' }: IncomingMessage): string =>
  statusMessage.replace(/[^ -~\x80-\xff]/g, '');
