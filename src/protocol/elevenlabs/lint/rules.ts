import { advice, inGroup, SHARED_RULES, violation, warning } from '../../lint/rule-book.ts';

/** The rules of `stream-input` and `multi-stream-input`. */
export const ELEVENLABS_RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation('Binary message', 'elevenlabs-connect-4', {
      why: 'Every frame is JSON in a text message, audio included. The other side cannot use bytes.',
    }),
    'server-shape': violation(
      'Server frame with a wrong field',
      'elevenlabs-message-24 elevenlabs-message-29 elevenlabs-message-33',
      {
        why: 'Clients that read the field fail, or play something wrong.',
      },
    ),
    'client-shape': violation(
      'Client message with a wrong field',
      'elevenlabs-message-1 elevenlabs-message-38',
      {
        why: 'The documentation names another type. The server refuses the message or ignores the field.',
      },
    ),
    'keys-missing': warning(
      'Audio or final frame without its four keys',
      'elevenlabs-message-33 elevenlabs-message-35',
      {
        why: 'The vendor sends audio, isFinal, normalizedAlignment and alignment in each frame. Clients may read any of them.',
      },
    ),
    'unknown-kind': warning('Frame of an unknown kind', 'elevenlabs-message-33', {
      why: 'Its keys name the kind of a frame. Clients drop a frame without audio, isFinal and error.',
    }),
  }),
  ...inGroup('order', {
    'speech-unasked': violation('Speech without a request', 'elevenlabs-turn-2', {
      why: 'No text was sent for it, or its contextId is not that of an open context. Clients drop it.',
    }),
    'audio-after-final': violation('Audio after the final', 'elevenlabs-end-1', {
      why: 'The final promises that no more audio follows. Clients that stop there lose this audio.',
    }),
    'final-twice': violation('Final sent twice', 'elevenlabs-end-1', {
      why: 'A final comes once. Clients take the second for the end of another turn.',
    }),
    'final-unasked': violation('Final without an end', 'elevenlabs-end-1', {
      why: 'Only empty text on stream-input and close_context have a final; a flush has none. Clients end the turn too early.',
    }),
    'error-without-close': warning('Error without a close', 'elevenlabs-error-1 elevenlabs-limit-10', {
      why: 'The close follows 0.8 s after an error. Clients that wait for it never stop.',
    }),
    'turn-cut-off': advice('Connection ended during a turn', 'elevenlabs-cancel-1 elevenlabs-bill-4', {
      why: 'Undelivered speech is lost but charged. On stream-input a barge-in is done this way.',
    }),
  }),
  ...inGroup('audio', {
    'audio-base64': violation('Audio that is not base64', 'elevenlabs-connect-4', {
      why: 'Decoders fail or play noise.',
    }),
  }),
  ...inGroup('words', {
    'alignment-shape': violation(
      'Alignment that cannot be read',
      'elevenlabs-message-29 elevenlabs-words-1 elevenlabs-words-3',
      {
        why: 'It has a start and a duration for each character, none of them negative. Strict clients drop the frame.',
      },
    ),
    'alignment-backwards': violation('Character times that go backwards', 'elevenlabs-words-3', {
      why: 'Characters follow the order of the text within a segment. Words light up in the wrong order.',
    }),
    'alignment-again': warning('Alignment that begins again', 'elevenlabs-words-7', {
      why: 'With a pronunciation dictionary, alignment repeats earlier text, and normalizedAlignment goes on. Clients that join it show every character twice.',
    }),
  }),
  ...inGroup('totals', {
    'alignment-audio': warning(
      'Alignment that contradicts the audio',
      'elevenlabs-words-4 elevenlabs-words-2 elevenlabs-limit-10',
      {
        why: 'The segments of a turn add up to its audio. Audio was lost, or the times do not begin at 0 in each segment.',
      },
    ),
    'final-without-audio': warning('Final without any audio', 'elevenlabs-bill-1', {
      why: 'The account has no credits, or its plan does not include the voice. No error says so.',
    }),
  }),
  ...inGroup('time', {
    'end-missing': advice('Turn without an end', 'elevenlabs-end-1 elevenlabs-end-5 elevenlabs-message-21', {
      why: 'Only empty text on stream-input, and close_context on multi-stream-input, have a final. Other turns end unmarked.',
    }),
    'answer-absent': warning('No answer', 'elevenlabs-chunk-1 elevenlabs-end-1 elevenlabs-limit-10', {
      why: 'Audio follows a flush, and a final follows the end. The connection or the server is broken.',
    }),
  }),
  ...inGroup('limits', {
    'idle-too-long': warning(
      'No text within the inactivity time-out',
      'elevenlabs-limit-1 elevenlabs-limit-2',
      {
        why: 'The server closes the connection with 1008. A space on stream-input, or empty text on multi, keeps it open.',
      },
    ),
    'too-many-contexts': violation('More than five contexts', 'elevenlabs-context-1 elevenlabs-context-2', {
      why: 'The server closes the whole connection. A context counts until its final.',
    }),
    'contexts-unclosed': advice(
      'Contexts that are spoken and not closed',
      'elevenlabs-context-1 elevenlabs-message-23 elevenlabs-end-1',
      {
        why: 'They still count towards the limit of five, and have no final. close_context ends them.',
      },
    ),
    'out-of-range': warning(
      'Value outside its documented range',
      'elevenlabs-limit-7 elevenlabs-message-4 elevenlabs-voice-5',
      {
        why: 'The documentation does not say whether the server refuses or ignores it.',
      },
    ),
  }),
  ...inGroup('client', {
    'first-without-text': violation('First message without text', 'elevenlabs-message-17', {
      why: 'The server takes it for an empty turn: a final follows, and the connection closes.',
    }),
    'text-after-end': violation(
      'Text after the end',
      'elevenlabs-message-18 elevenlabs-end-6 elevenlabs-end-8',
      {
        why: 'Empty text ends the input of stream-input; it keeps nothing alive. close_context ends a context. Later text is lost.',
      },
    ),
    'close-behind-end': warning('Closed right behind the end of the input', 'elevenlabs-end-4', {
      why: 'A server drops the speech of a client that closes. Wait for the final frame.',
    }),
    'model-refused': violation('Model of another protocol', 'elevenlabs-model-6', {
      why: 'Models of v3 and later speak on text-to-dialogue only. The server refuses the connection.',
    }),
    'unknown-parameter': warning('Query parameter unknown to the server', 'elevenlabs-connect-6', {
      why: 'The server silently ignores it. Settings of the voice and the schedule belong into the first message.',
    }),
    'unknown-field': warning('Field unknown to the server', 'elevenlabs-message-14', {
      why: 'The server silently ignores unknown fields. A misspelled or misplaced setting has no effect.',
    }),
    'key-missing': violation('No key', 'elevenlabs-key-3 elevenlabs-connect-7', {
      why: 'The upgrade succeeds without a key, so a browser sends it in the first message, as xi_api_key.',
    }),
    'settings-changed': violation('Late or changed voice_settings', 'elevenlabs-voice-7 elevenlabs-voice-8', {
      why: 'The first message fixes them. The server closes the whole connection with 1008.',
    }),
    'keep-alive-first': warning('Keep-alive as the first message of a context', 'elevenlabs-voice-9', {
      why: 'It opens the context without settings. A later message with settings closes the connection.',
    }),
    'flush-unknown': warning('Flush of a context that does not exist', 'elevenlabs-context-5', {
      why: 'It opens a context without text. It counts towards the limit of five until it is closed.',
    }),
    'words-glued': warning('Messages without a space between them', 'elevenlabs-text-2 elevenlabs-text-1', {
      why: 'Messages are joined as they are, so words run together. End each piece of text with a space.',
    }),
    'auto-mode-fragment': warning('Pieces of sentences with auto_mode', 'elevenlabs-chunk-3', {
      why: 'auto_mode speaks each message on its own, with pauses between. It needs whole sentences or phrases.',
    }),
  }),
  ...inGroup('cost', {
    'format-missing': advice('No output_format', 'elevenlabs-audio-8 elevenlabs-audio-7', {
      why: 'The server sends MP3, and no frame says so. PCM needs no decoder.',
    }),
    'auto-mode-schedule': advice('Schedule that auto_mode ignores', 'elevenlabs-chunk-4', {
      why: 'With auto_mode on, chunk_length_schedule has no effect.',
    }),
    'close-drops-text': advice(
      'close_context with text that was not flushed',
      'elevenlabs-context-7 elevenlabs-context-9',
      {
        why: 'The text is dropped, as a barge-in wants it. At the end of a turn, flush first.',
      },
    ),
  }),
};

export type ElevenLabsRuleId = keyof typeof ELEVENLABS_RULES;
