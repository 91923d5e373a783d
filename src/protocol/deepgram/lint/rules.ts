import { advice, inGroup, SHARED_RULES, violation, warning } from '../../lint/rule-book.ts';

/** Rules of both sockets. */
const COMMON_RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation('Binary message of the client', 'facts-deepgram 3.1.4, 3.7', {
      why: 'Messages of a client are JSON in text. The server closes with 1003.',
    }),
    'server-shape': violation('Server frame with a wrong field', 'facts-deepgram 3.2, 3.2.2, 5.2', {
      why: 'Clients that read the field fail, and strict ones give up the connection.',
    }),
    'client-shape': violation('Client message with a wrong field', 'facts-deepgram 3.1, 5.1, 5.2.4', {
      why: 'Speak needs a text, and Interrupt takes whole milliseconds and no other field. The server closes.',
    }),
    'unknown-kind': warning('Frame of an unknown type', 'facts-deepgram 3.2, 5.2', {
      why: 'The type says what a frame is. Clients log it at most.',
    }),
    'warning-without-code': warning('Warning without a code', 'facts-deepgram 3.2, 10.1', {
      why: 'It stands in warn_code or in code. Clients cannot tell what was ignored.',
    }),
  }),
  ...inGroup('order', {
    greeting: violation('Greeting that is missing or late', 'facts-deepgram 3.2.1, 5.2.1', {
      why: 'Metadata on /v1/speak and Connected on /v2/speak come first, once. Clients that wait for it never speak.',
    }),
    'speech-unasked': violation('Speech that nobody asked for', 'facts-deepgram 3.4.2, 3.5.2, 5.2, 5.2.8', {
      why: 'All text was spoken or dropped, or no turn began on /v2/speak. Clients play it in the next turn.',
    }),
    'answer-unasked': violation('Answer to nothing', 'facts-deepgram 3.4.3, 3.5.1, 5.2.4, 5.2.9', {
      why: 'Flush, Clear and Interrupt are answered once. Clients end the next turn too early, and strict ones fail.',
    }),
    'turn-cut-off': advice('Connection ended during a turn', 'facts-deepgram 3.5.7, 9.1.4', {
      why: 'Its speech is lost, and all text that was synthesised is charged.',
    }),
  }),
  ...inGroup('audio', {
    'odd-bytes': warning('Odd number of bytes of 16-bit samples', 'facts-deepgram 2, 3.2', {
      why: 'A turn has whole samples. Half a one was lost, or the encoding is another.',
    }),
  }),
  ...inGroup('time', {
    'answer-absent': warning('No answer', 'facts-deepgram 3.2.3, 9.1.3, 9.8', {
      why: 'Clients give up after 10 s without a frame. The server may accept text and stay silent for ever.',
    }),
  }),
  ...inGroup('limits', {
    'socket-old': advice('Turn on an old connection', 'facts-deepgram 3.6.4, 5.4', {
      why: 'The server closes each connection after 60 minutes, also in use. A new one between turns loses nothing.',
    }),
  }),
  ...inGroup('client', {
    'unknown-type': violation('Type that the server refuses', 'facts-deepgram 3.1, 3.1.1, 3.1.2, 5.1', {
      why: 'It closes the connection with DATA-0000, and unfinished speech is lost.',
    }),
    'unknown-field': warning('Field unknown to the server', 'facts-deepgram 1.3.3, 3.1.3', {
      why: 'The server silently ignores it. Model, encoding and rate belong into the address.',
    }),
    'key-misplaced': violation('Key in the address or in a message', 'facts-deepgram 1.2.2', {
      why: 'The server does not read it there, and addresses end up in logs. It belongs into a header or a subprotocol.',
    }),
    'model-family': violation('Model of the other path', 'facts-deepgram 1.1.2', {
      why: 'Aura speaks on /v1/speak and Flux on /v2/speak. The server refuses the connection with 400.',
    }),
    'setting-refused': violation('Value that is not documented', 'facts-deepgram 2, 2.3, 4, 4.2, 5.2.5', {
      why: 'The server refuses the connection with 400, or the change with ConfigureFailure.',
    }),
    'text-empty': warning('Text with nothing in it', 'facts-deepgram 3.6.7, 5.3', {
      why: 'On /v2/speak it is a turn without audio; on /v1/speak its effect is not documented.',
    }),
    'close-missing': warning('Connection left without Close', 'facts-deepgram 3.5.7, 9.8', {
      why: 'The server goes on for a while and counts it as open, until others are refused with 429.',
    }),
    'refused-again': warning('Refused message sent again', 'facts-deepgram 3.7, 9.6.1', {
      why: 'The server closed the connection because of it, and does so again. The message must change.',
    }),
    'words-glued': warning('Messages without a space between them', 'facts-deepgram 3.3.1, 5.2.7', {
      why: 'Messages are joined as they are, so words run together. End each piece of text with a space.',
    }),
  }),
  ...inGroup('cost', {
    'rate-missing': advice('No sample_rate', 'facts-deepgram 2, 4, 11.4', {
      why: 'No frame names the format, and on /v2/speak the rate depends on the model. Name both in the address.',
    }),
    'flush-missing': advice('Text without a flush', 'facts-deepgram 3.3.3, 10.2, 10.6', {
      why: 'The server may wait for it before it speaks. Flush follows the last text of a reply.',
    }),
    'flush-mid-sentence': advice('Flush in the middle of a sentence', 'facts-deepgram 3.3.4, 5.2.2', {
      why: 'The rest is another turn, with a break and another melody.',
    }),
    'tiny-turns': advice('Flush after every few characters', 'facts-deepgram 3.3.4, 3.6.3', {
      why: 'Many small flushes harm the sound, and /v1/speak takes 20 in a minute.',
    }),
  }),
};

