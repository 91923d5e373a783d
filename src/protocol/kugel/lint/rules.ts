import { advice, inGroup, SHARED_RULES, violation, warning } from '../../lint/rule-book.ts';

/** The rules of the Kugel endpoints. */
export const KUGEL_RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation({
      title: 'Binary message',
      why: 'Frames are JSON in text messages. The server refuses bytes, and clients cannot read them.',
      source: 'facts 1.3.1, decision 5',
    }),
    'server-shape': violation({
      title: 'Server frame with a wrong field',
      why: 'Clients that read the field fail, or play and count something wrong.',
      source: 'facts 1.5, 1.6, 1.8, 2.2, 3.2',
    }),
    'client-shape': violation({
      title: 'Client frame with a wrong field',
      why: 'The server refuses the whole frame with VALIDATION_ERROR and uses nothing of it.',
      source: 'facts 1.4, 2.1, 2.3.28, 3.1, decision 8',
    }),
    'several-kinds': violation({
      title: 'Frame with several markers',
      why: 'The marker key names the kind of a frame. Clients that find two use one and lose the other.',
      source: 'facts 1.3.2, 1.3.3',
    }),
    'unknown-kind': warning({
      title: 'Frame of an unknown kind',
      why: 'Strict clients reject a frame without a known marker; others drop it silently.',
      source: 'facts 1.3.2, 1.3.3',
    }),
    'error-incomplete': violation({
      title: 'Error without its name or number',
      why: 'Clients decide by error_code whether to retry. Without it they cannot.',
      source: 'facts 1.8',
    }),
    'error-number': warning({
      title: 'Error name and number that contradict each other',
      why: 'Clients that check the name react differently from clients that check the number.',
      source: 'facts 1.8',
    }),
  }),
  ...inGroup('order', {
    'no-turn': violation({
      title: 'Speech without a request',
      why: 'No turn is open, so clients cannot match this to a text, and strict ones give up.',
      source: 'facts 2.3.1, 2.4',
    }),
    'after-session-closed': violation({
      title: 'Frame after the end of its turn',
      why: 'session_closed is the last frame of a turn. Clients count later frames to the next turn or drop them.',
      source: 'facts 2.3.16',
    }),
    'after-interrupted': violation({
      title: 'Frame of a cancelled turn',
      why: 'After interrupted, clients play every frame as the new turn, so the old one is heard again.',
      source: 'facts 2.3.20, 2.3.21',
    }),
    'after-final': violation({
      title: 'Speech after final',
      why: 'final promises that no more audio follows. Clients that stop there lose this audio.',
      source: 'seed, facts 2.3.17, 3.3.10',
    }),
    'final-missing': violation({
      title: 'Turn or context ended without final',
      why: 'Clients that end playback at final wait forever.',
      source: 'seed, facts 2.3.16, 3.3.11',
    }),
    'final-twice': violation({
      title: 'final sent twice',
      why: 'Each final ends a turn, so clients end the next turn too early.',
      source: 'seed, facts 2.3.16',
    }),
    'final-unasked': violation({
      title: 'final without a flush, a close or an idle end',
      why: 'The turn still accepts text. Clients that stop at final cut it off.',
      source: 'seed, facts 2.3.8, 3.3.10',
    }),
    'final-after-immediate': violation({
      title: 'final after an immediate close',
      why: 'An immediate close has no final. Clients take this for a turn that was spoken to its end.',
      source: 'seed, facts 3.3.12',
    }),
    'generation-started-missing': violation({
      title: 'Speech without generation_started',
      why: 'The text of this chunk stays unknown, so its words cannot be shown.',
      source: 'facts 2.3.30',
    }),
    'chunk-order': violation({
      title: 'chunk_id out of order',
      why: 'chunk_id matches words to audio. A repeated or skipped number mixes up two chunks.',
      source: 'facts 2.3.30, 2.3.31',
    }),
    'chunk-overlap': violation({
      title: 'Chunk started before the previous one was complete',
      why: 'Clients play the chunks of a turn one after the other, so their frames must not mix.',
      source: 'facts 10 (8), decision 2',
    }),
    'chunk-complete-early': violation({
      title: 'chunk_complete before its audio',
      why: 'It promises that all audio of the chunk was delivered. Clients that act on it cut the chunk off.',
      source: 'facts 2.2, 2.3.30',
    }),
    'audio-after-chunk-complete': violation({
      title: 'Audio of a complete chunk',
      why: 'The length of the chunk does not include this audio, so later words light up at the wrong time.',
      source: 'facts 2.2, 2.3.30',
    }),
    'chunk-complete-twice': violation({
      title: 'chunk_complete sent twice',
      why: 'Official clients count chunks by it.',
      source: 'facts 2.2',
    }),
    'chunk-complete-missing': violation({
      title: 'Turn ended with an incomplete chunk',
      why: 'Each chunk has one chunk_complete. Clients that wait for it end late or never.',
      source: 'facts 2.2, 2.3.30',
    }),
    'interrupted-unasked': violation({
      title: 'interrupted without a cancel',
      why: 'It only answers cancel. Clients drop their turn although nobody interrupted it.',
      source: 'seed, facts 2.2',
    }),
    'settings-updated-unasked': violation({
      title: 'settings_updated without update_settings',
      why: 'Clients show settings that they never requested.',
      source: 'facts 2.2, 2.4',
    }),
    'warning-unasked': violation({
      title: 'Idle warning without an open turn',
      why: 'The warning means that the server ended the open turn, but no turn was open.',
      source: 'facts 2.2, 2.3.10',
    }),
    'context-created-missing': violation({
      title: 'Frame of a context before context_created',
      why: 'context_created is the first frame of a context. Clients wait for it before they send text.',
      source: 'facts 3.3.7',
    }),
    'context-created-twice': violation({
      title: 'context_created sent twice',
      why: 'Clients take it for a new context and drop the state of the old one.',
      source: 'facts 3.3.7',
    }),
    'context-never-asked': violation({
      title: 'Frame of a context that was never opened',
      why: 'Clients have no place for it and may be receiving the speech of another session.',
      source: 'facts 3.3.7, 3.3.18',
    }),
    'after-context-closed': violation({
      title: 'Frame after context_closed',
      why: 'context_closed is the last frame of its context and follows all of its audio.',
      source: 'seed, facts 3.3.13',
    }),
    'session-closed-early': violation({
      title: 'session_closed while a context is live',
      why: 'It means that every context has ended. Clients disconnect and never see the other bills.',
      source: 'seed, facts 3.2',
    }),
    'close-code': warning({
      title: 'Close code that contradicts the error',
      why: 'Clients decide by the close code whether to reconnect.',
      source: 'facts 1.8, 10 (12)',
    }),
    'close-unexplained': warning({
      title: 'Closed for an error without an error frame',
      why: 'A browser sees the close code alone. The error frame before it says what to do.',
      source: 'decision 3',
    }),
    'turn-cut-off': advice({
      title: 'Connection ended during a turn',
      why: 'Undelivered speech is lost, and no bill covers what was spoken.',
      source: 'facts 2.3.25',
    }),
  }),
  ...inGroup('audio', {
    'idx-gap': violation({
      title: 'Audio frames missing',
      why: 'A number is missing, so a piece of the speech is lost and the cut may click.',
      source: 'facts 1.5, 10 (7)',
    }),
    'idx-repeat': violation({
      title: 'Audio frame repeated or late',
      why: 'Its number was already used. Played in order of arrival, a piece of the speech is heard twice.',
      source: 'facts 1.5, 10 (7)',
    }),
    'samples-bytes': violation({
      title: 'Sample count that contradicts the bytes',
      why: 'Clients count time in samples, so sound and display drift apart.',
      source: 'facts 1.5.3',
    }),
    'audio-base64': violation({
      title: 'Audio that is not base64',
      why: 'Decoders fail or play noise.',
      source: 'seed, facts 1.5',
    }),
    'wrong-codec': violation({
      title: 'Codec other than requested',
      why: 'Decoded as the requested codec, this is noise.',
      source: 'facts 1.5',
    }),
    'wrong-rate': violation({
      title: 'Sample rate other than requested',
      why: 'Played at the requested rate, the voice is too high or too low.',
      source: 'facts 1.5',
    }),
  }),
  ...inGroup('words', {
    'words-unasked': violation({
      title: 'Word timings without a request',
      why: 'The server sends them only where word_timestamps is true.',
      source: 'seed, facts 2.2',
    }),
    'words-missing': warning({
      title: 'Chunk without word timings',
      why: 'They were requested. The words of this chunk cannot light up.',
      source: 'seed, decision 6',
    }),
    'word-ends-early': violation({
      title: 'Word that ends before it begins',
      why: 'It is never the current word, so it cannot light up.',
      source: 'facts 1.6',
    }),
    'words-backwards': violation({
      title: 'Word timings that go backwards',
      why: 'Words light up in the order of the text; this one jumps back.',
      source: 'facts 1.6, decision 6',
    }),
    'words-overlap': violation({
      title: 'Words at the same time',
      why: 'One voice says one word at a time; here two would be current at once.',
      source: 'decision 6',
    }),
    'words-beyond-chunk': violation({
      title: 'Word timed past the end of its chunk',
      why: 'It would light up during the next chunk, or never.',
      source: 'facts 1.6, decision 6',
    }),
    'word-offsets': warning({
      title: 'Word outside the text of its chunk',
      why: 'The page cannot mark it in the text that generation_started gave.',
      source: 'facts 1.6, decision 6',
    }),
    'word-offsets-backwards': violation({
      title: 'Word offsets that go backwards',
      why: 'Words follow the order of the text.',
      source: 'facts 1.6, decision 6',
    }),
  }),
  ...inGroup('totals', {
    'chunk-seconds': violation({
      title: 'Chunk length that contradicts its audio',
      why: 'Audio was lost, or the chunk is shown and counted at a wrong length.',
      source: 'facts 2.2',
    }),
    'total-seconds': violation({
      title: 'Turn length that contradicts its audio',
      why: 'Audio was lost, or the server counts more than it delivered.',
      source: 'seed, facts 2.2',
    }),
    'total-chunks': violation({
      title: 'Chunk count that contradicts the received chunks',
      why: 'A chunk of the text was lost or never announced.',
      source: 'seed, facts 2.2',
    }),
    'total-audio-frames': violation({
      title: 'Audio frame count that contradicts the received frames',
      why: 'Audio frames were lost.',
      source: 'seed, facts 2.2',
    }),
    'totals-differ': violation({
      title: 'final and session_closed disagree',
      why: 'Both report the totals of the same turn. One of them is wrong, and one is the bill.',
      source: 'facts 2.3.18',
    }),
    'session-seconds': violation({
      title: 'Session length that contradicts its contexts',
      why: 'The sum differs from the bills of the contexts.',
      source: 'seed, facts 3.2',
    }),
  }),
  ...inGroup('billing', {
    'usage-missing': violation({
      title: 'Bill missing',
      why: 'Speech was delivered without a bill, so its cost is unknown.',
      source: 'seed, facts 1.9',
    }),
    'usage-unearned': warning({
      title: 'Bill of a context without speech',
      why: 'A context that closes before any speech has no bill.',
      source: 'facts 3.3.14',
    }),
    'usage-seconds': violation({
      title: 'Billed seconds that contradict the audio',
      why: 'The bill covers generated audio. Here it charges other seconds than were delivered.',
      source: 'facts 1.9',
    }),
    'usage-characters': warning({
      title: 'Character count that contradicts the sent text',
      why: 'Text was lost or counted twice.',
      source: 'facts 1.9',
    }),
    'usage-model': violation({
      title: 'Billed under another model',
      why: 'Models differ in price, and usage names the requested model.',
      source: 'facts 1.4, 1.9',
    }),
    'cost-unexplained': violation({
      title: 'Cost missing without a reason',
      why: 'An unknown charge is null together with cost_unavailable: true, and only then.',
      source: 'seed, facts 1.9',
    }),
    'cost-silent-zero': violation({
      title: 'Speech at no cost',
      why: 'An unknown charge is null, never a silent 0.',
      source: 'seed',
    }),
    'currency-missing': warning({
      title: 'Cost without its currency',
      why: 'A number without a currency is not a price.',
      source: 'facts 1.9',
    }),
    'price-varies': warning({
      title: 'Same model at another price',
      why: 'Within one session a second of one model costs the same. This bill differs.',
      source: 'facts 1.9',
    }),
    'price-unlisted': advice({
      title: 'Undocumented price',
      why: 'Neither the documented samples nor the price list give this price per second.',
      source: 'facts 1.9',
    }),
  }),
  ...inGroup('time', {
    'idle-turn-soon': advice({
      title: 'Turn close to its idle end',
      why: 'Text was sent without a flush. The server ends the turn after 5 s; a flush speaks it at once.',
      source: 'seed, facts 2.3.10, 2.3.11',
    }),
    'idle-turn-ended': advice({
      title: 'Turn ended as idle',
      why: 'The last text waited 5 s to be spoken. A flush ends a turn at once; pings do not keep it open.',
      source: 'seed, facts 2.3.10, 2.3.11',
    }),
    'idle-end-early': warning({
      title: 'Turn ended as idle too early',
      why: 'A turn stays open for 5 s after its last text. An earlier end splits the text of slow sources.',
      source: 'seed, facts 2.3.10',
    }),
    'idle-end-absent': warning({
      title: 'Idle turn that did not end',
      why: 'The server ends a turn after 5 s without text. Clients that rely on it wait forever.',
      source: 'seed, facts 2.3.10',
    }),
    'context-idle-soon': advice({
      title: 'Context close to its idle end',
      why: 'An empty text keeps it open. Once closed, its voice must be set up again.',
      source: 'seed, facts 3.3.3, 3.3.4',
    }),
    'context-idle-ended': advice({
      title: 'Context closed as idle',
      why: 'The context was idle for too long. Close finished contexts, and keep others open with an empty text.',
      source: 'seed, facts 3.3.3',
    }),
    'context-idle-absent': warning({
      title: 'Idle context that did not close',
      why: 'It still counts towards the limit of twenty, and its bill never arrives.',
      source: 'seed, facts 3.3.3',
    }),
    'answer-absent': warning({
      title: 'No answer',
      why: 'The server answers every request of this kind. Official clients give up at about this time.',
      source: 'facts 2.4, 3.4',
    }),
    'cancel-slow': advice({
      title: 'Late answer to a barge-in',
      why: 'Speech should stop within about a second of the interruption.',
      source: 'facts 2.3.24',
    }),
  }),
  ...inGroup('limits', {
    'text-too-long': violation({
      title: 'Text over 10,000 characters',
      why: 'The server refuses the whole text; nothing of it is spoken.',
      source: 'facts 1.9, decision 13',
    }),
    'too-many-contexts': violation({
      title: 'More than twenty contexts',
      why: 'The server refuses it with TOO_MANY_CONTEXTS until another context closes.',
      source: 'seed, facts 3.3.1, 3.3.2',
    }),
  }),
  ...inGroup('client', {
    'unknown-field': warning({
      title: 'Field unknown to the server',
      why: 'The server silently ignores unknown fields. A misspelled setting has no effect.',
      source: 'facts 1.3.4',
    }),
    'voice-missing': violation({
      title: 'Text without a voice',
      why: 'The server refuses it with MISSING_VOICE_ID; nothing of it is spoken.',
      source: 'facts 2.3.29, 3.3.8',
    }),
    'context-unknown': violation({
      title: 'Flush of a context that does not exist',
      why: 'The server refuses it, because neither a text nor voice settings have opened this context.',
      source: 'facts 10 (18)',
    }),
    'text-while-closing': violation({
      title: 'Text to a closing context',
      why: 'The context finishes its queue and accepts no more text. This text is lost.',
      source: 'facts 3.3.11',
    }),
    'format-set-once': violation({
      title: 'Output format changed within a session',
      why: 'The format is set once a session. Another format needs a new connection.',
      source: 'seed, facts 1.5.5',
    }),
    'after-close-socket': violation({
      title: 'Message after close_socket',
      why: 'The connection ends once everything is spoken. The server refuses later messages.',
      source: 'seed, facts 2.3.14, 3.3.16',
    }),
    'nested-delivery': warning({
      title: 'Top-level setting inside voice_settings',
      why: 'The server silently drops it there, and the default applies.',
      source: 'facts 3.1',
    }),
    'flush-nothing': advice({
      title: 'Flush with nothing to speak',
      why: 'No text is waiting. The server answers with an empty turn at best.',
      source: 'facts 10 (1), decision 2',
    }),
    'cancel-nothing': advice({
      title: 'Cancel with nothing running',
      why: 'The server acknowledges it, and nothing changes.',
      source: 'facts 2.3.23',
    }),
    'keep-alive-late': advice({
      title: 'Keep-alive for a closed context',
      why: 'It arrived after the end of the context and does not open another.',
      source: 'seed, facts 3.3.4',
    }),
    clamped: advice({
      title: 'Value moved into its range',
      why: 'The server uses the nearest end of the range and does not report it.',
      source: 'facts 1.4, decision 8',
    }),
    'config-mid-turn': advice({
      title: 'Settings changed during a turn',
      why: 'They take effect with the next turn. The open turn keeps its settings.',
      source: 'facts 2.3.27, decision 7',
    }),
  }),
  ...inGroup('cost', {
    'language-missing': advice({
      title: 'Language left out',
      why: 'Detection costs 60 to 150 ms before the first audio, and numbers may be read in another language.',
      source: 'facts 1.4',
    }),
    'flush-mid-sentence': advice({
      title: 'Flush in the middle of a sentence',
      why: 'A flush ends the turn. The sentence is spoken in two pieces and billed as two turns.',
      source: 'seed, facts 2.3.9, 2.3.32',
    }),
    'tiny-turns': advice({
      title: 'Flush after every few characters',
      why: 'Each flush is a turn with a start-up and a melody of its own. Send text as it comes, and flush once.',
      source: 'seed, facts 2.3.8, 2.3.9',
    }),
    'auto-mode-flush': advice({
      title: 'Flush after each sentence although auto_mode is on',
      why: 'auto_mode already speaks at each sentence end. A flush only adds the end of the turn.',
      source: 'seed, facts 2.1',
    }),
    'auto-mode-schedule': advice({
      title: 'Schedule that auto_mode ignores',
      why: 'With auto_mode on, chunk_length_schedule has no effect.',
      source: 'seed, facts 2.1',
    }),
    'slow-start': advice({
      title: 'Late first audio by schedule',
      why: 'Speech begins once the first entry of chunk_length_schedule is reached. A smaller entry is heard sooner.',
      source: 'seed, facts 2.1',
    }),
  }),
};

export type KugelRuleId = keyof typeof KUGEL_RULES;
