import { advice, inGroup, SHARED_RULES, violation, warning } from '../../lint/rule-book.ts';

/** The rules of the Kugel endpoints. */
export const KUGEL_RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation('Binary message', 'facts 1.3.1, decision 5', {
      why: 'Frames are JSON in text messages. The server refuses bytes, and clients cannot read them.',
    }),
    'server-shape': violation('Server frame with a wrong field', 'facts 1.5, 1.6, 1.8, 2.2, 3.2', {
      why: 'Clients that read the field fail, or play and count something wrong.',
    }),
    'client-shape': violation('Client frame with a wrong field', 'facts 1.4, 2.1, 2.3.28, 3.1, decision 8', {
      why: 'The server refuses the whole frame with VALIDATION_ERROR and uses nothing of it.',
    }),
    'several-kinds': violation('Frame with several markers', 'facts 1.3.2, 1.3.3', {
      why: 'The marker key names the kind of a frame. Clients that find two use one and lose the other.',
    }),
    'unknown-kind': warning('Frame of an unknown kind', 'facts 1.3.2, 1.3.3', {
      why: 'Strict clients reject a frame without a known marker; others drop it silently.',
    }),
    'error-incomplete': violation('Error without its name or number', 'facts 1.8', {
      why: 'Clients decide by error_code whether to retry. Without it they cannot.',
    }),
    'error-number': warning('Error name and number that contradict each other', 'facts 1.8', {
      why: 'Clients that check the name react differently from clients that check the number.',
    }),
  }),
  ...inGroup('order', {
    'no-turn': violation('Speech without a request', 'facts 2.3.1, 2.4', {
      why: 'No turn is open, so clients cannot match this to a text, and strict ones give up.',
    }),
    'after-session-closed': violation('Frame after the end of its turn', 'facts 2.3.16', {
      why: 'session_closed is the last frame of a turn. Clients count later frames to the next turn or drop them.',
    }),
    'after-interrupted': violation('Frame of a cancelled turn', 'facts 2.3.20, 2.3.21', {
      why: 'After interrupted, clients play every frame as the new turn, so the old one is heard again.',
    }),
    'after-final': violation('Speech after final', 'seed, facts 2.3.17, 3.3.10', {
      why: 'final promises that no more audio follows. Clients that stop there lose this audio.',
    }),
    'final-missing': violation('Turn or context ended without final', 'seed, facts 2.3.16, 3.3.11', {
      why: 'Clients that end playback at final wait forever.',
    }),
    'final-twice': violation('final sent twice', 'seed, facts 2.3.16', {
      why: 'Each final ends a turn, so clients end the next turn too early.',
    }),
    'final-unasked': violation('final without a flush, a close or an idle end', 'seed, facts 2.3.8, 3.3.10', {
      why: 'The turn still accepts text. Clients that stop at final cut it off.',
    }),
    'final-after-immediate': violation('final after an immediate close', 'seed, facts 3.3.12', {
      why: 'An immediate close has no final. Clients take this for a turn that was spoken to its end.',
    }),
    'generation-started-missing': violation('Speech without generation_started', 'facts 2.3.30', {
      why: 'The text of this chunk stays unknown, so its words cannot be shown.',
    }),
    'chunk-order': violation('chunk_id out of order', 'facts 2.3.30, 2.3.31', {
      why: 'chunk_id matches words to audio. A repeated or skipped number mixes up two chunks.',
    }),
    'chunk-overlap': violation(
      'Chunk started before the previous one was complete',
      'facts 10 (8), decision 2',
      {
        why: 'Clients play the chunks of a turn one after the other, so their frames must not mix.',
      },
    ),
    'chunk-complete-early': violation('chunk_complete before its audio', 'facts 2.2, 2.3.30', {
      why: 'It promises that all audio of the chunk was delivered. Clients that act on it cut the chunk off.',
    }),
    'audio-after-chunk-complete': violation('Audio of a complete chunk', 'facts 2.2, 2.3.30', {
      why: 'The length of the chunk does not include this audio, so later words light up at the wrong time.',
    }),
    'chunk-complete-twice': violation('chunk_complete sent twice', 'facts 2.2', {
      why: 'Official clients count chunks by it.',
    }),
    'chunk-complete-missing': violation('Turn ended with an incomplete chunk', 'facts 2.2, 2.3.30', {
      why: 'Each chunk has one chunk_complete. Clients that wait for it end late or never.',
    }),
    'interrupted-unasked': violation('interrupted without a cancel', 'seed, facts 2.2', {
      why: 'It only answers cancel. Clients drop their turn although nobody interrupted it.',
    }),
    'settings-updated-unasked': violation('settings_updated without update_settings', 'facts 2.2, 2.4', {
      why: 'Clients show settings that they never requested.',
    }),
    'warning-unasked': violation('Idle warning without an open turn', 'facts 2.2, 2.3.10', {
      why: 'The warning means that the server ended the open turn, but no turn was open.',
    }),
    'context-created-missing': violation('Frame of a context before context_created', 'facts 3.3.7', {
      why: 'context_created is the first frame of a context. Clients wait for it before they send text.',
    }),
    'context-created-twice': violation('context_created sent twice', 'facts 3.3.7', {
      why: 'Clients take it for a new context and drop the state of the old one.',
    }),
    'context-never-asked': violation('Frame of a context that was never opened', 'facts 3.3.7, 3.3.18', {
      why: 'Clients have no place for it and may be receiving the speech of another session.',
    }),
    'after-context-closed': violation('Frame after context_closed', 'seed, facts 3.3.13', {
      why: 'context_closed is the last frame of its context and follows all of its audio.',
    }),
    'session-closed-early': violation('session_closed while a context is live', 'seed, facts 3.2', {
      why: 'It means that every context has ended. Clients disconnect and never see the other bills.',
    }),
    'close-code': warning('Close code that contradicts the error', 'facts 1.8, 10 (12)', {
      why: 'Clients decide by the close code whether to reconnect.',
    }),
    'close-unexplained': warning('Closed for an error without an error frame', 'decision 3', {
      why: 'A browser sees the close code alone. The error frame before it says what to do.',
    }),
    'turn-cut-off': advice('Connection ended during a turn', 'facts 2.3.25', {
      why: 'Undelivered speech is lost, and no bill covers what was spoken.',
    }),
  }),
  ...inGroup('audio', {
    'idx-gap': violation('Audio frames missing', 'facts 1.5, 10 (7)', {
      why: 'A number is missing, so a piece of the speech is lost and the cut may click.',
    }),
    'idx-repeat': violation('Audio frame repeated or late', 'facts 1.5, 10 (7)', {
      why: 'Its number was already used. Played in order of arrival, a piece of the speech is heard twice.',
    }),
    'samples-bytes': violation('Sample count that contradicts the bytes', 'facts 1.5.3', {
      why: 'Clients count time in samples, so sound and display drift apart.',
    }),
    'audio-base64': violation('Audio that is not base64', 'seed, facts 1.5', {
      why: 'Decoders fail or play noise.',
    }),
    'wrong-codec': violation('Codec other than requested', 'facts 1.5', {
      why: 'Decoded as the requested codec, this is noise.',
    }),
    'wrong-rate': violation('Sample rate other than requested', 'facts 1.5', {
      why: 'Played at the requested rate, the voice is too high or too low.',
    }),
  }),
  ...inGroup('words', {
    'words-unasked': violation('Word timings without a request', 'seed, facts 2.2', {
      why: 'The server sends them only where word_timestamps is true.',
    }),
    'words-missing': warning('Chunk without word timings', 'seed, decision 6', {
      why: 'They were requested. The words of this chunk light up by estimates.',
    }),
    'word-ends-early': violation('Word that ends before it begins', 'facts 1.6', {
      why: 'It is never the current word, so it cannot light up.',
    }),
    'words-backwards': violation('Word timings that go backwards', 'facts 1.6, decision 6', {
      why: 'Words light up in the order of the text; this one jumps back.',
    }),
    'words-overlap': violation('Words at the same time', 'decision 6', {
      why: 'One voice says one word at a time; here two would be current at once.',
    }),
    'words-beyond-chunk': violation('Word timed past the end of its chunk', 'facts 1.6, decision 6', {
      why: 'It would light up during the next chunk, or never.',
    }),
    'word-offsets': warning('Word outside the text of its chunk', 'facts 1.6, decision 6', {
      why: 'The page cannot mark it in the text that generation_started gave.',
    }),
    'word-offsets-backwards': violation('Word offsets that go backwards', 'facts 1.6, decision 6', {
      why: 'Words follow the order of the text.',
    }),
  }),
  ...inGroup('totals', {
    'chunk-seconds': violation('Chunk length that contradicts its audio', 'facts 2.2', {
      why: 'Audio was lost, or the chunk is shown and counted at a wrong length.',
    }),
    'total-seconds': violation('Turn length that contradicts its audio', 'seed, facts 2.2', {
      why: 'Audio was lost, or the server counts more than it delivered.',
    }),
    'total-chunks': violation('Chunk count that contradicts the received chunks', 'seed, facts 2.2', {
      why: 'A chunk of the text was lost or never announced.',
    }),
    'total-audio-frames': violation(
      'Audio frame count that contradicts the received frames',
      'seed, facts 2.2',
      {
        why: 'Audio frames were lost.',
      },
    ),
    'totals-differ': violation('final and session_closed disagree', 'facts 2.3.18', {
      why: 'Both report the totals of the same turn. One of them is wrong, and one is the bill.',
    }),
    'session-seconds': violation('Session length that contradicts its contexts', 'seed, facts 3.2', {
      why: 'The sum differs from the bills of the contexts.',
    }),
  }),
  ...inGroup('billing', {
    'usage-missing': violation('Bill missing', 'seed, facts 1.9', {
      why: 'Speech was delivered without a bill, so its cost is unknown.',
    }),
    'usage-unearned': warning('Bill of a context without speech', 'facts 3.3.14', {
      why: 'A context that closes before any speech has no bill.',
    }),
    'usage-seconds': violation('Billed seconds that contradict the audio', 'facts 1.9', {
      why: 'The bill covers generated audio. Here it charges other seconds than were delivered.',
    }),
    'usage-characters': warning('Character count that contradicts the sent text', 'facts 1.9', {
      why: 'Text was lost or counted twice.',
    }),
    'usage-model': violation('Billed under another model', 'facts 1.4, 1.9', {
      why: 'Models differ in price, and usage names the requested model.',
    }),
    'cost-unexplained': violation('Cost missing without a reason', 'seed, facts 1.9', {
      why: 'An unknown charge is null together with cost_unavailable: true, and only then.',
    }),
    'cost-silent-zero': violation('Speech at no cost', 'seed', {
      why: 'An unknown charge is null, never a silent 0.',
    }),
    'currency-missing': warning('Cost without its currency', 'facts 1.9', {
      why: 'A number without a currency is not a price.',
    }),
    'price-varies': warning('Same model at another price', 'facts 1.9', {
      why: 'Within one session a second of one model costs the same. This bill differs.',
    }),
    'price-unlisted': advice('Undocumented price', 'facts 1.9', {
      why: 'Neither the documented samples nor the price list give this price per second.',
    }),
  }),
  ...inGroup('time', {
    'idle-turn-soon': advice('Turn close to its idle end', 'seed, facts 2.3.10, 2.3.11', {
      why: 'Text was sent without a flush. The server ends the turn after 5 s; a flush speaks it at once.',
    }),
    'idle-turn-ended': advice('Turn ended as idle', 'seed, facts 2.3.10, 2.3.11', {
      why: 'The last text waited 5 s to be spoken. A flush ends a turn at once; pings do not keep it open.',
    }),
    'idle-end-early': warning('Turn ended as idle too early', 'seed, facts 2.3.10', {
      why: 'A turn stays open for 5 s after its last text. An earlier end splits the text of slow sources.',
    }),
    'idle-end-absent': warning('Idle turn that did not end', 'seed, facts 2.3.10', {
      why: 'The server ends a turn after 5 s without text. Clients that rely on it wait forever.',
    }),
    'context-idle-soon': advice('Context close to its idle end', 'seed, facts 3.3.3, 3.3.4', {
      why: 'An empty text keeps it open. Once closed, its voice must be set up again.',
    }),
    'context-idle-ended': advice('Context closed as idle', 'seed, facts 3.3.3', {
      why: 'The context was idle for too long. Close finished contexts, and keep others open with an empty text.',
    }),
    'context-idle-absent': warning('Idle context that did not close', 'seed, facts 3.3.3', {
      why: 'It still counts towards the limit of twenty, and its bill never arrives.',
    }),
    'answer-absent': warning('No answer', 'facts 2.4, 3.4', {
      why: 'The server answers every request of this kind. Official clients give up at about this time.',
    }),
    'cancel-slow': advice('Late answer to a barge-in', 'facts 2.3.24', {
      why: 'Speech should stop within about a second of the interruption.',
    }),
  }),
  ...inGroup('limits', {
    'text-too-long': violation('Text over 10,000 characters', 'facts 1.9, decision 13', {
      why: 'The server refuses the whole text; nothing of it is spoken.',
    }),
    'too-many-contexts': violation('More than twenty contexts', 'seed, facts 3.3.1, 3.3.2', {
      why: 'The server refuses it with TOO_MANY_CONTEXTS until another context closes.',
    }),
  }),
  ...inGroup('client', {
    'unknown-field': warning('Field unknown to the server', 'facts 1.3.4', {
      why: 'The server silently ignores unknown fields. A misspelled setting has no effect.',
    }),
    'voice-missing': violation('Text without a voice', 'facts 2.3.29, 3.3.8', {
      why: 'The server refuses it with MISSING_VOICE_ID; nothing of it is spoken.',
    }),
    'context-unknown': violation('Flush of a context that does not exist', 'facts 10 (18)', {
      why: 'The server refuses it, because neither a text nor voice settings have opened this context.',
    }),
    'text-while-closing': violation('Text to a closing context', 'facts 3.3.11', {
      why: 'The context finishes its queue and accepts no more text. This text is lost.',
    }),
    'format-set-once': violation('Output format changed within a session', 'seed, facts 1.5.5', {
      why: 'The format is set once a session. Another format needs a new connection.',
    }),
    'after-close-socket': violation('Message after close_socket', 'seed, facts 2.3.14, 3.3.16', {
      why: 'The connection ends once everything is spoken. The server refuses later messages.',
    }),
    'nested-delivery': warning('Top-level setting inside voice_settings', 'facts 3.1', {
      why: 'The server silently drops it there, and the default applies.',
    }),
    'flush-nothing': advice('Flush with nothing to speak', 'facts 10 (1), decision 2', {
      why: 'No text is waiting. The server answers with an empty turn at best.',
    }),
    'cancel-nothing': advice('Cancel with nothing running', 'facts 2.3.23', {
      why: 'The server acknowledges it, and nothing changes.',
    }),
    'keep-alive-late': advice('Keep-alive for a closed context', 'seed, facts 3.3.4', {
      why: 'It arrived after the end of the context and does not open another.',
    }),
    clamped: advice('Value moved into its range', 'facts 1.4, decision 8', {
      why: 'The server uses the nearest end of the range and does not report it.',
    }),
    'config-mid-turn': advice('Settings changed during a turn', 'facts 2.3.27, decision 7', {
      why: 'They take effect with the next turn. The open turn keeps its settings.',
    }),
  }),
  ...inGroup('cost', {
    'language-missing': advice('Language left out', 'facts 1.4', {
      why: 'Detection costs 60 to 150 ms before the first audio, and numbers may be read in another language.',
    }),
    'flush-mid-sentence': advice('Flush in the middle of a sentence', 'seed, facts 2.3.9, 2.3.32', {
      why: 'A flush ends the turn. The sentence is spoken in two pieces and billed as two turns.',
    }),
    'tiny-turns': advice('Flush after every few characters', 'seed, facts 2.3.8, 2.3.9', {
      why: 'Each flush is a turn with a start-up and a melody of its own. Send text as it comes, and flush once.',
    }),
    'auto-mode-flush': advice('Flush after each sentence although auto_mode is on', 'seed, facts 2.1', {
      why: 'auto_mode already speaks at each sentence end. A flush only adds the end of the turn.',
    }),
    'auto-mode-schedule': advice('Schedule that auto_mode ignores', 'seed, facts 2.1', {
      why: 'With auto_mode on, chunk_length_schedule has no effect.',
    }),
    'slow-start': advice('Late first audio by schedule', 'seed, facts 2.1', {
      why: 'Speech begins once the first entry of chunk_length_schedule is reached. A smaller entry is heard sooner.',
    }),
  }),
};

export type KugelRuleId = keyof typeof KUGEL_RULES;
