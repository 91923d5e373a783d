import type { CloseMeaning } from '../endpoint.ts';

/** Every `error_code` of `facts 1.8`. */
export type ErrorName =
  | 'VALIDATION_ERROR'
  | 'MISSING_VOICE_ID'
  | 'UNAUTHORIZED'
  | 'INSUFFICIENT_CREDITS'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'TOO_MANY_CONTEXTS'
  | 'INTERNAL_ERROR'
  | 'MODEL_UNAVAILABLE';

/** The close that follows an error; an error that is not listed leaves the socket open (`facts 10`, decision 2.12). */
export const CLOSE_AFTER: Partial<Record<ErrorName, number>> = {
  INTERNAL_ERROR: 4000,
  UNAUTHORIZED: 4001,
  INSUFFICIENT_CREDITS: 4003,
  RATE_LIMITED: 4029,
  MODEL_UNAVAILABLE: 4500,
};

/** Close code of a server that goes away for a restart (`facts 2.3.33`). */
export const CLOSE_RESTARTING = 1012;

const MEANINGS: Readonly<Record<number, CloseMeaning>> = {
  4000: {
    name: 'INTERNAL_ERROR',
    meaning: 'The server failed to generate.',
    remedy: 'Try again; if it stays, tell the vendor the request id.',
    mayReconnect: true,
  },
  4001: {
    name: 'UNAUTHORIZED',
    meaning: 'The server does not accept this key.',
    remedy: 'Enter another key.',
    mayReconnect: false,
  },
  4003: {
    name: 'INSUFFICIENT_CREDITS',
    meaning: 'The account has no credits left.',
    remedy: 'Top up the account or enter another key.',
    mayReconnect: false,
  },
  4029: {
    name: 'RATE_LIMITED',
    meaning: 'The organisation has reached its rate limit.',
    remedy: 'Wait a moment before the next turn.',
    mayReconnect: true,
  },
  4500: {
    name: 'MODEL_UNAVAILABLE',
    meaning: 'The model is down or overloaded.',
    remedy: 'Try again shortly.',
    mayReconnect: true,
  },
};

/** Codes of RFC 6455 and of the vendor's deployment (`facts 1.8`). */
const GENERAL: Readonly<Record<number, CloseMeaning>> = {
  1000: {
    name: 'NORMAL',
    meaning: 'The connection ended as asked.',
    remedy: 'Speak opens a new one.',
    mayReconnect: false,
  },
  1001: {
    name: 'GOING_AWAY',
    meaning: 'The server is shutting down.',
    remedy: 'It reconnects by itself.',
    mayReconnect: true,
  },
  1006: {
    name: 'ABNORMAL',
    meaning: 'The connection broke without a goodbye, or the server cannot be reached.',
    remedy: 'Check that the server runs and that its address is right.',
    mayReconnect: true,
  },
  1008: {
    name: 'POLICY',
    meaning: 'The server refused to go on with this connection.',
    remedy: 'See the reason it gave.',
    mayReconnect: false,
  },
  1009: {
    name: 'TOO_BIG',
    meaning: 'A message was larger than the server takes.',
    remedy: 'Send less text at once.',
    mayReconnect: false,
  },
  1011: {
    name: 'SERVER_ERROR',
    meaning: 'The server ran into an error.',
    remedy: 'It reconnects by itself.',
    mayReconnect: true,
  },
  1012: {
    name: 'RESTARTING',
    meaning: 'The server is restarting.',
    remedy: 'It reconnects by itself.',
    mayReconnect: true,
  },
  1013: {
    name: 'DRAINING',
    meaning: 'The server takes no new work at the moment.',
    remedy: 'It reconnects by itself.',
    mayReconnect: true,
  },
};

export function explainClose(code: number, reason: string): CloseMeaning {
  const known = MEANINGS[code] ?? GENERAL[code];
  if (!known) {
    return {
      name: String(code),
      meaning: reason === '' ? 'The server closed the connection without saying why.' : reason,
      remedy: 'Try again; the code is not among the documented ones.',
      mayReconnect: false,
    };
  }
  return reason === '' || code >= 4000 ? known : { ...known, meaning: `${known.meaning} It said: ${reason}` };
}

const REMEDIES: ReadonlyMap<string, string> = new Map([
  [
    'VALIDATION_ERROR',
    'Correct the named field in Set-up and speak again; nothing of this message was used.',
  ],
  ['MISSING_VOICE_ID', 'Choose a voice in Set-up.'],
  ['UNAUTHORIZED', 'Enter another key in Set-up.'],
  ['INSUFFICIENT_CREDITS', 'Top up the account or enter another key.'],
  ['NOT_FOUND', 'Choose a voice or dictionary that this server knows.'],
  ['TOO_MANY_CONTEXTS', 'Close a context, or wait until the server closes an idle one, then try again.'],
  ['RATE_LIMITED', 'Wait a moment before the next turn.'],
  ['INTERNAL_ERROR', 'Speak again; the text is kept.'],
  ['MODEL_UNAVAILABLE', 'Try again shortly.'],
]);

/** @param name as the server gave it, which may be anything */
export const explainError = (name: string | null): string | null =>
  name === null ? null : (REMEDIES.get(name) ?? null);
