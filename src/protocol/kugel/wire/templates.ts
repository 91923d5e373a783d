import { type FrameTemplate, templatesOf } from '../../core/frame.ts';
import type { Named } from '../../core/json-frame.ts';
import type { multiClientFrame } from './multi-client.ts';
import type { streamClientFrame } from './stream-client.ts';

const template = templatesOf<Named<typeof streamClientFrame>>();

const UPDATE = template(
  'Update settings',
  'Changes delivery within a turn; identity and format cannot be changed this way.',
  { update_settings: { speed: 1.1, temperature: 0.4 } },
);

/** Every message of `/ws/tts/stream`. One frame may carry the keys of several. */
export const streamTemplates: readonly FrameTemplate[] = [
  template('Config', 'Settings for later turns; omitted fields keep their defaults.', {
    voice_id: 1071,
    language: 'en',
    word_timestamps: true,
  }),
  template('Text', 'A piece of text to speak, appended to the buffer.', { text: 'Hello there. ' }),
  template('Text with flush', 'A whole turn in one frame.', { text: 'Hello there.', flush: true }),
  template('Flush', 'Speaks the buffered text and ends the turn.', { flush: true }),
  template('Cancel', 'Barge-in: abandons the turn and drops unspoken text.', { cancel: true }),
  UPDATE,
  template('Close the session', 'Speaks the buffered text and ends the session; the socket stays open.', {
    close: true,
  }),
  template('Close the session, old name', 'The same as close.', { end_session: true }),
  template('Close the socket', 'Speaks the text in flight, then the server closes the socket.', {
    close_socket: true,
  }),
];

/** Every message of `/ws/tts`. */
export const ttsTemplates: readonly FrameTemplate[] = [
  template('Request', 'Speaks a whole text with these settings; another request waits for its end.', {
    text: 'Hello there.',
    voice_id: 1071,
    language: 'en',
  }),
  template('Cancel', 'Barge-in: abandons the running request and those that wait.', { cancel: true }),
  UPDATE,
];

type MultiMessage = Named<typeof multiClientFrame>;
const multiTemplate = templatesOf<MultiMessage>();
const inContext = (title: string, about: string, frame: MultiMessage): FrameTemplate =>
  multiTemplate(title, about, { context_id: 'narrator', ...frame });

/** Every message of `/ws/tts/multi`. One frame may carry the keys of several. */
export const multiTemplates: readonly FrameTemplate[] = [
  multiTemplate('Config', 'Settings of the whole connection, and defaults of later contexts.', {
    language: 'en',
    word_timestamps: true,
  }),
  inContext(
    'Open a context',
    'An empty text opens a context with its own voice, and keeps an open one alive.',
    { text: '', voice_settings: { voice_id: 1071 } },
  ),
  inContext('Text', 'A piece of text for one context; opens the context if necessary.', {
    text: 'Hello there. ',
  }),
  inContext('Text with flush', 'A whole turn of one context in one frame.', {
    text: 'Hello there.',
    flush: true,
  }),
  inContext('Flush', 'Speaks the buffered text of one context and ends its turn.', { flush: true }),
  inContext('Cancel a context', 'Barge-in on one context; the others continue.', { cancel: true }),
  multiTemplate('Cancel everything', 'Barge-in on every context.', { cancel: true }),
  UPDATE,
  inContext('Close a context', 'Speaks the queued text of a context, then ends it.', { close_context: true }),
  inContext('Close a context at once', 'Ends a context and drops unspoken text.', {
    close_context: true,
    immediate: true,
  }),
  multiTemplate('Inactivity time-out', 'Seconds after which an idle context is closed.', {
    inactivity_timeout: 60,
  }),
  multiTemplate('Close the socket', 'Ends every context, then the server closes the socket.', {
    close_socket: true,
  }),
];
