import { audioLength, count, counted, bytes as sizeOf } from '#lib/format.ts';
import { readAddress } from '#protocol/core/address.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS, endpointNamed } from '#protocol/registry.ts';
import type { ClientView } from '#recordings/capture/client-view.ts';
import { restApiOf } from '#trace/rest-calls.ts';
import type { BadgeTone } from '../../ui/badge.tsx';
import { isConnected } from './seen-clients.ts';

/** Returns the base URLs that an application takes in place of a vendor's host. */
export function baseUrls(origin: string): string[] {
  const base = origin.replace(/^http/, 'ws');
  return [...new Set(ENDPOINTS.map(({ localPrefix }) => base + localPrefix))];
}

/** Returns the state of a client; the name of a close code other than that of a normal end. */
export function clientState(client: Pick<ClientView, 'end' | 'calls' | 'endpoint'>): {
  word: string;
  tone: BadgeTone;
} {
  const { end, calls, endpoint } = client;
  if (isConnected(client)) return { word: calls ? 'calling' : 'connected', tone: 'live' };
  const { code = null, reason = '' } = end ?? {};
  if (code === null) return { word: 'not calling', tone: 'neutral' };
  if (code === CLOSE_CODES.normal || code === CLOSE_CODES.none)
    return { word: `closed ${code}`, tone: 'neutral' };
  const known = endpointNamed(endpoint);
  const name = known && protocolOf(known).explainClose(code, reason).name;
  return { word: name == null ? `closed ${code}` : `closed ${code}, ${name}`, tone: 'failed' };
}

/** Returns the worst findings first; advice only where there is nothing else. Calls have no rules, but may fail. */
export function findingWords({ calls, findings }: Pick<ClientView, 'calls' | 'findings'>): {
  words: string;
  tone: 'failed' | 'waiting' | 'none';
} {
  if (calls) {
    const { failed } = calls;
    return failed > 0
      ? { words: `${count(failed)} failed`, tone: 'failed' }
      : { words: 'none failed', tone: 'none' };
  }
  const { violations, warnings, advice } = findings;
  const grave = [
    ...(violations > 0 ? [counted(violations, 'violation')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  if (grave.length > 0) return { words: grave.join(', '), tone: violations > 0 ? 'failed' : 'waiting' };
  return {
    words: advice > 0 ? `${counted(advice, 'piece')} of advice` : 'no findings',
    tone: 'none',
  };
}

/** Returns the path before that of the endpoint, where it is not that of the vendor's host: a relay, faults. */
export function detourOf({ endpoint, address }: Pick<ClientView, 'endpoint' | 'address'>): string | null {
  const known = endpointNamed(endpoint);
  const { localPrefix } = restApiOf(endpoint) ?? known ?? {};
  if (localPrefix === undefined || !URL.canParse(address)) return null;
  const { pathname } = new URL(address);
  const prefix = (known && readAddress(known, pathname)?.base) ?? pathname;
  return prefix === localPrefix ? null : prefix;
}

/** `13:02:23` in local time. */
const timeOf = (ms: number): string => new Date(ms).toLocaleTimeString('en-GB');

/** Returns the figures of a client in one line, without endpoint and findings. */
export const clientFigures = ({ startedAtMs, calls, turns, bytes, audioMs, lost }: ClientView): string =>
  [
    `since ${timeOf(startedAtMs)}`,
    ...(calls
      ? [counted(turns, 'call'), sizeOf(bytes)]
      : [counted(turns, 'turn'), `${audioLength(audioMs)} of audio`]),
    ...(lost > 0 ? [`${counted(lost, 'frame')} dropped`] : []),
  ].join(', ');
