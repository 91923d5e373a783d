import type { FrameTemplate } from '../../core/frame-template.ts';

const UPDATE: FrameTemplate = {
  title: 'Update settings',
  about: 'Changes delivery within a turn; identity and format cannot be changed this way.',
  frame: { update_settings: { speed: 1.1, temperature: 0.4 } },
};

/** Every message of `/ws/tts/stream` (`facts 2.1`). One frame may carry the keys of several. */
export const streamTemplates: readonly FrameTemplate[] = [
  {
    title: 'Config',
    about: 'Settings for later turns; omitted fields keep their defaults.',
    frame: { voice_id: 1071, language: 'en', word_timestamps: true },
  },
  {
    title: 'Text',
    about: 'A piece of text to speak, appended to the buffer.',
    frame: { text: 'Hello there. ' },
  },
  {
    title: 'Text with flush',
    about: 'A whole turn in one frame.',
    frame: { text: 'Hello there.', flush: true },
  },
  { title: 'Flush', about: 'Speaks the buffered text and ends the turn.', frame: { flush: true } },
  { title: 'Cancel', about: 'Barge-in: abandons the turn and drops unspoken text.', frame: { cancel: true } },
  UPDATE,
  {
    title: 'Close the session',
    about: 'Speaks the buffered text and ends the session; the socket stays open.',
    frame: { close: true },
  },
  { title: 'Close the session, old name', about: 'The same as close.', frame: { end_session: true } },
  {
    title: 'Close the socket',
    about: 'Speaks the text in flight, then the server closes the socket.',
    frame: { close_socket: true },
  },
];

const CONTEXT = 'narrator';

/** Every message of `/ws/tts/multi` (`facts 3.1`). One frame may carry the keys of several. */
export const multiTemplates: readonly FrameTemplate[] = [
  {
    title: 'Config',
    about: 'Settings of the whole connection, and defaults of later contexts.',
    frame: { language: 'en', word_timestamps: true },
  },
  {
    title: 'Open a context',
    about: 'An empty text opens a context with its own voice, and keeps an open one alive.',
    frame: { context_id: CONTEXT, text: '', voice_settings: { voice_id: 1071 } },
  },
  {
    title: 'Text',
    about: 'A piece of text for one context; opens the context if necessary.',
    frame: { context_id: CONTEXT, text: 'Hello there. ' },
  },
  {
    title: 'Text with flush',
    about: 'A whole turn of one context in one frame.',
    frame: { context_id: CONTEXT, text: 'Hello there.', flush: true },
  },
  {
    title: 'Flush',
    about: 'Speaks the buffered text of one context and ends its turn.',
    frame: { context_id: CONTEXT, flush: true },
  },
  {
    title: 'Cancel a context',
    about: 'Barge-in on one context; the others continue.',
    frame: { context_id: CONTEXT, cancel: true },
  },
  { title: 'Cancel everything', about: 'Barge-in on every context.', frame: { cancel: true } },
  UPDATE,
  {
    title: 'Close a context',
    about: 'Speaks the queued text of a context, then ends it.',
    frame: { context_id: CONTEXT, close_context: true },
  },
  {
    title: 'Close a context at once',
    about: 'Ends a context and drops unspoken text.',
    frame: { context_id: CONTEXT, close_context: true, immediate: true },
  },
  {
    title: 'Inactivity time-out',
    about: 'Seconds after which an idle context is closed.',
    frame: { inactivity_timeout: 60 },
  },
  {
    title: 'Close the socket',
    about: 'Ends every context, then the server closes the socket.',
    frame: { close_socket: true },
  },
];
