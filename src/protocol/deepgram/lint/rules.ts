import { advice, inGroup, SHARED_RULES, violation, warning } from '../../lint/rule-book.ts';

/** Rules of both sockets. */
const COMMON_RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation('Binary message of the client', 'deepgram-message-8 deepgram-close-2', {
      why: 'Messages of a client are JSON in text. The server closes with 1003.',
    }),
    'server-shape': violation(
      'Server frame with a wrong field',
      'deepgram-message-24 deepgram-message-32 deepgram-client-7',
      {
        why: 'Clients that read the field fail, and strict ones give up the connection.',
      },
    ),
    'client-shape': violation(
      'Client message with a wrong field',
      'deepgram-message-1 deepgram-message-11 deepgram-close-3',
      {
        why: 'Speak needs a text, and Interrupt takes whole milliseconds and no other field. The server closes.',
      },
    ),
    'unknown-kind': warning(
      'Frame of an unknown type',
      'deepgram-message-21 deepgram-message-37 wire-message-4',
      {
        why: 'The type says what a frame is. Clients log it at most.',
      },
    ),
    'warning-without-code': warning('Warning without a code', 'deepgram-message-26 deepgram-message-37', {
      why: 'It stands in warn_code or in code. Clients cannot tell what was ignored.',
    }),
  }),
  ...inGroup('order', {
    greeting: violation('Greeting that is missing or late', 'deepgram-message-17 deepgram-message-28', {
      why: 'Metadata on /v1/speak and Connected on /v2/speak come first, once. Clients that wait for it never speak.',
    }),
    'speech-unasked': violation('Speech that nobody asked for', 'deepgram-turn-3 deepgram-audio-6', {
      why: 'All text was spoken or dropped, or no turn began on /v2/speak. Clients play it in the next turn.',
    }),
    'answer-unasked': violation('Answer to nothing', 'deepgram-turn-4 deepgram-cancel-1 deepgram-cancel-4', {
      why: 'Flush, Clear and Interrupt are answered once. Clients end the next turn too early, and strict ones fail.',
    }),
    'turn-cut-off': advice('Connection ended during a turn', 'deepgram-bill-3 wire-close-1', {
      why: 'Its speech is lost, and all text that was synthesised is charged.',
    }),
  }),
  ...inGroup('audio', {
    'odd-bytes': warning('Odd number of bytes of 16-bit samples', 'deepgram-audio-5 deepgram-audio-3', {
      why: 'A turn has whole samples. Half a one was lost, or the encoding is another.',
    }),
  }),
  ...inGroup('time', {
    'answer-absent': warning('No answer', 'deepgram-limit-9', {
      why: 'Clients give up after 10 s without a frame. The server may accept text and stay silent for ever.',
    }),
  }),
  ...inGroup('limits', {
    'socket-old': advice('Turn on an old connection', 'deepgram-limit-4 deepgram-limit-10', {
      why: 'The server closes each connection after 60 minutes, also in use. A new one between turns loses nothing.',
    }),
  }),
  ...inGroup('client', {
    'unknown-type': violation('Type that the server refuses', 'deepgram-message-6 deepgram-message-14', {
      why: 'It closes the connection with DATA-0000, and unfinished speech is lost.',
    }),
    'unknown-field': warning(
      'Field unknown to the server',
      'deepgram-message-7 deepgram-message-15 deepgram-connect-4',
      {
        why: 'The server silently ignores it. Model, encoding and rate belong into the address.',
      },
    ),
    'key-misplaced': violation('Key in the address or in a message', 'deepgram-key-5', {
      why: 'The server does not read it there, and addresses end up in logs. It belongs into a header or a subprotocol.',
    }),
    'model-family': violation('Model of the other path', 'deepgram-connect-2', {
      why: 'Aura speaks on /v1/speak and Flux on /v2/speak. The server refuses the connection with 400.',
    }),
    'setting-refused': violation(
      'Value that is not documented',
      'deepgram-open-8 deepgram-open-16 deepgram-message-39',
      {
        why: 'The server refuses the connection with 400, or the change with ConfigureFailure.',
      },
    ),
    'text-empty': warning('Text with nothing in it', 'deepgram-text-8', {
      why: 'On /v2/speak it is a turn without audio; on /v1/speak its effect is not documented.',
    }),
    'close-missing': warning('Connection left without Close', 'deepgram-end-3', {
      why: 'The server goes on for a while and counts it as open, until others are refused with 429.',
    }),
    'refused-again': warning('Refused message sent again', 'deepgram-close-17', {
      why: 'The server closed the connection because of it, and does so again. The message must change.',
    }),
    'words-glued': warning('Messages without a space between them', 'deepgram-text-1', {
      why: 'Messages are joined as they are, so words run together. End each piece of text with a space.',
    }),
  }),
  ...inGroup('cost', {
    'rate-missing': advice('No sample_rate', 'deepgram-audio-2 deepgram-open-17', {
      why: 'No frame names the format, and on /v2/speak the rate depends on the model. Name both in the address.',
    }),
    'flush-missing': advice('Text without a flush', 'deepgram-turn-6 deepgram-turn-12', {
      why: 'The server may wait for it before it speaks. Flush follows the last text of a reply.',
    }),
    'flush-mid-sentence': advice('Flush in the middle of a sentence', 'deepgram-turn-1 deepgram-turn-9', {
      why: 'The rest is another turn, with a break and another melody.',
    }),
    'tiny-turns': advice('Flush after every few characters', 'deepgram-turn-7 deepgram-limit-3', {
      why: 'Many small flushes harm the sound, and /v1/speak takes 20 in a minute.',
    }),
  }),
};

