import { type FrameTemplate, KEY_PLACEHOLDER, templatesOf } from '../../core/frame.ts';
import type { Named } from '../../core/json-frame.ts';
import type { multiMessage, streamMessage } from './client-frames.ts';
import { SCHEDULE } from './settings.ts';

const VOICE_SETTINGS = { stability: 0.5, similarity_boost: 0.75, speed: 1 };
const GENERATION = { chunk_length_schedule: [...SCHEDULE.default] };

const template = templatesOf<Named<typeof streamMessage>>();

/** Every message of `stream-input`. */
export const streamTemplates: readonly FrameTemplate[] = [
  template('First message', 'Key and settings; its text is one space. Settings do not change later.', {
    text: ' ',
    voice_settings: VOICE_SETTINGS,
    generation_config: GENERATION,
    xi_api_key: KEY_PLACEHOLDER,
  }),
  template('Text', 'A piece of text to speak, with a space at its end.', { text: 'Hello there. ' }),
  template('Text, spoken soon', 'Speaks the buffer if it is long enough.', {
    text: 'Hello there. ',
    try_trigger_generation: true,
  }),
  template('Flush', 'Speaks the buffered text at once. Nothing marks its end.', { text: '', flush: true }),
  template('End of input', 'Speaks the rest, then the server closes the connection.', { text: '' }),
  template('Keep-alive', 'A space is never spoken.', { text: ' ' }),
];

type MultiMessage = Named<typeof multiMessage>;
const multiTemplate = templatesOf<MultiMessage>();
const inContext = (title: string, about: string, frame: MultiMessage): FrameTemplate =>
  multiTemplate(title, about, { ...frame, context_id: 'narrator' });

/** Every message of `multi-stream-input`. */
export const multiTemplates: readonly FrameTemplate[] = [
  inContext('Open a context', 'Key and settings of a context; its text is one space.', {
    text: ' ',
    voice_settings: VOICE_SETTINGS,
    generation_config: GENERATION,
    xi_api_key: KEY_PLACEHOLDER,
  }),
  inContext('Text', 'A piece of text for one context; opens the context if necessary.', {
    text: 'Hello there. ',
  }),
  inContext('Text with flush', 'Speaks this and the buffered text at once.', {
    text: 'Hello there. ',
    flush: true,
  }),
  inContext('Flush', 'Speaks the buffered text of a context at once.', { flush: true }),
  inContext('Keep-alive', 'Empty text does not end a context here, and keeps it open.', { text: '' }),
  inContext('Close a context', 'Ends a context. What was flushed is spoken, other text is dropped.', {
    close_context: true,
  }),
  multiTemplate('Close the socket', 'Speaks the rest of every context, then the server closes the socket.', {
    close_socket: true,
  }),
];
