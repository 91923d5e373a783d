import { type FrameTemplate, templatesOf } from '../../core/frame.ts';
import type { Named } from '../../core/json-frame.ts';
import type { cancelMessage, requestMessage } from './client-frames.ts';
import { DEFAULT_MODEL, DEFAULT_OUTPUT } from './settings.ts';

const template = templatesOf<Named<typeof requestMessage> | Named<typeof cancelMessage>>();

const CONTEXT = { context_id: 'narrator' };

/** Every message repeats them. */
const SETTINGS = {
  model_id: DEFAULT_MODEL,
  voice: { mode: 'id', id: 'f786b574-daa5-4673-aa0c-cbe3e8534c02' },
  output_format: { container: 'raw' as const, ...DEFAULT_OUTPUT },
  add_timestamps: true,
  generation_config: { speed: 1, volume: 1 },
  ...CONTEXT,
};

/** Every message. This form of a voice is one of all versions. */
export const cartesiaTemplates: readonly FrameTemplate[] = [
  template('Text', 'A piece of text to speak; the first one opens its context.', {
    ...SETTINGS,
    transcript: 'Hello there. ',
    continue: true,
  }),
  template('Last text', 'A piece of text, with which its context ends.', {
    ...SETTINGS,
    transcript: 'Hello there.',
    continue: false,
  }),
  template('Flush', 'Speaks the buffered text at once. Later text has another number.', {
    ...SETTINGS,
    transcript: '',
    continue: true,
    flush: true,
  }),
  template('End of a context', 'Speaks the rest, then the server says that the context is done.', {
    ...SETTINGS,
    transcript: '',
    continue: false,
  }),
  template('Cancel', 'Drops the rest of a context.', { ...CONTEXT, cancel: true }),
];
