import { advice, inGroup, SHARED_RULES, violation, warning } from '../../lint/rule-book.ts';

/** The rules of `stream-input` and `multi-stream-input`. */
export const ELEVENLABS_RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation('Binary message', 'facts-elevenlabs 1.1.3', {
      why: 'Every frame is JSON in a text message, audio included. The other side cannot use bytes.',
    }),
    'server-shape': violation('Server frame with a wrong field', 'facts-elevenlabs 3.1', {
      why: 'Clients that read the field fail, or play something wrong.',
    }),
    'client-shape': violation('Client message with a wrong field', 'facts-elevenlabs 2.1, 2.2, 2.3', {
      why: 'The documentation names another type. The server refuses the message or ignores the field.',
    }),
    'keys-missing': warning('Audio or final frame without its four keys', 'facts-elevenlabs 3.1.1, 3.3', {
      why: 'The vendor sends audio, isFinal, normalizedAlignment and alignment in each frame. Clients may read any of them.',
    }),
    'unknown-kind': warning('Frame of an unknown kind', 'facts-elevenlabs 3.1', {
      why: 'Its keys name the kind of a frame. Clients drop a frame without audio, isFinal and error.',
    }),
  }),
  ...inGroup('order', {
    'speech-unasked': violation('Speech without a request', 'facts-elevenlabs 2.3.2, 4.4.1', {
      why: 'No text was sent for it, or its contextId is not that of an open context. Clients drop it.',
    }),
    'audio-after-final': violation('Audio after the final', 'facts-elevenlabs 3.1.3', {
      why: 'The final promises that no more audio follows. Clients that stop there lose this audio.',
    }),
    'final-twice': violation('Final sent twice', 'facts-elevenlabs 3.1.3', {
      why: 'A final comes once. Clients take the second for the end of another turn.',
    }),
    'final-unasked': violation('Final without an end', 'facts-elevenlabs 3.1.3', {
      why: 'Only empty text on stream-input and close_context have a final; a flush has none. Clients end the turn too early.',
    }),
    'error-without-close': warning('Error without a close', 'facts-elevenlabs 5.1', {
      why: 'The close follows 0.8 s after an error. Clients that wait for it never stop.',
    }),
    'turn-cut-off': advice('Connection ended during a turn', 'facts-elevenlabs 4.4.4', {
      why: 'Undelivered speech is lost but charged. On stream-input a barge-in is done this way.',
    }),
  }),
  ...inGroup('audio', {
    'audio-base64': violation('Audio that is not base64', 'facts-elevenlabs 1.1.3', {
      why: 'Decoders fail or play noise.',
    }),
  }),
  ...inGroup('words', {
    'alignment-shape': violation('Alignment that cannot be read', 'facts-elevenlabs 3.2', {
      why: 'It has a start and a duration for each character, none of them negative. Strict clients drop the frame.',
    }),
    'alignment-backwards': violation('Character times that go backwards', 'facts-elevenlabs 3.2, 4.3.2', {
      why: 'Characters follow the order of the text within a segment. Words light up in the wrong order.',
    }),
    'alignment-again': warning('Alignment that begins again', 'facts-elevenlabs 4.3.6', {
      why: 'With a pronunciation dictionary, alignment repeats earlier text, and normalizedAlignment goes on. Clients that join it show every character twice.',
    }),
  }),
  ...inGroup('totals', {
    'alignment-audio': warning('Alignment that contradicts the audio', 'facts-elevenlabs 4.3.3', {
      why: 'The segments of a turn add up to its audio. Audio was lost, or the times do not begin at 0 in each segment.',
    }),
    'final-without-audio': warning('Final without any audio', 'facts-elevenlabs 5.1.1', {
      why: 'The account has no credits, or its plan does not include the voice. No error says so.',
    }),
  }),
  ...inGroup('time', {
    'end-missing': advice('Turn without an end', 'facts-elevenlabs 1.6.3, 2.3.3, 3.1.3, 4.5.3', {
      why: 'Only empty text on stream-input, and close_context on multi-stream-input, have a final. Other turns end unmarked.',
    }),
    'answer-absent': warning('No answer', 'facts-elevenlabs 3.1.3, 4.2', {
      why: 'Audio follows a flush, and a final follows the end. The connection or the server is broken.',
    }),
  }),
  ...inGroup('limits', {
    'idle-too-long': warning('No text within the inactivity time-out', 'facts-elevenlabs 4.5.1, 5.1', {
      why: 'The server closes the connection with 1008. A space on stream-input, or empty text on multi, keeps it open.',
    }),
    'too-many-contexts': violation('More than five contexts', 'facts-elevenlabs 5.2, 4.4.3', {
      why: 'The server closes the whole connection. A context counts until its final.',
    }),
    'contexts-unclosed': advice('Contexts that are spoken and not closed', 'facts-elevenlabs 2.3.7, 4.4.3', {
      why: 'They still count towards the limit of five, and have no final. close_context ends them.',
    }),
    'out-of-range': warning('Value outside its documented range', 'facts-elevenlabs 1.2, 2.1, 2.2.2', {
      why: 'The documentation does not say whether the server refuses or ignores it.',
    }),
  }),
  ...inGroup('client', {
    'first-without-text': violation('First message without text', 'facts-elevenlabs 2.2.7', {
      why: 'The server takes it for an empty turn: a final follows, and the connection closes.',
    }),
    'text-after-end': violation('Text after the end', 'facts-elevenlabs 2.2.5, 10.8', {
      why: 'Empty text ends the input of stream-input; it keeps nothing alive. close_context ends a context. Later text is lost.',
    }),
    'close-behind-end': warning('Closed right behind the end of the input', 'facts-elevenlabs 2.2.9', {
      why: 'A server drops the speech of a client that closes. Wait for the final frame.',
    }),
    'model-refused': violation('Model of another protocol', 'facts-elevenlabs 1.4.1', {
      why: 'Models of v3 and later speak on text-to-dialogue only. The server refuses the connection.',
    }),
    'unknown-parameter': warning('Query parameter unknown to the server', 'facts-elevenlabs 1.2.2', {
      why: 'The server silently ignores it. Settings of the voice and the schedule belong into the first message.',
    }),
    'unknown-field': warning('Field unknown to the server', 'facts-elevenlabs 2.2.8', {
      why: 'The server silently ignores unknown fields. A misspelled or misplaced setting has no effect.',
    }),
    'key-missing': violation('No key', 'facts-elevenlabs 1.5.4', {
      why: 'The upgrade succeeds without a key, so a browser sends it in the first message, as xi_api_key.',
    }),
    'settings-changed': violation('Late or changed voice_settings', 'facts-elevenlabs 2.2.1, 2.3.5', {
      why: 'The first message fixes them. The server closes the whole connection with 1008.',
    }),
    'keep-alive-first': warning('Keep-alive as the first message of a context', 'facts-elevenlabs 2.3.5', {
      why: 'It opens the context without settings. A later message with settings closes the connection.',
    }),
    'flush-unknown': warning('Flush of a context that does not exist', 'facts-elevenlabs 2.3.7', {
      why: 'It opens a context without text. It counts towards the limit of five until it is closed.',
    }),
    'words-glued': warning('Messages without a space between them', 'facts-elevenlabs 1.6.1, 1.6.2', {
      why: 'Messages are joined as they are, so words run together. End each piece of text with a space.',
    }),
    'auto-mode-fragment': warning('Pieces of sentences with auto_mode', 'facts-elevenlabs 4.1.2', {
      why: 'auto_mode speaks each message on its own, with pauses between. It needs whole sentences or phrases.',
    }),
  }),
  ...inGroup('cost', {
    'format-missing': advice('No output_format', 'facts-elevenlabs 1.3.1, 1.3.2', {
      why: 'The server sends MP3, and no frame says so. PCM needs no decoder.',
    }),
    'auto-mode-schedule': advice('Schedule that auto_mode ignores', 'facts-elevenlabs 4.1.3', {
      why: 'With auto_mode on, chunk_length_schedule has no effect.',
    }),
    'close-drops-text': advice('close_context with text that was not flushed', 'facts-elevenlabs 2.3.9', {
      why: 'The text is dropped, as a barge-in wants it. At the end of a turn, flush first.',
    }),
  }),
};

export type ElevenLabsRuleId = keyof typeof ELEVENLABS_RULES;
