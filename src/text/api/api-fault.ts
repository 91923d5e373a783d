import { count, excerptOf } from '#lib/format.ts';
import type { ApiRole } from './api-role.ts';

/** A reason why a server of OpenAI's API did not do what was asked, in words for the page. */
export interface ApiFault {
  severity: 'error' | 'warning';
  title: string;
  detail: string;
  remedy: string;
  /** Of the answer that refused the request. */
  status?: number;
}

const MAX_QUOTED_CHARS = 300;

/** Returns text of a server on one line, cut to a readable length. */
export const quoted = (text: string): string =>
  excerptOf(text.replaceAll(/\s+/gu, ' ').trim(), MAX_QUOTED_CHARS);

export const apiFault = (title: string, detail: string, remedy: string): ApiFault => ({
  severity: 'error',
  title,
  detail,
  remedy,
});

export const CHECK_BASE = 'Check the base URL: that of most servers ends in /v1.';

type Refusal = readonly [what: string, remedy: string];

const REFUSED_KEY: Refusal = ['refused the key', 'Enter a valid key for it.'];

const REFUSALS: Readonly<Record<number, Refusal>> = {
  401: REFUSED_KEY,
  403: REFUSED_KEY,
  404: ['does not know this model or address', `Check the name of the model. ${CHECK_BASE}`],
  429: ['takes no more requests now', 'Wait a moment, or check the quota of the key.'],
};
const FAILED: Refusal = ['failed', 'Look at its log, or ask again.'];
const REFUSED: Refusal = ['refused the request', 'Check the model and the base URL.'];

/** @param message of the server, from the body of its answer */
export function refusedRequest({ name }: ApiRole, { status, headers }: Response, message: string): ApiFault {
  const said = message === '' ? `It answered with status ${status}.` : `${status}: ${quoted(message)}`;
  const [what, remedy] = REFUSALS[status] ?? (status >= 500 ? FAILED : REFUSED);
  const waitSeconds = status === 429 ? retryAfterSeconds(headers.get('Retry-After'), Date.now()) : null;
  const fault = apiFault(
    `${name} ${what}`,
    said,
    waitSeconds === null ? remedy : `Ask again in ${count(waitSeconds)} s.`,
  );
  return { ...fault, status };
}

/** Returns the wait that a `Retry-After` header asks for: seconds or a date; null where it says nothing. */
export function retryAfterSeconds(header: string | null, nowMs: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}
