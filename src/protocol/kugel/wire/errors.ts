import { wordList } from '#lib/word-list.ts';
import { type ErrorEntry, explainErrors } from '../../core/close-meaning.ts';
import type { Protocol, VendorFailures } from '../../core/endpoint.ts';

/** Every `error_code`. Without a close the socket stays open (kugel-close-9). */
const ERRORS = {
  VALIDATION_ERROR: {
    numbers: [400, 413, 501],
    remedy: 'Correct the named field in Set-up and speak again; nothing of this message was used.',
  },
  MISSING_VOICE_ID: { numbers: [400], remedy: 'Choose a voice in Set-up.' },
  UNAUTHORIZED: {
    numbers: [401, 403],
    remedy: 'Enter another key in Set-up.',
    close: {
      code: 4001,
      meaning: 'The server does not accept this key.',
      remedy: 'Enter another key.',
      mayReconnect: false,
    },
  },
  INSUFFICIENT_CREDITS: {
    numbers: [402],
    remedy: 'Top up the account or enter another key.',
    close: { code: 4003, meaning: 'The account has no credits left.', mayReconnect: false },
  },
  NOT_FOUND: { numbers: [404], remedy: 'Choose a voice or dictionary that this server knows.' },
  RATE_LIMITED: {
    numbers: [429],
    remedy: 'Wait a moment before the next turn.',
    close: { code: 4029, meaning: 'The organisation has reached its rate limit.', mayReconnect: true },
  },
  TOO_MANY_CONTEXTS: {
    numbers: [429],
    remedy: 'Close a context, or wait until the server closes an idle one, then try again.',
  },
  INTERNAL_ERROR: {
    numbers: [500, 503],
    remedy: 'Speak again; the text is kept.',
    close: {
      code: 4000,
      meaning: 'The server failed to generate.',
      remedy: 'Try again; if it fails again, send the request id to the vendor.',
      mayReconnect: true,
    },
  },
  MODEL_UNAVAILABLE: {
    numbers: [503],
    remedy: 'Try again shortly.',
    close: { code: 4500, meaning: 'The model is down or overloaded.', mayReconnect: true },
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorName = keyof typeof ERRORS;

const BY_NAME: ReadonlyMap<string, ErrorEntry> = new Map(Object.entries(ERRORS));

/** The close codes that follow errors. */
export const CLOSE_AFTER: Partial<Record<ErrorName, number>> = Object.fromEntries(
  [...BY_NAME].flatMap(([name, { close }]) => (close ? [[name, close.code]] : [])),
);

/** The numbers of an error by its name; undefined for an unknown name. */
export const errorNumbers = (name: string): readonly number[] | undefined => BY_NAME.get(name)?.numbers;

/** Close code of a server that restarts (kugel-close-2). */
export const CLOSE_RESTARTING = 1012;

const explained = explainErrors(ERRORS);

/** Errors of the vendor, and figures that a fault may falsify. */
const failures: VendorFailures = {
  errors: Object.keys(ERRORS),
  overloaded: 'MODEL_UNAVAILABLE',
  error(name, context) {
    const close = CLOSE_AFTER[name as ErrorName];
    return {
      frame: {
        error: `${name}, a fault on purpose`,
        error_code: name,
        code: errorNumbers(name)?.[0],
        ...(context === null ? {} : { context_id: context }),
      },
      close: close === undefined ? null : { code: close, reason: name },
    };
  },
  words: 'ownFrames',
  totals: wordList(
    'total_audio_seconds total_text_chunks total_audio_chunks chunks total_samples dur_ms audio_seconds characters cost_cents',
  ),
};

/** Frames carry a name, which alone is explained. */
export const kugelErrors: Pick<Protocol, 'explainClose' | 'explainError' | 'failures'> = {
  explainClose: explained.explainClose,
  explainError: (name) => explained.explainError(name, null),
  failures,
};
