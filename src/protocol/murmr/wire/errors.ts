import { explainCloseWith, permanent, temporary } from '../../core/close-meaning.ts';
import type { CloseMeaning } from '../../core/endpoint.ts';

/** Close codes of the seed. 4004 is also the code of an error frame that leaves the socket open (`facts 6.3.7`). */
export const AUTH_TIMEOUT = 4001;
export const AUTH_FAILED = 4002;
export const INVALID_MESSAGE = 4003;
export const RATE_LIMITED = 4004;
export const SERVER_ERROR = 4005;
/** The code of an error frame, never of a close (`facts 6.3.8`). */
export const ALL_SLOTS_OCCUPIED = 4006;

const MEANINGS: Readonly<Record<number, CloseMeaning>> = {
  // The vendor's client also reconnects after an ordinary end (`facts 6.3.19`).
  1000: temporary('NORMAL', 'The connection ended as asked.', 'Speak opens a new one.'),
  [AUTH_TIMEOUT]: permanent(
    'AUTH_TIMEOUT',
    'The server got no config message within 10 seconds.',
    'Connect again; the config is sent first.',
  ),
  [AUTH_FAILED]: permanent(
    'AUTH_FAILED',
    'The server does not accept this key, or the plan behind it has no WebSocket.',
    'Enter another key, or move to the Realtime or Scale plan.',
  ),
  [INVALID_MESSAGE]: permanent(
    'INVALID_MESSAGE',
    'The server did not understand a message.',
    'Correct what it names, then connect again.',
  ),
  [RATE_LIMITED]: temporary(
    'RATE_LIMITED',
    'Too many connections are open with this key, or with this server.',
    'Close one, or wait a moment.',
  ),
  [SERVER_ERROR]: temporary('SERVER_ERROR', 'The server ran into an error.', 'Try again.'),
};

export const explainMurmrClose = explainCloseWith(MEANINGS);

/** Codes of error frames by name. */
const ERRORS = {
  AUTH_TIMEOUT,
  AUTH_FAILED,
  INVALID_MESSAGE,
  RATE_LIMITED,
  SERVER_ERROR,
  ALL_SLOTS_OCCUPIED,
} as const;

type RealtimeErrorName = keyof typeof ERRORS;

export const REALTIME_ERRORS = Object.keys(ERRORS) as RealtimeErrorName[];

/** @param name one of `REALTIME_ERRORS` */
export const errorCode = (name: string): number => ERRORS[name as RealtimeErrorName];

/** The name of an error by its code, because the frame carries none. */
export const errorName = (code: number | null): string | null =>
  REALTIME_ERRORS.find((name) => ERRORS[name] === code) ??
  (code === null ? null : (MEANINGS[code]?.name ?? null));

const REMEDIES: ReadonlyMap<number, string> = new Map([
  [AUTH_TIMEOUT, 'Connect again; the config is sent first.'],
  [AUTH_FAILED, 'Enter another key, or move to the Realtime or Scale plan.'],
  [INVALID_MESSAGE, 'Correct what the message names, then speak again.'],
  [RATE_LIMITED, 'Wait a moment; the limits are 100 generations a minute and 10 connections for a key.'],
  [SERVER_ERROR, 'Speak again; the text is kept.'],
  [ALL_SLOTS_OCCUPIED, 'Every speech slot of the server is taken. Speak again shortly.'],
]);

export const explainMurmrError = (_: string | null, code: number | null): string | null =>
  code === null ? null : (REMEDIES.get(code) ?? null);
