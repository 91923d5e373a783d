import { type ErrorEntry, explainErrors, temporary } from '../../core/close-meaning.ts';
import type { Protocol, VendorFailures } from '../../core/endpoint.ts';

/** Close codes. 4004 is also the code of an error frame that leaves the socket open (murmr-close-5). */
export const AUTH_TIMEOUT = 4001;
export const AUTH_FAILED = 4002;
export const INVALID_MESSAGE = 4003;
export const RATE_LIMITED = 4004;
export const SERVER_ERROR = 4005;
/** The code of an error frame, never of a close. */
export const ALL_SLOTS_OCCUPIED = 4006;

const ERRORS = {
  AUTH_TIMEOUT: {
    numbers: [AUTH_TIMEOUT],
    remedy: 'Connect again; the config is sent first.',
    close: {
      code: AUTH_TIMEOUT,
      meaning: 'The server got no config message within 10 seconds.',
      mayReconnect: false,
    },
  },
  AUTH_FAILED: {
    numbers: [AUTH_FAILED],
    remedy: 'Enter another key, or move to the Realtime or Scale plan.',
    close: {
      code: AUTH_FAILED,
      meaning: 'The server does not accept this key, or the plan behind it has no WebSocket.',
      mayReconnect: false,
    },
  },
  INVALID_MESSAGE: {
    numbers: [INVALID_MESSAGE],
    remedy: 'Correct what the message names, then speak again.',
    close: {
      code: INVALID_MESSAGE,
      meaning: 'The server did not understand a message.',
      remedy: 'Correct what it names, then connect again.',
      mayReconnect: false,
    },
  },
  RATE_LIMITED: {
    numbers: [RATE_LIMITED],
    remedy: 'Wait a moment; the limits are 100 generations a minute and 10 connections for a key.',
    close: {
      code: RATE_LIMITED,
      meaning: 'Too many connections are open with this key, or with this server.',
      remedy: 'Close one, or wait a moment.',
      mayReconnect: true,
    },
  },
  SERVER_ERROR: {
    numbers: [SERVER_ERROR],
    remedy: 'Speak again; the text is kept.',
    close: {
      code: SERVER_ERROR,
      meaning: 'The server ran into an error.',
      remedy: 'Try again.',
      mayReconnect: true,
    },
  },
  ALL_SLOTS_OCCUPIED: {
    numbers: [ALL_SLOTS_OCCUPIED],
    remedy: 'Every speech slot of the server is taken. Speak again shortly.',
  },
} as const satisfies Record<string, ErrorEntry>;

const NAMES = Object.keys(ERRORS) as (keyof typeof ERRORS)[];

const NORMAL = 1000;

/** The name of an error by its code, because the frame carries none. */
export const errorName = (code: number | null): string | null =>
  NAMES.find((name) => ERRORS[name].numbers[0] === code) ?? (code === NORMAL ? 'NORMAL' : null);

/** After these errors the socket stays open. */
const STAYS_OPEN: ReadonlySet<number> = new Set([RATE_LIMITED, ALL_SLOTS_OCCUPIED]);

const failures: VendorFailures = {
  errors: NAMES,
  overloaded: 'ALL_SLOTS_OCCUPIED',
  error(name) {
    const [code] = ERRORS[name as keyof typeof ERRORS].numbers;
    return {
      frame: { type: 'error', message: `${name}, a fault on purpose`, code },
      close: STAYS_OPEN.has(code) ? null : { code, reason: name },
    };
  },
  words: null,
  totals: ['total_chunks', 'duration_ms'],
};

export const murmrErrors: Pick<Protocol, 'explainClose' | 'explainError' | 'failures'> = {
  ...explainErrors(ERRORS, {
    // The vendor's client also reconnects after an ordinary end.
    [NORMAL]: temporary('NORMAL', 'The connection ended as asked.', 'Speak opens a new one.'),
  }),
  failures,
};
