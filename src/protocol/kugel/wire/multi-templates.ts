import type { FrameTemplate } from '../../core/frame-template.ts';

const CONTEXT = 'narrator';

/** Every message of `/ws/tts/multi` (`facts 3.1`). Keys of several may stand in one frame. */
export const multiTemplates: readonly FrameTemplate[] = [
  {
    id: 'config',
    title: 'Config',
    about: 'Settings of the whole connection, and defaults of contexts that are created from now on.',
    frame: { language: 'en', word_timestamps: true },
  },
  {
    id: 'open-context',
    title: 'Open a context',
    about: 'An empty text opens a context with a voice of its own, and keeps one alive.',
    frame: { context_id: CONTEXT, text: '', voice_settings: { voice_id: 1071 } },
  },
  {
    id: 'text',
    title: 'Text',
    about: 'A piece of text for one context, which it opens where it is not open.',
    frame: { context_id: CONTEXT, text: 'Hello there. ' },
  },
  {
    id: 'text-flush',
    title: 'Text with flush',
    about: 'A whole turn of one context in one frame.',
    frame: { context_id: CONTEXT, text: 'Hello there.', flush: true },
  },
  {
    id: 'flush',
    title: 'Flush',
    about: 'Speaks what is buffered in one context and ends its turn.',
    frame: { context_id: CONTEXT, flush: true },
  },
  {
    id: 'cancel',
    title: 'Cancel a context',
    about: 'Barge-in on one context; the others go on.',
    frame: { context_id: CONTEXT, cancel: true },
  },
  {
    id: 'cancel-all',
    title: 'Cancel everything',
    about: 'Barge-in on every context.',
    frame: { cancel: true },
  },
  {
    id: 'update-settings',
    title: 'Update settings',
    about: 'Changes delivery within a turn; identity and format cannot be changed this way.',
    frame: { update_settings: { speed: 1.1, temperature: 0.4 } },
  },
  {
    id: 'close-context',
    title: 'Close a context',
    about: 'Speaks what is queued in a context, then ends it.',
    frame: { context_id: CONTEXT, close_context: true },
  },
  {
    id: 'close-context-now',
    title: 'Close a context at once',
    about: 'Ends a context and drops what is not spoken yet.',
    frame: { context_id: CONTEXT, close_context: true, immediate: true },
  },
  {
    id: 'inactivity-timeout',
    title: 'Inactivity time-out',
    about: 'Seconds after which an idle context is closed.',
    frame: { inactivity_timeout: 60 },
  },
  {
    id: 'close-socket',
    title: 'Close the socket',
    about: 'Ends every context, then the server closes the socket.',
    frame: { close_socket: true },
  },
];
