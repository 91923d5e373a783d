import { explainCloseWith } from '../../core/close-meaning.ts';
import type { CloseMeaning } from '../../core/endpoint.ts';

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

export const explainClose = explainCloseWith(MEANINGS);

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
