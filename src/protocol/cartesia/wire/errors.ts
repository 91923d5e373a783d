import { type ErrorEntry, explainErrors, permanent, temporary } from '../../core/close-meaning.ts';
import type { Protocol, VendorFailures } from '../../core/endpoint.ts';
import { LATEST_VERSION, type Version, versionTraits } from './settings.ts';

interface VendorFault extends ErrorEntry {
  /** In `status_code`, or of an HTTP answer. */
  numbers: readonly [number];
  title: string;
  message: string;
  /** The whole text in the older shape, where it differs. */
  old?: string;
}

/** Errors by `error_code`. Pages of the vendor name three of these codes (cartesia-error-11). */
const ERRORS = {
  concurrency_limited: {
    numbers: [429],
    title: 'Too many concurrent requests',
    message: "You have exceeded your plan's concurrency limit.",
    remedy: 'Speak again in a moment; the plan decides how many turns run at a time.',
  },
  model_not_found: {
    numbers: [400],
    title: 'Invalid model',
    message: 'The model is not valid, make sure it is a valid model ID.',
    remedy: 'Choose another model in Set-up.',
  },
  quota_exceeded: {
    numbers: [402],
    title: 'Quota exceeded',
    message: 'The account has too few credits.',
    remedy: 'Top up the account or enter another key.',
  },
  invalid_transcript: {
    numbers: [400],
    title: 'Invalid transcript',
    message: 'Your initial transcript is empty or contains only punctuation.',
    old: 'transcript empty or contains only punctuation: first transcript for WS is empty or contains only punctuation',
    remedy: 'Begin a turn with a word.',
  },
  voice_not_found: {
    numbers: [404],
    title: 'Voice not found',
    message: 'No voice has this ID.',
    remedy: 'Choose a voice that the server lists, or paste another id.',
  },
  dictionary_not_found: {
    numbers: [404],
    title: 'Pronunciation dictionary not found',
    message: 'No pronunciation dictionary has this ID.',
    remedy: 'Leave out the dictionary, or paste another id.',
  },
  invalid_request: {
    numbers: [400],
    title: 'Invalid request',
    message: 'The request is not valid.',
    remedy: 'Correct what it names.',
  },
  unauthorized: {
    numbers: [401],
    title: 'Unauthorized',
    message: 'The API key is not valid.',
    remedy: 'Enter another key in Set-up.',
  },
  version_not_found: {
    numbers: [404],
    title: 'Not found',
    message: 'No API schema exists for the requested Cartesia-Version',
    old: 'No API schema exists for the requested Cartesia-Version',
    remedy: 'Choose another version in Set-up.',
  },
  internal_error: {
    numbers: [500],
    title: 'Internal server error',
    message: 'Something went wrong.',
    remedy: 'Speak again; the text is kept.',
  },
  service_unavailable: {
    numbers: [503],
    title: 'Service unavailable',
    message: 'The service takes no new work at the moment.',
    remedy: 'Speak again in a moment.',
  },
} satisfies Record<string, VendorFault>;

export type ErrorName = keyof typeof ERRORS;

const ERROR_NAMES = Object.keys(ERRORS) as ErrorName[];

const ENTRIES = Object.entries<VendorFault>(ERRORS);

export interface CartesiaError {
  name: ErrorName;
  /** Instead of the usual one of this name. */
  message?: string;
}

/** Unknown ids answer 404 since 2026-03-01, and 400 before (cartesia-error-10). */
export function statusOf(name: ErrorName, version: Version): number {
  const isUnknownId = name === 'voice_not_found' || name === 'dictionary_not_found';
  return isUnknownId && !versionTraits(version).hasStructuredErrors ? 400 : ERRORS[name].numbers[0];
}

/** The text of the older shape. */
export function errorText({ name, message }: CartesiaError): string {
  const fault: VendorFault = ERRORS[name];
  const usual = fault.old ?? `${fault.title}: ${fault.message}`;
  return message === undefined ? usual : `${fault.title}: ${message}`;
}

/** The fields of the structured shape. @param requestId a UUID */
export const errorFields = ({ name, message = ERRORS[name].message }: CartesiaError, requestId: string) => ({
  error_code: name,
  title: ERRORS[name].title,
  message,
  request_id: requestId,
});

/** The frame of an error, in the shape of the version. @param context null for the whole connection */
export const errorFrame = (
  error: CartesiaError,
  context: string | null,
  version: Version,
  requestId: string,
) => ({
  type: 'error',
  ...(context === null ? {} : { context_id: context }),
  status_code: statusOf(error.name, version),
  done: true,
  ...(versionTraits(version).hasStructuredErrors
    ? errorFields(error, requestId)
    : { error: errorText(error) }),
});

/** The name of an error in the older shape, which has none; null for an unknown text. */
export const nameIn = (text: string): string | null =>
  ENTRIES.find(([, { title, old = title }]) => text.startsWith(old) || text.startsWith(`${title}: `))?.[0] ??
  null;

/** The server closes an idle connection with this reason, and with 1000 (cartesia-close-1). */
export const IDLE_REASON = 'connection idle timeout';

export const IDLE_CONNECTION_MS = 300_000;

/** Frames have no totals, and no error closes the connection. */
const failures: VendorFailures = {
  errors: ERROR_NAMES,
  overloaded: 'concurrency_limited',
  error(name, context) {
    const error = { name: name as ErrorName, message: `${name}, a fault on purpose` };
    // In both shapes, because a fault does not know the version of its connection.
    const frame = {
      ...errorFrame(error, context, LATEST_VERSION, 'a-fault-on-purpose'),
      error: errorText(error),
    };
    return { frame, close: null };
  },
  words: 'ownFrames',
  totals: [],
};

const explained = explainErrors(ERRORS, {
  // A browser does not see why a handshake was refused.
  1006: temporary(
    'REFUSED_OR_BROKEN',
    'The connection broke, or the server refused it.',
    'Check that the server runs, and the key, its credits, the version and the number of connections: a browser is not told which of them was refused.',
  ),
});

const IDLE = permanent('IDLE', 'Nothing was said for five minutes.', 'Speak opens a new connection.');

export const cartesiaErrors: Pick<Protocol, 'explainClose' | 'explainError' | 'failures'> = {
  ...explained,
  explainClose: (code, reason) =>
    code === 1000 && reason === IDLE_REASON ? IDLE : explained.explainClose(code, reason),
  failures,
};
