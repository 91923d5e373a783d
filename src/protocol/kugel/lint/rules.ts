import { advice, inGroup, SHARED_RULES, violation, warning } from '../../lint/rule-book.ts';

/** The rules of the Kugel endpoints. */
export const KUGEL_RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation('Binary message', 'kugel-message-1 kugel-message-2', {
      why: 'Frames are JSON in text messages. The server refuses bytes, and clients cannot read them.',
    }),
    'server-shape': violation(
      'Server frame with a wrong field',
      'kugel-message-62 kugel-message-63 kugel-words-1',
      {
        why: 'Clients that read the field fail, or play and count something wrong.',
      },
    ),
    'client-shape': violation('Client frame with a wrong field', 'kugel-message-6 kugel-message-51', {
      why: 'The server refuses the whole frame with VALIDATION_ERROR and uses nothing of it.',
    }),
    'several-kinds': violation('Frame with several markers', 'kugel-message-61', {
      why: 'The marker key names the kind of a frame. Clients that find two use one and lose the other.',
    }),
    'unknown-kind': warning('Frame of an unknown kind', 'kugel-message-60 kugel-message-61', {
      why: 'Strict clients reject a frame without a known marker; others drop it silently.',
    }),
    'error-incomplete': violation('Error without its name or number', 'kugel-error-1', {
      why: 'Clients decide by error_code whether to retry. Without it they cannot.',
    }),
    'error-number': warning('Error name and number that contradict each other', 'kugel-error-5', {
      why: 'Clients that check the name react differently from clients that check the number.',
    }),
  }),
  ...inGroup('order', {
    'no-turn': violation('Speech without a request', 'kugel-turn-1', {
      why: 'No turn is open, so clients cannot match this to a text, and strict ones give up.',
    }),
    'after-session-closed': violation('Frame after the end of its turn', 'kugel-end-8', {
      why: 'session_closed is the last frame of a turn. Clients count later frames to the next turn or drop them.',
    }),
    'after-interrupted': violation('Frame of a cancelled turn', 'kugel-cancel-2 kugel-cancel-3', {
      why: 'After interrupted, clients play every frame as the new turn, so the old one is heard again.',
    }),
    'after-final': violation('Speech after final', 'kugel-end-8 kugel-context-11', {
      why: 'final promises that no more audio follows. Clients that stop there lose this audio.',
    }),
    'final-missing': violation('Turn or context ended without final', 'kugel-end-8 kugel-context-12', {
      why: 'Clients that end playback at final wait forever.',
    }),
    'final-twice': violation('final sent twice', 'kugel-end-8', {
      why: 'Each final ends a turn, so clients end the next turn too early.',
    }),
    'final-unasked': violation(
      'final without a flush, a close or an idle end',
      'kugel-end-9 kugel-context-11',
      {
        why: 'The turn still accepts text. Clients that stop at final cut it off.',
      },
    ),
    'final-after-immediate': violation('final after an immediate close', 'kugel-context-13', {
      why: 'An immediate close has no final. Clients take this for a turn that was spoken to its end.',
    }),
    'generation-started-missing': violation('Speech without generation_started', 'kugel-chunk-8', {
      why: 'The text of this chunk stays unknown, so its words cannot be shown.',
    }),
    'chunk-order': violation('chunk_id out of order', 'kugel-chunk-9 kugel-chunk-8', {
      why: 'chunk_id matches words to audio. A repeated or skipped number mixes up two chunks.',
    }),
    'chunk-overlap': violation('Chunk started before the previous one was complete', 'kugel-chunk-10', {
      why: 'Clients play the chunks of a turn one after the other, so their frames must not mix.',
    }),
    'chunk-complete-early': violation('chunk_complete before its audio', 'kugel-chunk-11 kugel-chunk-8', {
      why: 'It promises that all audio of the chunk was delivered. Clients that act on it cut the chunk off.',
    }),
    'audio-after-chunk-complete': violation('Audio of a complete chunk', 'kugel-chunk-11 kugel-chunk-8', {
      why: 'The length of the chunk does not include this audio, so later words light up at the wrong time.',
    }),
    'chunk-complete-twice': violation('chunk_complete sent twice', 'kugel-chunk-11', {
      why: 'Official clients count chunks by it.',
    }),
    'chunk-complete-missing': violation('Turn ended with an incomplete chunk', 'kugel-chunk-11', {
      why: 'Each chunk has one chunk_complete. Clients that wait for it end late or never.',
    }),
    'interrupted-unasked': violation('interrupted without a cancel', 'kugel-message-68', {
      why: 'It only answers cancel. Clients drop their turn although nobody interrupted it.',
    }),
    'settings-updated-unasked': violation('settings_updated without update_settings', 'kugel-message-70', {
      why: 'Clients show settings that they never requested.',
    }),
    'warning-unasked': violation('Idle warning without an open turn', 'kugel-message-69 kugel-end-1', {
      why: 'The warning means that the server ended the open turn, but no turn was open.',
    }),
    'context-created-missing': violation('Frame of a context before context_created', 'kugel-context-2', {
      why: 'context_created is the first frame of a context. Clients wait for it before they send text.',
    }),
    'context-created-twice': violation('context_created sent twice', 'kugel-context-2', {
      why: 'Clients take it for a new context and drop the state of the old one.',
    }),
    'context-never-asked': violation(
      'Frame of a context that was never opened',
      'kugel-context-2 kugel-context-25',
      {
        why: 'Clients have no place for it and may be receiving the speech of another session.',
      },
    ),
    'after-context-closed': violation('Frame after context_closed', 'kugel-context-14', {
      why: 'context_closed is the last frame of its context and follows all of its audio.',
    }),
    'session-closed-early': violation('session_closed while a context is live', 'kugel-context-24', {
      why: 'It means that every context has ended. Clients disconnect and never see the other bills.',
    }),
    'close-code': warning('Close code that contradicts the error', 'kugel-close-9', {
      why: 'Clients decide by the close code whether to reconnect.',
    }),
    'close-unexplained': warning('Closed for an error without an error frame', 'wire-error-1 kugel-close-9', {
      why: 'A browser sees the close code alone. The error frame before it says what to do.',
    }),
    'turn-cut-off': advice('Connection ended during a turn', 'kugel-end-11', {
      why: 'Undelivered speech is lost, and no bill covers what was spoken.',
    }),
  }),
  ...inGroup('audio', {
    'idx-gap': violation('Audio frames missing', 'kugel-audio-8', {
      why: 'A number is missing, so a piece of the speech is lost and the cut may click.',
    }),
    'idx-repeat': violation('Audio frame repeated or late', 'kugel-audio-8', {
      why: 'Its number was already used. Played in order of arrival, a piece of the speech is heard twice.',
    }),
    'samples-bytes': violation('Sample count that contradicts the bytes', 'kugel-audio-5', {
      why: 'Clients count time in samples, so sound and display drift apart.',
    }),
    'audio-base64': violation('Audio that is not base64', 'kugel-audio-10', {
      why: 'Decoders fail or play noise.',
    }),
    'wrong-codec': violation('Codec other than requested', 'kugel-audio-11 kugel-audio-3', {
      why: 'Decoded as the requested codec, this is noise.',
    }),
    'wrong-rate': violation('Sample rate other than requested', 'kugel-audio-11', {
      why: 'Played at the requested rate, the voice is too high or too low.',
    }),
  }),
  ...inGroup('words', {
    'words-unasked': violation('Word timings without a request', 'kugel-words-4', {
      why: 'The server sends them only where word_timestamps is true.',
    }),
    'words-missing': warning('Chunk without word timings', 'kugel-words-5', {
      why: 'They were requested. The words of this chunk light up by estimates.',
    }),
    'word-ends-early': violation('Word that ends before it begins', 'kugel-words-5', {
      why: 'It is never the current word, so it cannot light up.',
    }),
    'words-backwards': violation('Word timings that go backwards', 'kugel-words-5', {
      why: 'Words light up in the order of the text; this one jumps back.',
    }),
    'words-overlap': violation('Words at the same time', 'kugel-words-5', {
      why: 'One voice says one word at a time; here two would be current at once.',
    }),
    'words-beyond-chunk': violation('Word timed past the end of its chunk', 'kugel-words-5', {
      why: 'It would light up during the next chunk, or never.',
    }),
    'word-offsets': warning('Word outside the text of its chunk', 'kugel-words-2', {
      why: 'The page cannot mark it in the text that generation_started gave.',
    }),
    'word-offsets-backwards': violation('Word offsets that go backwards', 'kugel-words-5', {
      why: 'Words follow the order of the text.',
    }),
  }),
  ...inGroup('totals', {
    'chunk-seconds': violation('Chunk length that contradicts its audio', 'kugel-chunk-11', {
      why: 'Audio was lost, or the chunk is shown and counted at a wrong length.',
    }),
    'total-seconds': violation('Turn length that contradicts its audio', 'kugel-end-10', {
      why: 'Audio was lost, or the server counts more than it delivered.',
    }),
    'total-chunks': violation('Chunk count that contradicts the received chunks', 'kugel-end-10', {
      why: 'A chunk of the text was lost or never announced.',
    }),
    'total-audio-frames': violation(
      'Audio frame count that contradicts the received frames',
      'kugel-end-10',
      {
        why: 'Audio frames were lost.',
      },
    ),
    'totals-differ': violation('final and session_closed disagree', 'kugel-end-10', {
      why: 'Both report the totals of the same turn. One of them is wrong, and one is the bill.',
    }),
    'session-seconds': violation('Session length that contradicts its contexts', 'kugel-context-24', {
      why: 'The sum differs from the bills of the contexts.',
    }),
  }),
  ...inGroup('billing', {
    'usage-missing': violation('Bill missing', 'kugel-bill-1', {
      why: 'Speech was delivered without a bill, so its cost is unknown.',
    }),
    'usage-unearned': warning('Bill of a context without speech', 'kugel-context-15', {
      why: 'A context that closes before any speech has no bill.',
    }),
    'usage-seconds': violation('Billed seconds that contradict the audio', 'kugel-bill-4', {
      why: 'The bill covers generated audio. Here it charges other seconds than were delivered.',
    }),
    'usage-characters': warning('Character count that contradicts the sent text', 'kugel-bill-5', {
      why: 'Text was lost or counted twice.',
    }),
    'usage-model': violation('Billed under another model', 'kugel-model-1 kugel-bill-1', {
      why: 'Models differ in price, and usage names the requested model.',
    }),
    'cost-unexplained': violation('Cost missing without a reason', 'kugel-bill-2', {
      why: 'An unknown charge is null together with cost_unavailable: true, and only then.',
    }),
    'cost-silent-zero': violation('Speech at no cost', 'kugel-bill-2', {
      why: 'An unknown charge is null, never a silent 0.',
    }),
    'currency-missing': warning('Cost without its currency', 'kugel-bill-3', {
      why: 'A number without a currency is not a price.',
    }),
    'price-varies': warning('Same model at another price', 'kugel-bill-8', {
      why: 'Within one session a second of one model costs the same. This bill differs.',
    }),
    'price-unlisted': advice('Undocumented price', 'kugel-bill-6 kugel-bill-7', {
      why: 'Neither the documented samples nor the price list give this price per second.',
    }),
  }),
  ...inGroup('time', {
    'idle-turn-soon': advice('Turn close to its idle end', 'kugel-end-1 kugel-end-2', {
      why: 'Text was sent without a flush. The server ends the turn after 5 s; a flush speaks it at once.',
    }),
    'idle-turn-ended': advice('Turn ended as idle', 'kugel-end-1 kugel-end-2', {
      why: 'The last text waited 5 s to be spoken. A flush ends a turn at once; pings do not keep it open.',
    }),
    'idle-end-early': warning('Turn ended as idle too early', 'kugel-end-1', {
      why: 'A turn stays open for 5 s after its last text. An earlier end splits the text of slow sources.',
    }),
    'idle-end-absent': warning('Idle turn that did not end', 'kugel-end-1', {
      why: 'The server ends a turn after 5 s without text. Clients that rely on it wait forever.',
    }),
    'context-idle-soon': advice('Context close to its idle end', 'kugel-context-19', {
      why: 'An empty text keeps it open. Once closed, its voice must be set up again.',
    }),
    'context-idle-ended': advice('Context closed as idle', 'kugel-context-19', {
      why: 'The context was idle for too long. Close finished contexts, and keep others open with an empty text.',
    }),
    'context-idle-absent': warning('Idle context that did not close', 'kugel-context-19', {
      why: 'It still counts towards the limit of twenty, and its bill never arrives.',
    }),
    'answer-absent': warning('No answer', 'kugel-end-13 kugel-end-14 kugel-context-14', {
      why: 'The server answers every request of this kind. Official clients give up at about this time.',
    }),
    'cancel-slow': advice('Late answer to a barge-in', 'kugel-cancel-6', {
      why: 'Speech should stop within about a second of the interruption.',
    }),
  }),
  ...inGroup('limits', {
    'text-too-long': violation('Text over 10,000 characters', 'kugel-text-1', {
      why: 'The server refuses the whole text; nothing of it is spoken.',
    }),
    'too-many-contexts': violation('More than twenty contexts', 'kugel-context-1', {
      why: 'The server refuses it with TOO_MANY_CONTEXTS until another context closes.',
    }),
  }),
  ...inGroup('client', {
    'unknown-field': warning('Field unknown to the server', 'kugel-message-3', {
      why: 'The server silently ignores unknown fields. A misspelled setting has no effect.',
    }),
    'voice-missing': violation('Text without a voice', 'kugel-voice-1 kugel-context-5', {
      why: 'The server refuses it with MISSING_VOICE_ID; nothing of it is spoken.',
    }),
    'context-unknown': violation('Flush of a context that does not exist', 'kugel-context-18', {
      why: 'The server refuses it, because neither a text nor voice settings have opened this context.',
    }),
    'text-while-closing': violation('Text to a closing context', 'kugel-context-17', {
      why: 'The context finishes its queue and accepts no more text. This text is lost.',
    }),
    'format-set-once': violation('Output format changed within a session', 'kugel-audio-7', {
      why: 'The format is set once a session. Another format needs a new connection.',
    }),
    'after-close-socket': violation('Message after close_socket', 'kugel-end-7', {
      why: 'The connection ends once everything is spoken. The server refuses later messages.',
    }),
    'nested-delivery': warning('Top-level setting inside voice_settings', 'kugel-context-7', {
      why: 'The server silently drops it there, and the default applies.',
    }),
    'flush-nothing': advice('Flush with nothing to speak', 'kugel-turn-10 kugel-context-11', {
      why: 'No text is waiting. The server answers with an empty turn at best.',
    }),
    'cancel-nothing': advice('Cancel with nothing running', 'kugel-cancel-5', {
      why: 'The server acknowledges it, and nothing changes.',
    }),
    'keep-alive-late': advice('Keep-alive for a closed context', 'kugel-context-18', {
      why: 'It arrived after the end of the context and does not open another.',
    }),
    clamped: advice('Value moved into its range', 'kugel-message-12', {
      why: 'The server uses the nearest end of the range and does not report it.',
    }),
    'config-mid-turn': advice('Settings changed during a turn', 'kugel-turn-4', {
      why: 'They take effect with the next turn. The open turn keeps its settings.',
    }),
  }),
  ...inGroup('cost', {
    'language-missing': advice('Language left out', 'kugel-text-3', {
      why: 'Detection costs 60 to 150 ms before the first audio, and numbers may be read in another language.',
    }),
    'flush-mid-sentence': advice('Flush in the middle of a sentence', 'kugel-turn-8', {
      why: 'A flush ends the turn. The sentence is spoken in two pieces and billed as two turns.',
    }),
    'tiny-turns': advice('Flush after every few characters', 'kugel-turn-8', {
      why: 'Each flush is a turn with a start-up and a melody of its own. Send text as it comes, and flush once.',
    }),
    'auto-mode-flush': advice('Flush after each sentence although auto_mode is on', 'kugel-chunk-2', {
      why: 'auto_mode already speaks at each sentence end. A flush only adds the end of the turn.',
    }),
    'auto-mode-schedule': advice('Schedule that auto_mode ignores', 'kugel-chunk-2', {
      why: 'With auto_mode on, chunk_length_schedule has no effect.',
    }),
    'slow-start': advice('Late first audio by schedule', 'kugel-chunk-1', {
      why: 'Speech begins once the first entry of chunk_length_schedule is reached. A smaller entry is heard sooner.',
    }),
  }),
};

export type KugelRuleId = keyof typeof KUGEL_RULES;
