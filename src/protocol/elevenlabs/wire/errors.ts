import { explainCloseWith, permanent, temporary } from '../../core/close-meaning.ts';
import type { CloseMeaning, Protocol } from '../../core/endpoint.ts';

/** Names a turn that ended without audio. No frame has this name. */
export const NO_AUDIO = 'final_without_audio';

interface SocketError {
  code: number;
  /** With which its message begins. */
  begins: string;
  meaning: CloseMeaning;
}

const POLICY = 1008;

const error = (begins: string, meaning: CloseMeaning, code = POLICY): SocketError => ({
  code,
  begins,
  meaning,
});

/** Errors of the sockets (`facts-elevenlabs 5.1`). All of them close the connection, most of them with one code. */
const ERRORS = {
  authentication_required: error(
    'None of the authentication methods',
    permanent('NO_KEY', 'The server got no key.', 'Enter a key in Set-up.'),
  ),
  invalid_api_key: error(
    'Invalid API key',
    permanent('INVALID_KEY', 'The server does not accept this key.', 'Enter another key in Set-up.'),
  ),
  voice_id_does_not_exist: error(
    'A voice with voice_id',
    permanent(
      'UNKNOWN_VOICE',
      'The server has no voice with this id.',
      'Choose a voice that it lists, or paste another id.',
    ),
  ),
  input_timeout_exceeded: error(
    'Have not received a new text input',
    permanent(
      'IDLE',
      'No text came within the inactivity time-out.',
      'Speak opens a new connection; the time-out is in Set-up.',
    ),
  ),
  max_active_conversations: error(
    'Maximum simultaneous contexts',
    permanent(
      'TOO_MANY_CONTEXTS',
      'One connection had too many contexts.',
      'Close one before another opens.',
    ),
  ),
  voice_settings_changed: error(
    'voice_settings field must be provided',
    permanent('SETTINGS_CHANGED', 'The settings of a voice changed.', 'Send them in its first message only.'),
  ),
  quota_exceeded: error(
    'This request exceeds your q',
    permanent('NO_CREDITS', 'The account has too few credits.', 'Top up the account or enter another key.'),
  ),
  detected_unusual_activity: error(
    'Unusual activity detected',
    permanent('UNUSUAL_ACTIVITY', 'The vendor blocks this free account.', 'Use a paid plan, or no proxy.'),
  ),
  internal_error: error(
    'We are sorry, something went wrong',
    temporary('SERVER_ERROR', 'The server ran into an error.', 'Speak again; the text is kept.'),
    1011,
  ),
  // Ours: what the vendor says there is not known (`facts-elevenlabs 10`, 1, 2 and 6).
  model_id_does_not_exist: error(
    'A model with model_id',
    permanent('UNKNOWN_MODEL', 'The server has no model of this name.', 'Choose another model in Set-up.'),
  ),
  validation_error: error(
    'Invalid request',
    permanent('INVALID_MESSAGE', 'The server cannot take a setting or a message.', 'Correct what it names.'),
  ),
  too_many_concurrent_requests: error(
    'Too many concurrent requests',
    temporary('RATE_LIMITED', 'More is spoken at a time than the plan allows.', 'Speak again in a moment.'),
  ),
} satisfies Record<string, SocketError>;

/** Ends a context alone, or the connection. */
export const IDLE_ERROR = 'input_timeout_exceeded' satisfies ErrorName;

export type ErrorName = keyof typeof ERRORS;

export const ERROR_NAMES = Object.keys(ERRORS) as ErrorName[];

/** The close code that follows an error. */
export const closeCodeOf = (name: ErrorName): number => ERRORS[name].code;

const BY_NAME: ReadonlyMap<string, SocketError> = new Map(Object.entries(ERRORS));

const explainOther = explainCloseWith({});

/** The code says little, so the beginning of the reason decides (`facts-elevenlabs 5.1.2`). */
export const explainClose: Protocol['explainClose'] = (code, reason) => {
  const known = Object.values(ERRORS).find((each) => each.code === code && reason.startsWith(each.begins));
  return known ? known.meaning : explainOther(code, reason);
};

const NO_AUDIO_REMEDY =
  'This happens where no credits are left, or where the plan does not include the voice. Check both, then speak again.';

export const explainError: Protocol['explainError'] = (name) =>
  name === NO_AUDIO ? NO_AUDIO_REMEDY : (BY_NAME.get(name ?? '')?.meaning.remedy ?? null);

/** The frame of an error. Its close follows. */
export const errorFrame = (name: ErrorName, message: string, contextId: string | null = null) => ({
  message,
  error: name,
  code: closeCodeOf(name),
  ...(contextId === null ? {} : { contextId }),
});
