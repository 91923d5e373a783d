import { excerptOf } from '#lib/format.ts';

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

/** Returns the wait that a `Retry-After` header asks for: seconds or a date; null where it says nothing. */
export function retryAfterSeconds(header: string | null, nowMs: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}
