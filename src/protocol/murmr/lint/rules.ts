import { advice, inGroup, SHARED_RULES, violation, warning } from '../../lint/rule-book.ts';

/** The rules of `/v1/realtime`. */
export const MURMR_RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation('Binary message of the client', 'murmr-message-2', {
      why: 'Clients send only JSON; the server closes with 4003.',
    }),
    'server-shape': violation(
      'Server frame with a wrong field',
      'murmr-message-20 murmr-message-22 murmr-message-23',
      {
        why: 'Clients that read the field fail, or play and count something wrong.',
      },
    ),
    'client-shape': violation('Message that the server does not understand', 'murmr-message-2', {
      why: 'The server closes the connection with 4003, and unfinished speech is lost.',
    }),
    'unknown-kind': warning('Frame of an unknown type', 'murmr-message-27', {
      why: 'Clients decide by the type and drop frames of unknown types.',
    }),
    'error-incomplete': violation('Error without its code', 'murmr-message-24', {
      why: 'Clients decide by the code whether to retry. Without it they cannot.',
    }),
  }),
  ...inGroup('order', {
    'config-first': violation('Message before config', 'murmr-connect-5', {
      why: 'The first message is config. The server closes with 4003 on any other.',
    }),
    'config-ack-missing': violation('Frame before config_ack', 'murmr-message-20 murmr-key-2', {
      why: 'The acknowledgement leaves first, before the key check, and clients wait for it.',
    }),
    'answer-unasked': violation('Answer without a request', 'murmr-message-27', {
      why: 'Each acknowledgement and each pong answers one message, and clients pair them.',
    }),
    'binary-unasked': violation('Binary audio without agreement', 'murmr-audio-3', {
      why: 'Until binary_mode_ack clients expect JSON and cannot read bytes.',
    }),
    'json-audio-in-binary-mode': violation('JSON audio after binary_mode_ack', 'murmr-audio-3', {
      why: 'From then on audio arrives as bytes alone. Clients that read only bytes lose this.',
    }),
    'no-generation': violation('Speech without a request', 'murmr-turn-5', {
      why: 'All sent text is spoken and done, so clients cannot match this to a text.',
    }),
    'error-code-closes': violation('Closed with 4006', 'murmr-close-7', {
      why: 'An error frame reports the lack of slots, and the socket stays open. Clients expect no such close.',
    }),
    'close-unexplained': warning('Closed for an error without an error frame', 'murmr-error-1 wire-error-1', {
      why: 'The error frame of the same code comes first and says what was wrong.',
    }),
    'turn-cut-off': advice('Connection ended during a turn', 'murmr-end-2 murmr-cancel-1', {
      why: 'Undelivered speech is lost, but its characters count. On this endpoint a barge-in is done this way.',
    }),
  }),
  ...inGroup('audio', {
    'audio-base64': violation('Audio that is not base64', 'murmr-audio-2', {
      why: 'Decoders fail or play noise.',
    }),
    'odd-bytes': warning('Generation that ends in half a sample', 'murmr-audio-4', {
      why: 'A sample has two bytes. Carried into the next generation, the odd byte turns it into noise.',
    }),
    'wrong-rate': violation('Sample rate other than 24 kHz', 'murmr-audio-1', {
      why: 'The endpoint has one format. Clients do not check it and play the voice too high or too low.',
    }),
  }),
  ...inGroup('totals', {
    'total-chunks': violation('Audio frame count that contradicts the received frames', 'murmr-audio-7', {
      why: 'Audio frames were lost, or arrive after done.',
    }),
    'duration-differs': advice('duration_ms is not the length of the audio', 'murmr-audio-8', {
      why: 'Audio was lost, or the server reports its generation time. The documentation allows both readings.',
    }),
  }),
  ...inGroup('time', {
    'config-late': advice('No config yet', 'murmr-connect-2', {
      why: 'The server closes with 4001 after 10 s without config.',
    }),
    'config-too-late': violation('No config within 10 s', 'murmr-connect-2', {
      why: 'The server has closed the connection or is about to.',
    }),
    'answer-absent': warning('No answer', 'murmr-message-28 murmr-limit-3', {
      why: 'The server answers every message of this kind. The connection or the server is broken.',
    }),
  }),
  ...inGroup('limits', {
    'buffer-overflow': violation('Text beyond the buffer of 4096 characters', 'murmr-text-8', {
      why: 'The server drops the whole text; nothing of it is spoken.',
    }),
    'rate-near': advice('More than 100 generations in a minute', 'murmr-limit-1', {
      why: 'Above that rate the vendor refuses generations with 4004, and their text is lost.',
    }),
  }),
  ...inGroup('client', {
    'config-key': violation('Another key on the same connection', 'murmr-key-7', {
      why: 'A connection belongs to one key. The server closes with 4003.',
    }),
    'binary-mode-early': warning('binary_mode before config_ack', 'murmr-message-11 murmr-connect-7', {
      why: 'binary_mode follows the acknowledgement. A server may refuse an earlier one.',
    }),
    'unknown-field': warning('Field unknown to the server', 'murmr-message-3', {
      why: 'The server silently ignores unknown fields. A misspelled setting has no effect.',
    }),
    'language-unknown': warning('Language that is not on the list', 'murmr-text-9', {
      why: 'Languages have full English names. For anything else, ISO codes included, the server detects it.',
    }),
    'voice-twice': advice('Description and saved voice together', 'murmr-voice-1', {
      why: 'The saved voice wins, and the description has no effect.',
    }),
    'flush-nothing': advice('Flush with nothing to speak', 'murmr-turn-3', {
      why: 'The buffer is empty, so neither a generation nor a done follows. Clients that wait never stop.',
    }),
    'text-empty': advice('Empty text', 'murmr-message-14', {
      why: 'It adds nothing. A ping keeps the connection open.',
    }),
  }),
  ...inGroup('cost', {
    'language-missing': advice('Language left out', 'murmr-text-10', {
      why: 'The server detects it for each generation, and short texts are easily taken for another language.',
    }),
    'base64-audio': advice('Audio as base64', 'murmr-audio-6', {
      why: 'binary_mode saves 50 to 100 ms a chunk and a quarter of the bytes.',
    }),
    'flush-mid-sentence': advice('Flush in the middle of a sentence', 'murmr-turn-6', {
      why: 'The sentence is spoken in two generations with a break between them.',
    }),
    'tiny-turns': advice('Flush after every few characters', 'murmr-limit-1 murmr-limit-3', {
      why: 'Each flush is a generation with half a second before its first audio, and the limit is 100 a minute.',
    }),
  }),
};

export type MurmrRuleId = keyof typeof MURMR_RULES;
