import { explainCloseWith } from '../../core/close-meaning.ts';
import type { CloseMeaning } from '../../core/endpoint.ts';

interface KugelError {
  /** The `code`s of its error frames. */
  numbers: readonly number[];
  remedy: string;
  /** The close that follows. Without one the socket stays open (`facts 10`, decision 2.12). */
  close?: Pick<CloseMeaning, 'meaning' | 'mayReconnect'> & {
    code: number;
    /** Where it differs from that of the frame. */
    remedy?: string;
  };
}

/** Every `error_code` of `facts 1.8`. */
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
} as const satisfies Record<string, KugelError>;

export type ErrorName = keyof typeof ERRORS;

export const ERROR_NAMES = Object.keys(ERRORS) as ErrorName[];

const BY_NAME: ReadonlyMap<string, KugelError> = new Map(Object.entries(ERRORS));
const closing = [...BY_NAME].flatMap(([name, { close, remedy }]) =>
  close ? [{ name, remedy, ...close }] : [],
);

/** The close code that follows an error. */
export const CLOSE_AFTER: Partial<Record<ErrorName, number>> = Object.fromEntries(
  closing.map(({ name, code }) => [name, code]),
);

/** Close code of a server that restarts (`facts 2.3.33`). */
export const CLOSE_RESTARTING = 1012;

export const explainKugelClose = explainCloseWith(
  Object.fromEntries(closing.map(({ code, ...meaning }) => [code, meaning])),
);

/** @param name as the server gave it, which may be anything */
export const explainKugelError = (name: string | null): string | null =>
  BY_NAME.get(name ?? '')?.remedy ?? null;

/** The numbers of an error by its name (`facts 1.8`); undefined for an unknown name. */
export const errorNumbers = (name: string): readonly number[] | undefined => BY_NAME.get(name)?.numbers;
