import { count, excerptOf } from '#lib/format.ts';

/** A reason why an answer ended early, in words for the page. */
export interface ChatFault {
  severity: 'error' | 'warning';
  title: string;
  detail: string;
  remedy: string;
}

/** Limits of one answer. A model server may send anything, and a person hears about 15 characters a second. */
export const MAX_ANSWER_CHARS = 20_000;
export const MAX_TOKEN_CHARS = 10_000;
/** Includes everything that is not spoken, such as the thoughts of a model. */
export const MAX_STREAM_BYTES = 8 * 1024 * 1024;

const MAX_QUOTED_CHARS = 300;

const quoted = (text: string): string => excerptOf(text.replaceAll(/\s+/gu, ' ').trim(), MAX_QUOTED_CHARS);

const fault = (title: string, detail: string, remedy: string): ChatFault => ({
  severity: 'error',
  title,
  detail,
  remedy,
});

const CHECK_BASE = 'Check the base URL: that of most servers ends in /v1.';

export const unreachable = (base: string): ChatFault =>
  fault(
    'The model server cannot be reached',
    `${base} refused the connection, or does not allow requests from this page (CORS).`,
    'Start it and allow the address of this page in its CORS settings. A host other than this machine also needs VOICEWIRE_CONNECT.',
  );

export const redirected = (base: string): ChatFault =>
  fault(
    'The model server redirects',
    `${base} refers to another address, where the key must not go.`,
    'Enter the address that it redirects to as the base URL.',
  );

export const unsendableKey = (): ChatFault =>
  fault(
    'The key of the model server cannot be sent',
    'It has white space or characters outside of ASCII, which no header may carry.',
    'Enter the key again.',
  );

/** @param message of the server, from the body of its answer */
export function refusedRequest(status: number, message: string, waitSeconds: number | null): ChatFault {
  const said = message === '' ? `It answered with status ${status}.` : `${status}: ${quoted(message)}`;
  switch (status) {
    case 401:
    case 403:
      return fault('The model server refused the key', said, 'Enter a valid key for it under Model.');
    case 404:
      return fault(
        'The model server does not know this model or address',
        said,
        `Check the name of the model. ${CHECK_BASE}`,
      );
    case 429:
      return fault(
        'The model server takes no more requests now',
        said,
        waitSeconds === null
          ? 'Wait a moment, or check the quota of the key.'
          : `Ask again in ${count(waitSeconds)} s.`,
      );
  }
  return status >= 500
    ? fault('The model server failed', said, 'Look at its log, or ask again.')
    : fault('The model server refused the request', said, 'Check the model and the base URL under Model.');
}

export const notAStream = (contentType: string): ChatFault =>
  fault(
    'This is no stream of chat completions',
    `The server answered with ${contentType === '' ? 'no content type' : quoted(contentType)} instead of text/event-stream.`,
    CHECK_BASE,
  );

export const notAModelList = (): ChatFault =>
  fault('The model server has no list of models', 'Its answer is no list.', 'Type the name of the model.');

export const reported = (message: string): ChatFault =>
  fault(
    'The model server reported an error',
    message === '' ? 'It gave no reason.' : quoted(message),
    'Text that came before is spoken. Look at its log, or ask again.',
  );

export const unreadable = (why: string): ChatFault =>
  fault(
    'The model server sent something that is no chat completion',
    quoted(why),
    'Text that came before is spoken. The server must send OpenAI chat completions as server-sent events.',
  );

export const cutOff = (): ChatFault =>
  fault(
    'The answer of the model broke off',
    'The connection to the model server ended before the end of the answer.',
    'Text that came before is spoken. Ask again for the rest.',
  );

export const empty = (): ChatFault =>
  fault(
    'The model answered nothing',
    'The answer ended without any text to speak.',
    'Ask again, or check the model. A model that only thinks needs a higher limit of tokens.',
  );

export const tooLong = (what: 'token' | 'answer' | 'stream'): ChatFault =>
  fault(
    'The answer of the model is too long',
    {
      token: `One token has more than ${count(MAX_TOKEN_CHARS)} characters.`,
      answer: `It has more than ${count(MAX_ANSWER_CHARS)} characters.`,
      stream: `Its stream has more than ${count(MAX_STREAM_BYTES)} bytes.`,
    }[what],
    'The rest was discarded; text that came before is spoken. Ask for a shorter answer.',
  );

export const lengthReached = (): ChatFault => ({
  severity: 'warning',
  title: 'The model stopped at its limit',
  detail: 'The model server ended the answer at its greatest number of tokens.',
  remedy: 'Ask for a shorter answer, or raise the limit of the server.',
});

/** Returns the wait that a `Retry-After` header asks for: seconds or a date; null where it says nothing. */
export function retryAfterSeconds(header: string | null, nowMs: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}
