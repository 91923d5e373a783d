import { count, excerptOf } from '#lib/format.ts';

/** A reason why a server of OpenAI's API did not do what was asked, in words for the page. */
export interface ApiFault {
  severity: 'error' | 'warning';
  title: string;
  detail: string;
  remedy: string;
}

/** The words of the page for a server of OpenAI's API. */
export interface ApiRole {
  /** Begins a sentence. */
  name: string;
  /** The dialog of its base URL, model and key. */
  setUp: string;
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

export const unreachable = ({ name }: ApiRole, base: string): ApiFault =>
  apiFault(
    `${name} cannot be reached`,
    `${base} refused the connection, or does not allow requests from this page (CORS).`,
    'Start it and allow the address of this page in its CORS settings. A host other than this machine also needs VOICEWIRE_CONNECT.',
  );

export const redirected = ({ name }: ApiRole, base: string): ApiFault =>
  apiFault(
    `${name} redirects`,
    `${base} refers to another address, where the key must not go.`,
    'Enter the address that it redirects to as the base URL.',
  );

export const unsendableKey = ({ name }: ApiRole): ApiFault =>
  apiFault(
    `${name} cannot get its key`,
    'It has white space or characters outside of ASCII, which no header may carry.',
    'Enter the key again.',
  );

/** @param message of the server, from the body of its answer */
export function refusedRequest(
  { name, setUp }: ApiRole,
  status: number,
  message: string,
  waitSeconds: number | null,
): ApiFault {
  const said = message === '' ? `It answered with status ${status}.` : `${status}: ${quoted(message)}`;
  switch (status) {
    case 401:
    case 403:
      return apiFault(`${name} refused the key`, said, `Enter a valid key for it under ${setUp}.`);
    case 404:
      return apiFault(
        `${name} does not know this model or address`,
        said,
        `Check the name of the model. ${CHECK_BASE}`,
      );
    case 429:
      return apiFault(
        `${name} takes no more requests now`,
        said,
        waitSeconds === null
          ? 'Wait a moment, or check the quota of the key.'
          : `Ask again in ${count(waitSeconds)} s.`,
      );
  }
  return status >= 500
    ? apiFault(`${name} failed`, said, 'Look at its log, or ask again.')
    : apiFault(`${name} refused the request`, said, `Check the model and the base URL under ${setUp}.`);
}

export const notAModelList = ({ name }: ApiRole): ApiFault =>
  apiFault(`${name} has no list of models`, 'Its answer is no list.', 'Type the name of the model.');

/** Returns the wait that a `Retry-After` header asks for: seconds or a date; null where it says nothing. */
export function retryAfterSeconds(header: string | null, nowMs: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}
