import { explainErrors } from '../../core/close-meaning.ts';
import type { Protocol, VendorFailures } from '../../core/endpoint.ts';

/** Names a turn that ended without audio. No frame has this name. */
export const NO_AUDIO = 'final_without_audio';

const closes =
  (mayReconnect: boolean, code = 1008) =>
  (begins: string, name: string, meaning: string, remedy: string) => ({
    remedy,
    close: { code, name, meaning, mayReconnect, begins },
  });
const final = closes(false);

/** Errors of the sockets. All of them close the connection, most of them with one code. */
const ERRORS = {
  authentication_required: final(
    'None of the authentication methods',
    'NO_KEY',
    'The server got no key.',
    'Enter a key in Set-up.',
  ),
  invalid_api_key: final(
    'Invalid API key',
    'INVALID_KEY',
    'The server does not accept this key.',
    'Enter another key in Set-up.',
  ),
  voice_id_does_not_exist: final(
    'A voice with voice_id',
    'UNKNOWN_VOICE',
    'The server has no voice with this id.',
    'Choose a voice that it lists, or paste another id.',
  ),
  input_timeout_exceeded: final(
    'Have not received a new text input',
    'IDLE',
    'No text came within the inactivity time-out.',
    'Speak opens a new connection; the time-out is in Set-up.',
  ),
  max_active_conversations: final(
    'Maximum simultaneous contexts',
    'TOO_MANY_CONTEXTS',
    'One connection had too many contexts.',
    'Close one before another opens.',
  ),
  voice_settings_changed: final(
    'voice_settings field must be provided',
    'SETTINGS_CHANGED',
    'The settings of a voice changed.',
    'Send them in its first message only.',
  ),
  quota_exceeded: final(
    'This request exceeds your q',
    'NO_CREDITS',
    'The account has too few credits.',
    'Top up the account or enter another key.',
  ),
  detected_unusual_activity: final(
    'Unusual activity detected',
    'UNUSUAL_ACTIVITY',
    'The vendor blocks this free account.',
    'Use a paid plan, or no proxy.',
  ),
  internal_error: closes(true, 1011)(
    'We are sorry, something went wrong',
    'SERVER_ERROR',
    'The server ran into an error.',
    'Speak again; the text is kept.',
  ),
  // Ours: the vendor's names and sentences are not known (elevenlabs-error-12 elevenlabs-error-14).
  model_id_does_not_exist: final(
    'A model with model_id',
    'UNKNOWN_MODEL',
    'The server has no model of this name.',
    'Choose another model in Set-up.',
  ),
  validation_error: final(
    'Invalid request',
    'INVALID_MESSAGE',
    'The server cannot take a setting or a message.',
    'Correct what it names.',
  ),
  too_many_concurrent_requests: closes(true)(
    'Too many concurrent requests',
    'RATE_LIMITED',
    'More is spoken at a time than the plan allows.',
    'Speak again in a moment.',
  ),
};

/** Ends a context alone, or the connection. */
export const IDLE_ERROR = 'input_timeout_exceeded' satisfies ErrorName;

export type ErrorName = keyof typeof ERRORS;

/** The close code that follows an error. */
export const closeCodeOf = (name: ErrorName): number => ERRORS[name].close.code;

/** The frame of an error. Its close follows. */
export const errorFrame = (name: ErrorName, message: string, contextId: string | null = null) => ({
  message,
  error: name,
  code: closeCodeOf(name),
  ...(contextId === null ? {} : { contextId }),
});

/** Faults on purpose: every error of the sockets. Frames have no totals. */
const failures: VendorFailures = {
  errors: Object.keys(ERRORS),
  overloaded: 'internal_error',
  error(name, context) {
    const reason = `${name}, a fault on purpose`;
    const frame = errorFrame(name as ErrorName, reason, context);
    return { frame, close: { code: frame.code, reason } };
  },
  words: ['alignment', 'normalizedAlignment'],
  totals: [],
};

const NO_AUDIO_REMEDY =
  'This happens where no credits are left, or where the plan does not include the voice. Check both, then speak again.';

export const elevenLabsErrors: Pick<Protocol, 'explainClose' | 'explainError' | 'failures'> = {
  ...explainErrors({ ...ERRORS, [NO_AUDIO]: { remedy: NO_AUDIO_REMEDY } }),
  failures,
};
