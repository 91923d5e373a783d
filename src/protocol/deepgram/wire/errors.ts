import { explainCloseWith, permanent, temporary } from '../../core/close-meaning.ts';
import type { CloseMeaning, Protocol } from '../../core/endpoint.ts';

interface SocketError {
  close: number;
  /** Ours where the vendor's words were not seen. */
  words: string;
  meaning: CloseMeaning;
}

const error = (close: number, words: string, meaning: CloseMeaning): SocketError => ({
  close,
  words,
  meaning,
});

const SPLIT = 'Send the text in smaller pieces.';

/**
 * Errors of the sockets by their code, which begins the reason of the close (`facts-deepgram 3.7`, 5.4). On `/v1/speak` the
 * close is all that comes; on `/v2/speak` a message with the code precedes it. The closes of those of `/v2/speak` alone
 * are ours.
 */
const ERRORS = {
  'MESSAGE-0000': error(
    1003,
    'The message could not be parsed.',
    permanent('UNREADABLE', 'The server takes no message of this kind.', 'Send text messages with JSON.'),
  ),
  'DATA-0000': error(
    1008,
    'The message is not a valid command.',
    permanent(
      'NO_COMMAND',
      'The server does not know this message.',
      'See the templates of the frames panel.',
    ),
  ),
  'DATA-0001': error(
    1008,
    'Too many characters were sent within the time window.',
    permanent('TOO_FAST', 'More than 2,400 characters came within a minute.', 'Send text more slowly.'),
  ),
  'DATA-0002': error(
    1008,
    'The text has a malformed inline control.',
    permanent('BAD_CONTROL', 'An inline control of the text is malformed.', 'Remove the control.'),
  ),
  'BIG-0000': error(
    1009,
    'The message is too large.',
    permanent('TOO_BIG', 'A message was too large.', SPLIT),
  ),
  'BIG-0001': error(
    1009,
    'The text is too long.',
    permanent('TEXT_TOO_LONG', 'One Speak had more than 2,000 characters.', SPLIT),
  ),
  'NET-0000': error(
    1011,
    'An internal error occurred.',
    temporary('SERVER_ERROR', 'The server ran into an error.', 'It reconnects by itself.'),
  ),
  'NET-0001': error(
    1011,
    'No message was received in time.',
    permanent('IDLE', 'The server waited too long for a message.', 'Speak opens a new connection.'),
  ),
  'NET-0002': error(
    1011,
    'A message could not be sent.',
    temporary('UNREAD', 'The client did not read what was sent.', 'It reconnects by itself.'),
  ),
  'NET-0003': error(
    1011,
    'The session reached its time limit.',
    temporary('TOO_OLD', 'A connection lives for one hour.', 'It reconnects by itself.'),
  ),
  'NET-0004': error(
    1011,
    'No message was received for 60 seconds.',
    permanent('IDLE', 'No message came for 60 s.', 'Speak opens a new connection.'),
  ),
} as const satisfies Readonly<Record<string, SocketError>>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/** An error as the server ends a connection with it. */
export function socketError(code: ErrorCode): {
  code: ErrorCode;
  description: string;
  close: number;
  reason: string;
} {
  const { words: description, close } = ERRORS[code];
  return { code, description, close, reason: `${code}: ${description}` };
}

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
  return known ? ERRORS[known].meaning : explainOther(code, reason);
};

export const explainError: Protocol['explainError'] = (name) =>
  name !== null && Object.hasOwn(ERRORS, name) ? ERRORS[name as ErrorCode].meaning.remedy : null;

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