/** The rules of `/v1/speak`. */
export const SPEAK_RULES = {
  ...COMMON_RULES,
  ...inGroup('order', {
    'numbers-backwards': warning('Flushed numbers that do not rise', 'deepgram-message-24 deepgram-turn-4', {
      why: 'The n-th Flushed belongs to the n-th Flush. An answer was repeated, or came out of order.',
    }),
  }),
  ...inGroup('limits', {
    'text-too-long': violation(
      'More than 2,000 characters in one Speak',
      'deepgram-limit-1 deepgram-close-7',
      {
        why: 'The server closes with BIG-0001, and unfinished speech is lost.',
      },
    ),
    'too-many-characters': violation(
      'More than 2,400 characters in a minute',
      'deepgram-limit-2 deepgram-close-4',
      {
        why: 'The server closes with DATA-0001, and unfinished speech is lost. Long texts need their time.',
      },
    ),
    'too-many-flushes': warning('More than 20 flushes in a minute', 'deepgram-limit-3 deepgram-error-1', {
      why: 'The server ignores it with a Warning, and no Flushed follows. Flush replies instead of sentences.',
    }),
  }),
  ...inGroup('client', {
    'unknown-parameter': advice('Query parameter unknown to the server', 'deepgram-open-7', {
      why: 'The server ignores it. Audio of the socket has no container and no bit rate.',
    }),
  }),
};

/** The rules of `/v2/speak`. */
export const FLUX_RULES = {
  ...COMMON_RULES,
  ...inGroup('order', {
    'turn-overlap': violation('Turn within another', 'deepgram-turn-10', {
      why: 'One turn is active at a time. Clients play the audio of one for the other.',
    }),
    'speech-id-unknown': violation('speech_id of no turn', 'deepgram-turn-13', {
      why: 'It is not one of this connection. Clients that check it never end their turn.',
    }),
  }),
  ...inGroup('totals', {
    'duration-audio': warning('Duration that contradicts the audio', 'deepgram-audio-7 deepgram-audio-9', {
      why: 'Audio was lost, or its rate is not the one of the address.',
    }),
    'session-totals': warning(
      'Totals that are not the sum of the turns',
      'deepgram-end-5 deepgram-end-6 deepgram-cancel-9',
      {
        why: 'An interrupted turn counts what was played. A bill by these totals is wrong.',
      },
    ),
    'spoken-text': warning('Interrupt answered with the wrong texts', 'deepgram-cancel-6', {
      why: 'text_spoken comes if, and only if, the Interrupt had an offset. Clients cannot tell what was heard.',
    }),
  }),
  ...inGroup('limits', {
    'idle-too-long': warning('No message for 60 s', 'deepgram-limit-5 deepgram-close-12', {
      why: 'The server closed the connection with NET-0004. A ping or any message keeps it open.',
    }),
  }),
  ...inGroup('client', {
    'unknown-parameter': violation('Query parameter that the server refuses', 'deepgram-open-15', {
      why: 'An unknown parameter, or one of REST such as container, fails the connection.',
    }),
    'offset-wrong': violation(
      'Offset that the server refuses',
      'deepgram-cancel-5 deepgram-cancel-6 deepgram-cancel-12',
      {
        why: 'It counts from the beginning of the session, passes the one before, and is no more than the audio.',
      },
    ),
    'interrupt-ignored': warning(
      'Interrupt that the server ignores',
      'deepgram-cancel-8 deepgram-error-2 deepgram-error-4',
      {
        why: 'No turn is open, or another Interrupt is under way. A Warning comes instead of SpeechInterrupted.',
      },
    ),
    'ended-at-flushed': violation('Connection ended at Flushed', 'deepgram-turn-11', {
      why: 'SpeechMetadata ends a turn; Flushed may come before its audio. The rest is lost.',
    }),
  }),
  ...inGroup('cost', {
    'interrupt-without-offset': advice('Interrupt without an offset', 'deepgram-cancel-6', {
      why: 'The answer then has no text_spoken, and all audio that was made counts as played.',
    }),
  }),
};

export type SpeakRuleId = keyof typeof SPEAK_RULES;
export type FluxRuleId = keyof typeof FLUX_RULES;
/** Of both sockets. */
export type CommonRuleId = SpeakRuleId & FluxRuleId;
