import { explainErrors, temporary } from '../../core/close-meaning.ts';
import type { VendorFailures } from '../../core/endpoint.ts';

const PIECES = 'Send the text in smaller pieces.';
const BY_ITSELF = 'It reconnects by itself.';
const SPEAK_AGAIN = 'Speak opens a new connection.';

/** @param words what happened; ours where the vendor's were not seen */
const error = (code: number, name: string, words: string, remedy: string) => ({
  remedy,
  close: { code, name, meaning: words, mayReconnect: remedy === BY_ITSELF },
});

/**
 * Errors of the sockets by their code, which begins the reason of the close. On `/v1/speak` the close is all that comes; on
 * `/v2/speak` a message with the code precedes it. No page names the closes of `/v2/speak` (deepgram-close-16).
 */
const ERRORS = {
  'MESSAGE-0000': error(
    1003,
    'UNREADABLE',
    'The message could not be parsed.',
    'Send text messages with JSON.',
  ),
  'DATA-0000': error(
    1008,
    'NO_COMMAND',
    'The message is not a valid command.',
    'See the templates of the frames.',
  ),
  'DATA-0001': error(
    1008,
    'TOO_FAST',
    'More than 2,400 characters came in a minute.',
    'Send text more slowly.',
  ),
  'DATA-0002': error(1008, 'BAD_CONTROL', 'The text has a malformed inline control.', 'Remove the control.'),
  'BIG-0000': error(1009, 'TOO_BIG', 'The message is too large.', PIECES),
  'BIG-0001': error(1009, 'TEXT_TOO_LONG', 'One text has more characters than the server takes.', PIECES),
  'NET-0000': error(1011, 'SERVER_ERROR', 'An internal error occurred.', BY_ITSELF),
  'NET-0001': error(1011, 'IDLE', 'No message was received in time.', SPEAK_AGAIN),
  'NET-0002': error(1011, 'UNREAD', 'The client did not read a message that was sent.', BY_ITSELF),
  'NET-0003': error(1011, 'TOO_OLD', 'The session reached its time limit of one hour.', BY_ITSELF),
  'NET-0004': error(1011, 'IDLE', 'No message was received for 60 seconds.', SPEAK_AGAIN),
};

export type ErrorCode = keyof typeof ERRORS;

const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** An error as the server ends a connection with it. @param description instead of the usual one */
export function socketError(code: ErrorCode, description: string = ERRORS[code].close.meaning) {
  return { code, description, close: ERRORS[code].close.code, reason: `${code}: ${description}` };
}

const withBeginnings = ERROR_CODES.map((code) => {
  const { remedy, close } = ERRORS[code];
  return [code, { remedy, close: { ...close, begins: code } }] as const;
});

/** The code of an error begins the reason. The refusal of a handshake shows in a browser as 1006 alone. */
export const deepgramErrors = explainErrors(Object.fromEntries(withBeginnings), {
  1006: temporary(
    'REFUSED_OR_BROKEN',
    'The connection broke, or the server refused it.',
    'Check that the server runs, and the key, its credits, the voice and the region: a browser is not told which of them was refused.',
  ),
});

const failuresOf = (without: readonly ErrorCode[], totals: readonly string[]): VendorFailures => ({
  errors: ERROR_CODES.filter((code) => !without.includes(code)),
  overloaded: 'NET-0000',
  error(name) {
    const { code, close, reason } = socketError(name as ErrorCode);
    const description = `${reason} A fault on purpose.`;
    return {
      frame: { type: 'Error', code, description },
      close: { code: close, reason },
    };
  },
  words: null,
  totals,
});

/** `/v1/speak` has no message of an error, but LiveKit reads one. */
export const speakFailures = failuresOf(['DATA-0002', 'NET-0004'], []);
export const fluxFailures = failuresOf(
  ['DATA-0001', 'BIG-0001'],
  ['audio_duration_ms', 'input_character_count', 'billable_character_count'],
);

/** Codes of warnings on `/v1/speak` and `/v2/speak`. */
export const EXCESSIVE_FLUSH = 'EXCESSIVE_FLUSH';
export const FLUX_WARNINGS = {
  NO_ACTIVE_SPEECH: 'There is no active turn. The request will be ignored.',
  NO_SYNTHESIZABLE_TEXT: 'The text contains nothing that can be spoken.',
  INPUT_MARKUP_STRIPPED: 'Markup was removed from the text.',
  NO_AUDIO_GENERATED: 'No audio has been generated in this session. The request will be ignored.',
  INTERRUPT_IN_PROGRESS: 'An interrupt is in progress. The request will be ignored.',
  INVALID_INTERRUPT_OFFSET: 'The playback offset does not pass the former one. The request will be ignored.',
} as const;
export type FluxWarning = keyof typeof FLUX_WARNINGS;
