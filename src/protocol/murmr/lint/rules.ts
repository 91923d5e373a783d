import { advice, inGroup, SHARED_RULES, violation, warning } from '../../lint/rule-book.ts';

/** The rules of `/v1/realtime`. */
export const MURMR_RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation({
      title: 'Binary message of the client',
      why: 'Clients send only JSON; the server closes with 4003.',
      source: 'facts 6.3.6, decision 5',
    }),
    'server-shape': violation({
      title: 'Server frame with a wrong field',
      why: 'Clients that read the field fail, or play and count something wrong.',
      source: 'seed, facts 6.2',
    }),
    'client-shape': violation({
      title: 'Message that the server does not understand',
      why: 'The server closes the connection with 4003, and unfinished speech is lost.',
      source: 'seed, facts 6.1, 6.3.6',
    }),
    'unknown-kind': warning({
      title: 'Frame of an unknown type',
      why: 'Clients decide by the type and drop frames of unknown types.',
      source: 'facts 6.2',
    }),
    'error-incomplete': violation({
      title: 'Error without its code',
      why: 'Clients decide by the code whether to retry. Without it they cannot.',
      source: 'seed, facts 6.2',
    }),
  }),
  ...inGroup('order', {
    'config-first': violation({
      title: 'Message before config',
      why: 'The first message is config. The server closes with 4003 on any other.',
      source: 'seed, facts 10 (27)',
    }),
    'config-ack-missing': violation({
      title: 'Frame before config_ack',
      why: 'The acknowledgement leaves first, before the key check, and clients wait for it.',
      source: 'seed, facts 6.3.2',
    }),
    'answer-unasked': violation({
      title: 'Answer without a request',
      why: 'Each acknowledgement and each pong answers one message, and clients pair them.',
      source: 'seed, facts 6.2',
    }),
    'binary-unasked': violation({
      title: 'Binary audio without agreement',
      why: 'Until binary_mode_ack clients expect JSON and cannot read bytes.',
      source: 'seed, facts 6.3.15, 6.3.16',
    }),
    'json-audio-in-binary-mode': violation({
      title: 'JSON audio after binary_mode_ack',
      why: 'From then on audio arrives as bytes alone. Clients that read only bytes lose this.',
      source: 'seed, facts 6.3.15, 6.3.16',
    }),
    'no-generation': violation({
      title: 'Speech without a request',
      why: 'All sent text is spoken and done, so clients cannot match this to a text.',
      source: 'facts 6.3.13',
    }),
    'error-code-closes': violation({
      title: 'Closed with 4006',
      why: 'An error frame reports the lack of slots, and the socket stays open. Clients expect no such close.',
      source: 'facts 6.3.8',
    }),
    'close-unexplained': warning({
      title: 'Closed for an error without an error frame',
      why: 'The error frame of the same code comes first and says what was wrong.',
      source: 'facts 10 (28), decision 3',
    }),
    'turn-cut-off': advice({
      title: 'Connection ended during a turn',
      why: 'Undelivered speech is lost, but its characters count. On this endpoint a barge-in is done this way.',
      source: 'facts 6.3.13, 6.3.17',
    }),
  }),
  ...inGroup('audio', {
    'audio-base64': violation({
      title: 'Audio that is not base64',
      why: 'Decoders fail or play noise.',
      source: 'seed, facts 6.2',
    }),
    'odd-bytes': warning({
      title: 'Generation that ends in half a sample',
      why: 'A sample has two bytes. Carried into the next generation, the odd byte turns it into noise.',
      source: 'facts 6.5',
    }),
    'wrong-rate': violation({
      title: 'Sample rate other than 24 kHz',
      why: 'The endpoint has one format. Clients do not check it and play the voice too high or too low.',
      source: 'seed, facts 6.5',
    }),
  }),
  ...inGroup('totals', {
    'total-chunks': violation({
      title: 'Audio frame count that contradicts the received frames',
      why: 'Audio frames were lost, or arrive after done.',
      source: 'seed, facts 10 (32)',
    }),
    'duration-differs': advice({
      title: 'duration_ms is not the length of the audio',
      why: 'Audio was lost, or the server reports its generation time. The documentation allows both readings.',
      source: 'facts 10 (24)',
    }),
  }),
  ...inGroup('time', {
    'config-late': advice({
      title: 'No config yet',
      why: 'The server closes with 4001 after 10 s without config.',
      source: 'seed, facts 6.3.1',
    }),
    'config-too-late': violation({
      title: 'No config within 10 s',
      why: 'The server has closed the connection or is about to.',
      source: 'seed, facts 6.3.1',
    }),
    'answer-absent': warning({
      title: 'No answer',
      why: 'The server answers every message of this kind. The connection or the server is broken.',
      source: 'seed, facts 6.2, 6.5',
    }),
  }),
  ...inGroup('limits', {
    'buffer-overflow': violation({
      title: 'Text beyond the buffer of 4096 characters',
      why: 'The server drops the whole text; nothing of it is spoken.',
      source: 'seed, facts 6.3.10, decision 29',
    }),
    'rate-near': advice({
      title: 'More than 100 generations in a minute',
      why: 'Above that rate the vendor refuses generations with 4004, and their text is lost.',
      source: 'seed, facts 6.3.18',
    }),
  }),
  ...inGroup('client', {
    'config-key': violation({
      title: 'Another key on the same connection',
      why: 'A connection belongs to one key. The server closes with 4003.',
      source: 'decision 26',
    }),
    'binary-mode-early': warning({
      title: 'binary_mode before config_ack',
      why: 'binary_mode follows the acknowledgement. A server may refuse an earlier one.',
      source: 'seed',
    }),
    'unknown-field': warning({
      title: 'Field unknown to the server',
      why: 'The server silently ignores unknown fields. A misspelled setting has no effect.',
      source: 'facts 6.1',
    }),
    'language-unknown': warning({
      title: 'Language that is not on the list',
      why: 'Languages have full English names. For anything else, ISO codes included, the server detects it.',
      source: 'seed, facts 6.1',
    }),
    'voice-twice': advice({
      title: 'Description and saved voice together',
      why: 'The saved voice wins, and the description has no effect.',
      source: 'seed, facts 6.1',
    }),
    'flush-nothing': advice({
      title: 'Flush with nothing to speak',
      why: 'The buffer is empty, so neither a generation nor a done follows. Clients that wait never stop.',
      source: 'decision 25',
    }),
    'text-empty': advice({
      title: 'Empty text',
      why: 'It adds nothing. A ping keeps the connection open.',
      source: 'seed',
    }),
  }),
  ...inGroup('cost', {
    'language-missing': advice({
      title: 'Language left out',
      why: 'The server detects it for each generation, and short texts are easily taken for another language.',
      source: 'seed, facts 6.1',
    }),
    'base64-audio': advice({
      title: 'Audio as base64',
      why: 'binary_mode saves 50 to 100 ms a chunk and a quarter of the bytes.',
      source: 'seed, facts 6.5',
    }),
    'flush-mid-sentence': advice({
      title: 'Flush in the middle of a sentence',
      why: 'The sentence is spoken in two generations with a break between them.',
      source: 'seed, facts 6.3.13',
    }),
    'tiny-turns': advice({
      title: 'Flush after every few characters',
      why: 'Each flush is a generation with half a second before its first audio, and the limit is 100 a minute.',
      source: 'seed, facts 6.3.18, 6.5',
    }),
  }),
};

export type MurmrRuleId = keyof typeof MURMR_RULES;
