import { explainCloseWith, permanent, temporary } from '../../core/close-meaning.ts';
import type { Protocol } from '../../core/endpoint.ts';
import { type Version, versionTraits } from './versions.ts';

interface VendorFault {
  /** In `status_code`, or of an HTTP answer. */
  status: number;
  title: string;
  message: string;
  /** The whole text in the older shape, where it differs. */
  old?: string;
  remedy: string;
}

/** By `error_code`. Those of `facts-cartesia E3` and K8 are the vendor's, apart from the code of K8; the others are ours. */
const ERRORS = {
  concurrency_limited: {
    status: 429,
    title: 'Too many concurrent requests',
    message: "You have exceeded your plan's concurrency limit.",
    remedy: 'Speak again in a moment; the plan decides how many turns run at a time.',
  },
  model_not_found: {
    status: 400,
    title: 'Invalid model',
    message: 'The model is not valid, make sure it is a valid model ID.',
    remedy: 'Choose another model in Set-up.',
  },
  quota_exceeded: {
    status: 402,
    title: 'Quota exceeded',
    message: 'The account has too few credits.',
    remedy: 'Top up the account or enter another key.',
  },
  invalid_transcript: {
    status: 400,
    title: 'Invalid transcript',
    message: 'Your initial transcript is empty or contains only punctuation.',
    old: 'transcript empty or contains only punctuation: first transcript for WS is empty or contains only punctuation',
    remedy: 'Begin a turn with a word.',
  },
  voice_not_found: {
    status: 404,
    title: 'Voice not found',
    message: 'No voice has this ID.',
    remedy: 'Choose a voice that the server lists, or paste another id.',
  },
  dictionary_not_found: {
    status: 404,
    title: 'Pronunciation dictionary not found',
    message: 'No pronunciation dictionary has this ID.',
    remedy: 'Leave out the dictionary, or paste another id.',
  },
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    message: 'The request is not valid.',
    remedy: 'Correct what it names.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    message: 'The API key is not valid.',
    remedy: 'Enter another key in Set-up.',
  },
  version_not_found: {
    status: 404,
    title: 'Not found',
    message: 'No API schema exists for the requested Cartesia-Version',
    old: 'No API schema exists for the requested Cartesia-Version',
    remedy: 'Choose another version in Set-up.',
  },
  internal_error: {
    status: 500,
    title: 'Internal server error',
    message: 'Something went wrong.',
    remedy: 'Speak again; the text is kept.',
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    message: 'The service takes no new work at the moment.',
    remedy: 'Speak again in a moment.',
  },
} satisfies Record<string, VendorFault>;

export type ErrorName = keyof typeof ERRORS;

export const ERROR_NAMES = Object.keys(ERRORS) as ErrorName[];

const ENTRIES = Object.entries<VendorFault>(ERRORS);

export interface CartesiaError {
  name: ErrorName;
  /** Instead of the usual one of this name. */
  message?: string;
}

/** Unknown ids answer 404 since 2026-03-01 (`facts-cartesia 0.2`), and, which is ours, 400 before. */
export function statusOf(name: ErrorName, version: Version): number {
  const isUnknownId = name === 'voice_not_found' || name === 'dictionary_not_found';
  return isUnknownId && !versionTraits(version).hasStructuredErrors ? 400 : ERRORS[name].status;
}

/** The text of the older shape (E1). */
export function errorText({ name, message }: CartesiaError): string {
  const fault: VendorFault = ERRORS[name];
  const usual = fault.old ?? `${fault.title}: ${fault.message}`;
  return message === undefined ? usual : `${fault.title}: ${message}`;
}

/** The fields of the structured shape (E2). @param requestId a UUID */
export const errorFields = ({ name, message = ERRORS[name].message }: CartesiaError, requestId: string) => ({
  error_code: name,
  title: ERRORS[name].title,
  message,
  request_id: requestId,
});

/** The frame of an error, in the shape of the version. @param context null for the whole connection (E6) */
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

/** The server closes an idle connection with it, and with 1000 (`facts-cartesia`, Q1). */
export const IDLE_REASON = 'connection idle timeout';

export const IDLE_CONNECTION_MS = 300_000;

const IDLE = permanent('IDLE', 'Nothing was said for five minutes.', 'Speak opens a new connection.');

const explainOther = explainCloseWith({
  // A browser does not see why a handshake was refused (A13).
  1006: temporary(
    'REFUSED_OR_BROKEN',
    'The connection broke, or the server refused it.',
    'Check that the server runs, and the key, its credits, the version and the number of connections: a browser is not told which of them was refused.',
  ),
});

export const explainClose: Protocol['explainClose'] = (code, reason) =>
  code === 1000 && reason === IDLE_REASON ? IDLE : explainOther(code, reason);

/** Statuses with many reasons explain nothing. */
const VAGUE: ReadonlySet<number | null> = new Set([400, 404]);

export const explainError: Protocol['explainError'] = (name, code) => {
  const named = ENTRIES.find(([known]) => known === name);
  const alike = VAGUE.has(code) ? undefined : ENTRIES.find(([, { status }]) => status === code);
  return (named ?? alike)?.[1].remedy ?? null;
};
