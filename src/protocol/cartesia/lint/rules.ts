import { advice, inGroup, SHARED_RULES, violation, warning } from '../../lint/rule-book.ts';

/** The rules of `/tts/websocket`. */
export const CARTESIA_RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation('Binary message', 'cartesia-connect-9', {
      why: 'Every frame is JSON in a text message, audio included. The other side drops bytes.',
    }),
    'server-shape': violation(
      'Server frame with a wrong field',
      'cartesia-words-1 cartesia-client-8 cartesia-message-28',
      {
        why: 'Clients that read the field fail, or play something wrong.',
      },
    ),
    'client-shape': violation(
      'Request with a wrong value',
      'cartesia-message-4 cartesia-message-8 cartesia-message-16',
      {
        why: 'The documentation names another type, range or list. The server refuses the message.',
      },
    ),
    'frame-unnamed': violation(
      'Server frame without type or context_id',
      'cartesia-message-28 cartesia-message-36',
      {
        why: 'Clients route frames by both. Strict ones stop reading the connection.',
      },
    ),
    'keys-missing': violation('Server frame without a required key', 'cartesia-message-36', {
      why: 'LiveKit drops such a frame with a warning, and the turn waits.',
    }),
    'unknown-kind': warning('Frame of an unknown type', 'cartesia-message-34', {
      why: 'The documented list of types is closed. Clients drop the frame or report an error.',
    }),
    'error-shape': violation('Error in the shape of another version', 'cartesia-error-1 cartesia-error-2', {
      why: 'Errors have error before 2026-03-01, and title and message since. LiveKit drops others and waits.',
    }),
  }),
  ...inGroup('order', {
    'speech-unasked': violation('Frame of an unknown context', 'cartesia-context-1 wire-context-1', {
      why: 'No request had this context_id. Clients drop the frame.',
    }),
    'frame-after-done': violation('Frame after the done of its context', 'cartesia-turn-2', {
      why: 'done comes once, after all audio. Clients drop what follows, or end the next turn by a second done.',
    }),
    'done-unasked': violation('done without an end', 'cartesia-context-7 cartesia-chunk-8', {
      why: 'A context ends by its last text, a cancel, an error, or 1 s without audio. A flush has no done.',
    }),
  }),
  ...inGroup('audio', {
    'odd-bytes': warning('Chunk that ends within a sample', 'cartesia-audio-2 cartesia-audio-3', {
      why: 'Nobody promises whole samples, but clients that carry no remainder play noise.',
    }),
  }),
  ...inGroup('words', {
    'times-wrong': violation('Times that contradict each other', 'cartesia-words-1 cartesia-words-2', {
      why: 'The lists have one length, and times rise over all texts of a context. Words light up at the wrong time.',
    }),
  }),
  ...inGroup('time', {
    'answer-absent': warning('No answer', 'cartesia-limit-5', {
      why: 'The service may stop without an error. Clients need a timer; those of LiveKit wait 5 and 10 s.',
    }),
    'context-idle': warning(
      'Context without text for 1 s after its audio',
      'cartesia-context-4 cartesia-context-5',
      {
        why: 'It expires with a done, although audio may still play. Later text needs another context_id.',
      },
    ),
    'buffer-waits': warning('Short text that waits in the buffer', 'cartesia-text-6 cartesia-message-8', {
      why: 'The server waits 3 s for more text by default. End or flush the context, or set max_buffer_delay_ms.',
    }),
  }),
  ...inGroup('limits', {
    'idle-near': advice('No frame for four minutes', 'cartesia-limit-1 cartesia-limit-4', {
      why: 'After five, the server closes the connection with 1000. No message keeps it open: reconnect for the next text.',
    }),
    'too-many-contexts': warning(
      'More contexts at a time than the plan has',
      'cartesia-limit-3 cartesia-limit-8 cartesia-error-6',
      {
        why: 'The server answers 429. Scale, the largest published plan, has 15; a context counts until its done.',
      },
    ),
  }),
  ...inGroup('client', {
    'plain-http': violation('Connection to the vendor without TLS', 'cartesia-connect-2', {
      why: 'The vendor may replace a key that was sent without TLS.',
    }),
    'version-missing': violation('No version', 'cartesia-connect-5 cartesia-connect-4', {
      why: 'The server refuses the connection. A browser cannot set the header, so it needs cartesia_version.',
    }),
    'version-unknown': warning('Version that is not published', 'cartesia-connect-6 cartesia-connect-16', {
      why: 'The server answers the upgrade with 404, and a browser sees 1006 only.',
    }),
    'key-in-query': advice('Secret key in the address', 'cartesia-key-3 cartesia-key-2', {
      why: 'Logs keep addresses. Browsers take an access_token; older libraries of the vendor know no other way.',
    }),
    'unknown-parameter': warning(
      'Query parameter unknown to the server',
      'cartesia-key-4 cartesia-message-26',
      {
        why: 'It has no effect. Settings belong into every message.',
      },
    ),
    'not-a-request': violation('Message that is no request', 'cartesia-message-25 cartesia-limit-4', {
      why: 'Messages have no type, and there is no keep-alive. The server answers with an error.',
    }),
    'field-missing': violation('Message without a required field', 'cartesia-message-26', {
      why: 'Every message repeats model, voice and format, also the end and a flush. The server refuses it.',
    }),
    'context-absent': warning('Request without context_id', 'cartesia-message-5 cartesia-context-11', {
      why: 'It can be neither continued nor cancelled. Versions since 2026-03-01 refuse it.',
    }),
    'voice-form': violation('Voice in the form of another version', 'cartesia-message-3', {
      why: 'Before 2026-08-14 it is an object with a mode; embeddings ended with 2024-11-13. The server refuses it.',
    }),
    'emotion-unknown': warning('Emotion that the version does not list', 'cartesia-message-18', {
      why: 'The name must match exactly, in lower case. Version 2026-08-14 lists five.',
    }),
    'delivery-ignored': warning('Delivery or dictionary with an old model', 'cartesia-message-19', {
      why: 'Models before sonic-3 ignore generation_config and pronunciation_dict_id.',
    }),
    'model-retired': warning('Model that is switched off', 'cartesia-model-1', {
      why: 'The server refuses it. sonic-latest names the newest model.',
    }),
    'field-of-version': warning(
      'Field that the version does not have',
      'cartesia-message-11 cartesia-message-13 cartesia-message-21',
      {
        why: 'It was removed before, or came later. The server ignores or refuses it.',
      },
    ),
    'unknown-field': warning('Field unknown to the server', 'cartesia-message-37', {
      why: 'A misspelled or misplaced setting has no effect.',
    }),
    'settings-changed': violation(
      'Voice or format changed within a context',
      'cartesia-context-2 cartesia-context-10',
      {
        why: 'A context has one voice and one format. Others need another context_id.',
      },
    ),
    'delivery-changed': warning('Settings changed within a context', 'cartesia-context-2', {
      why: 'All but the text should stay the same. The effect of a change is not known.',
    }),
    'first-text-silent': violation('First text without a word', 'cartesia-text-2 cartesia-text-3', {
      why: 'The server answers 400 to an empty text or mere punctuation. Send nothing for a turn without speech.',
    }),
    'text-after-end': violation('Text after the end', 'cartesia-end-2 cartesia-message-6', {
      why: 'A message without continue is the last of its context. Another one stops the running audio.',
    }),
    'text-after-done': violation(
      'Text after the done of its context',
      'cartesia-context-6 cartesia-context-8',
      {
        why: 'The context is gone, also where it expired before its end. The text is lost; it needs another context_id.',
      },
    ),
    'context-reused': warning('context_id used again', 'cartesia-context-1', {
      why: 'After a cancel or an error, text needs another id. Late frames mix with new ones.',
    }),
    'flush-without-continue': warning('Flush that ends the context', 'cartesia-chunk-1', {
      why: 'Without continue, a message is the last of its context. Later text is lost.',
    }),
    'cancel-unknown': warning('Cancel of an unknown context', 'cartesia-cancel-5', {
      why: 'No request had this context_id, so the running speech goes on.',
    }),
    'barge-in-uncancelled': warning('Interrupted context without a cancel', 'cartesia-cancel-4', {
      why: 'The server still speaks a context that was left for another. That costs credits and concurrency.',
    }),
    'context-unended': warning('Buffered text without an end', 'cartesia-text-6 cartesia-context-7', {
      why: 'The connection closed before the text was spoken. End or flush a context that is buffered.',
    }),
    'words-glued': warning('Messages without a space between them', 'cartesia-text-1', {
      why: 'Texts are joined as they are: words run together, and a stop is read as "dot".',
    }),
    'unbuffered-fragment': warning(
      'Pieces of sentences without a buffer',
      'cartesia-text-5 cartesia-text-4',
      {
        why: 'With max_buffer_delay_ms 0, each text is spoken at once. It needs whole sentences.',
      },
    ),
    'tag-split': violation('Tag split over two messages', 'cartesia-message-24', {
      why: 'The server takes each part for text.',
    }),
  }),
};

export type CartesiaRuleId = keyof typeof CARTESIA_RULES;
