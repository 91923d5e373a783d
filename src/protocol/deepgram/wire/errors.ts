import { explainCloseWith, permanent, temporary } from '../../core/close-meaning.ts';
import type { CloseMeaning, Protocol } from '../../core/endpoint.ts';

/** Code of the close, name, what happened (ours where the vendor's words were not seen), and the remedy. */
type SocketError = readonly [close: number, name: string, words: string, remedy: string];

const PIECES = 'Send the text in smaller pieces.';
const BY_ITSELF = 'It reconnects by itself.';
const SPEAK_AGAIN = 'Speak opens a new connection.';

/**
 * Errors of the sockets by their code, which begins the reason of the close (`facts-deepgram 3.7`, 5.4). On `/v1/speak` the
 * close is all that comes; on `/v2/speak` a message with the code precedes it. The closes of those of `/v2/speak` alone
 * are ours.
 */
const ERRORS = {
  'MESSAGE-0000': [1003, 'UNREADABLE', 'The message could not be parsed.', 'Send text messages with JSON.'],
  'DATA-0000': [
    1008,
    'NO_COMMAND',
    'The message is not a valid command.',
    'See the templates of the frames.',
  ],
  'DATA-0001': [1008, 'TOO_FAST', 'More than 2,400 characters came in a minute.', 'Send text more slowly.'],
  'DATA-0002': [1008, 'BAD_CONTROL', 'The text has a malformed inline control.', 'Remove the control.'],
  'BIG-0000': [1009, 'TOO_BIG', 'The message is too large.', PIECES],
  'BIG-0001': [1009, 'TEXT_TOO_LONG', 'One text has more characters than the server takes.', PIECES],
  'NET-0000': [1011, 'SERVER_ERROR', 'An internal error occurred.', BY_ITSELF],
  'NET-0001': [1011, 'IDLE', 'No message was received in time.', SPEAK_AGAIN],
  'NET-0002': [1011, 'UNREAD', 'The client did not read a message that was sent.', BY_ITSELF],
  'NET-0003': [1011, 'TOO_OLD', 'The session reached its time limit of one hour.', BY_ITSELF],
  'NET-0004': [1011, 'IDLE', 'No message was received for 60 seconds.', SPEAK_AGAIN],
} as const satisfies Readonly<Record<string, SocketError>>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** An error as the server ends a connection with it. @param description instead of the usual one */
export function socketError(code: ErrorCode, description: string = ERRORS[code][2]) {
  const [close] = ERRORS[code];
  return { code, description, close, reason: `${code}: ${description}` };
}

const meaningOf = ([, name, words, remedy]: SocketError): CloseMeaning =>
  (remedy === BY_ITSELF ? temporary : permanent)(name, words, remedy);

/** The refusal of a handshake shows in a browser as 1006 alone (`facts-deepgram 1.3.2`). */
const OTHERS = {
  1006: temporary(
    'REFUSED_OR_BROKEN',
    'The connection broke, or the server refused it.',
    'Check that the server runs, and the key, its credits, the voice and the region: a browser is not told which of them was refused.',
  ),
} as const;

const explainOther = explainCloseWith(OTHERS);

/** The code of an error begins the reason. */
export const explainClose: Protocol['explainClose'] = (code, reason) => {
  const known = ERROR_CODES.find((each) => reason.startsWith(each));
  return known ? meaningOf(ERRORS[known]) : explainOther(code, reason);
};

export const explainError: Protocol['explainError'] = (name) =>
  name !== null && Object.hasOwn(ERRORS, name) ? ERRORS[name as ErrorCode][3] : null;

/** Codes of warnings on `/v1/speak` and `/v2/speak` (`facts-deepgram 3.2.5`, 5.3). */
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
