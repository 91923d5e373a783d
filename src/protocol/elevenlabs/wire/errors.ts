import { explainCloseWith, permanent, temporary } from '../../core/close-meaning.ts';
import type { CloseMeaning, Endpoint } from '../../core/endpoint.ts';

interface SocketError {
  /** With which its message begins. */
  begins: string;
  close: CloseMeaning & { code: number };
}

/** Names a turn that ended without audio. No frame has this name. */
export const NO_AUDIO = 'final_without_audio';

const POLICY = 1008;
const FAILED = 1011;

const closing = (code: number, meaning: CloseMeaning): CloseMeaning & { code: number } => ({
  code,
  ...meaning,
});

/** Errors of the sockets (`facts-elevenlabs 5.1`). All of them close the connection, most of them with one code. */
const ERRORS = {
  authentication_required: {
    begins: 'None of the authentication methods',
    close: closing(POLICY, permanent('NO_KEY', 'The server got no key.', 'Enter a key in Set-up.')),
  },
  invalid_api_key: {
    begins: 'Invalid API key',
    close: closing(
      POLICY,
      permanent('INVALID_KEY', 'The server does not accept this key.', 'Enter another key in Set-up.'),
    ),
  },
  voice_id_does_not_exist: {
    begins: 'A voice with voice_id',
    close: closing(
      POLICY,
      permanent(
        'UNKNOWN_VOICE',
        'The server has no voice with this id.',
        'Choose a voice that it lists, or paste another id.',
      ),
    ),
  },
  // Ours, from here to the next one of the vendor's: what it says there is not known (`facts-elevenlabs 10`, 1, 2 and 6).
  model_id_does_not_exist: {
    begins: 'A model with model_id',
    close: closing(
      POLICY,
      permanent('UNKNOWN_MODEL', 'The server has no model of this name.', 'Choose another model in Set-up.'),
    ),
  },
  validation_error: {
    begins: 'Invalid request',
    close: closing(
      POLICY,
      permanent(
        'INVALID_MESSAGE',
        'The server cannot take a setting or a message.',
        'Correct what it names.',
      ),
    ),
  },
  too_many_concurrent_requests: {
    begins: 'Too many concurrent requests',
    close: closing(
      POLICY,
      temporary('RATE_LIMITED', 'More is spoken at a time than the plan allows.', 'Speak again in a moment.'),
    ),
  },
  input_timeout_exceeded: {
    begins: 'Have not received a new text input',
    close: closing(
      POLICY,
      permanent(
        'IDLE',
        'No text came within the inactivity time-out.',
        'Speak opens a new connection; the time-out is in Set-up.',
      ),
    ),
  },
  max_active_conversations: {
    begins: 'Maximum simultaneous contexts',
    close: closing(
      POLICY,
      permanent(
        'TOO_MANY_CONTEXTS',
        'More contexts were open than one connection may have.',
        'Close one before another opens.',
      ),
    ),
  },
  voice_settings_changed: {
    begins: 'voice_settings field must be provided',
    close: closing(
      POLICY,
      permanent(
        'SETTINGS_CHANGED',
        'The settings of a voice changed after its first message.',
        'Send them in the first message only.',
      ),
    ),
  },
  quota_exceeded: {
    begins: 'This request exceeds your q',
    close: closing(
      POLICY,
      permanent(
        'NO_CREDITS',
        'The account has too few credits for this text.',
        'Top up the account or enter another key.',
      ),
    ),
  },
  detected_unusual_activity: {
    begins: 'Unusual activity detected',
    close: closing(
      POLICY,
      permanent(
        'UNUSUAL_ACTIVITY',
        'The vendor has blocked this use of a free account.',
        'Use a paid plan, or no proxy.',
      ),
    ),
  },
  internal_error: {
    begins: 'We are sorry, something went wrong',
    close: closing(
      FAILED,
      temporary('SERVER_ERROR', 'The server ran into an error.', 'Speak again; the text is kept.'),
    ),
  },
} as const satisfies Record<string, SocketError>;

export type ErrorName = keyof typeof ERRORS;

export const ERROR_NAMES = Object.keys(ERRORS) as ErrorName[];

/** The close code that follows an error. */
export const closeCodeOf = (name: ErrorName): number => ERRORS[name].close.code;

const BY_NAME: ReadonlyMap<string, SocketError> = new Map(Object.entries(ERRORS));

const explainOther = explainCloseWith({});

/** The code says little, so the beginning of the reason decides (`facts-elevenlabs 5.1.2`). */
export const explainClose: Endpoint['explainClose'] = (code, reason) => {
  const known = Object.values(ERRORS).find(
    ({ begins, close }) => close.code === code && reason.startsWith(begins),
  );
  if (!known) return explainOther(code, reason);
  const { code: _, ...meaning } = known.close;
  return meaning;
};

const NO_AUDIO_REMEDY =
  'This happens where no credits are left, or where the plan does not include the voice. Check both, then speak again.';

export const explainError: Endpoint['explainError'] = (name) =>
  name === NO_AUDIO ? NO_AUDIO_REMEDY : (BY_NAME.get(name ?? '')?.close.remedy ?? null);

/** The frame of an error. Its close follows. */
export const errorFrame = (name: ErrorName, message: string, contextId: string | null = null) => ({
  message,
  error: name,
  code: closeCodeOf(name),
  ...(contextId === null ? {} : { contextId }),
});