/** The rules of `/v1/speak`. */
export const SPEAK_RULES = {
  ...COMMON_RULES,
  ...inGroup('order', {
    'numbers-backwards': warning('Flushed numbers that do not rise', 'facts-deepgram 3.2.2', {
      why: 'The n-th Flushed belongs to the n-th Flush. An answer was repeated, or came out of order.',
    }),
  }),
  ...inGroup('limits', {
    'text-too-long': violation('More than 2,000 characters in one Speak', 'facts-deepgram 3.6.1, 3.7', {
      why: 'The server closes with BIG-0001, and unfinished speech is lost.',
    }),
    'too-many-characters': violation('More than 2,400 characters in a minute', 'facts-deepgram 3.6.2, 9.8', {
      why: 'The server closes with DATA-0001, and unfinished speech is lost. Long texts need their time.',
    }),
    'too-many-flushes': warning('More than 20 flushes in a minute', 'facts-deepgram 3.6.3, 3.2.5', {
      why: 'The server ignores it with a Warning, and no Flushed follows. Flush replies instead of sentences.',
    }),
  }),
  ...inGroup('client', {
    'unknown-parameter': advice('Query parameter unknown to the server', 'facts-deepgram 2.1', {
      why: 'The server ignores it. Audio of the socket has no container and no bit rate.',
    }),
  }),
};

/** The rules of `/v2/speak`. */
export const FLUX_RULES = {
  ...COMMON_RULES,
  ...inGroup('order', {
    'turn-overlap': violation('Turn within another', 'facts-deepgram 5.2.3', {
      why: 'One turn is active at a time. Clients play the audio of one for the other.',
    }),
    'speech-id-unknown': violation('speech_id of no turn', 'facts-deepgram 5.2, 9.7', {
      why: 'It is not one of this connection. Clients that check it never end their turn.',
    }),
  }),
  ...inGroup('totals', {
    'duration-audio': warning('Duration that contradicts the audio', 'facts-deepgram 5.2', {
      why: 'Audio was lost, or its rate is not the one of the address.',
    }),
    'session-totals': warning('Totals that are not the sum of the turns', 'facts-deepgram 5.2.8', {
      why: 'An interrupted turn counts what was played. A bill by these totals is wrong.',
    }),
    'spoken-text': warning('Interrupt answered with the wrong texts', 'facts-deepgram 5.2.4', {
      why: 'text_spoken comes if, and only if, the Interrupt had an offset. Clients cannot tell what was heard.',
    }),
  }),
  ...inGroup('limits', {
    'idle-too-long': warning('No message for 60 s', 'facts-deepgram 5.4', {
      why: 'The server closed the connection with NET-0004. A ping or any message keeps it open.',
    }),
  }),
  ...inGroup('client', {
    'unknown-parameter': violation('Query parameter that the server refuses', 'facts-deepgram 4.1', {
      why: 'An unknown parameter, or one of REST such as container, fails the connection.',
    }),
    'offset-wrong': violation('Offset that the server refuses', 'facts-deepgram 5.2.4, 5.3', {
      why: 'It counts from the beginning of the session, passes the one before, and is no more than the audio.',
    }),
    'interrupt-ignored': warning('Interrupt that the server ignores', 'facts-deepgram 5.3, 9.5', {
      why: 'No turn is open, or another Interrupt is under way. A Warning comes instead of SpeechInterrupted.',
    }),
    'ended-at-flushed': violation('Connection ended at Flushed', 'facts-deepgram 5.2.9, 9.6.2', {
      why: 'SpeechMetadata ends a turn; Flushed may come before its audio. The rest is lost.',
    }),
  }),
  ...inGroup('cost', {
    'interrupt-without-offset': advice('Interrupt without an offset', 'facts-deepgram 5.2.4, 9.5, 9.8', {
      why: 'The answer then has no text_spoken, and all audio that was made counts as played.',
    }),
  }),
};

export type SpeakRuleId = keyof typeof SPEAK_RULES;
export type FluxRuleId = keyof typeof FLUX_RULES;
/** Of both sockets. */
export type CommonRuleId = SpeakRuleId & FluxRuleId;
