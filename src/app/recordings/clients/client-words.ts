import { counted, seconds } from '#lib/format.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { ClientView } from '#recordings/capture/client-view.ts';
import type { BadgeTone } from '../../ui/badge.tsx';

/** Returns the base URLs that an application takes in place of a vendor's host. */
export function baseUrls(origin: string): string[] {
  const base = origin.replace(/^http/, 'ws');
  return [...new Set(ENDPOINTS.map(({ localPrefix }) => base + localPrefix))];
}

/** Returns the state of a connection; the name of a close code other than that of a normal end. */
export function clientState({ end, endpoint }: Pick<ClientView, 'end' | 'endpoint'>): {
  word: string;
  tone: BadgeTone;
} {
  if (!end) return { word: 'connected', tone: 'live' };
  const { code, reason } = end;
  if (code === CLOSE_CODES.normal || code === CLOSE_CODES.none)
    return { word: `closed ${code}`, tone: 'neutral' };
  const name = ENDPOINTS.find(({ id }) => id === endpoint)?.explainClose(code, reason).name;
  return { word: name === undefined ? `closed ${code}` : `closed ${code}, ${name}`, tone: 'failed' };
}

/** Returns the worst findings first; advice only where there is nothing else. */
export function findingWords({ violations, warnings, advice }: ClientView['findings']): {
  words: string;
  tone: 'failed' | 'waiting' | 'none';
} {
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
  const known = ENDPOINTS.find(({ id }) => id === endpoint);
  if (!known || !URL.canParse(address)) return null;
  const { pathname } = new URL(address);
  const prefix = pathname.endsWith(known.path) ? pathname.slice(0, -known.path.length) : pathname;
  return prefix === known.localPrefix ? null : prefix;
}

/** `13:02:23` in local time. */
const timeOf = (ms: number): string => new Date(ms).toLocaleTimeString('en-GB');

/** Returns the figures of a client in one line, without endpoint and findings. */
export const clientFigures = ({ startedAtMs, turns, audioMs, lost }: ClientView): string =>
  [
    `since ${timeOf(startedAtMs)}`,
    counted(turns, 'turn'),
    `${seconds(audioMs / 1000)} of audio`,
    ...(lost > 0 ? [`${counted(lost, 'frame')} dropped`] : []),
  ].join(', ');
