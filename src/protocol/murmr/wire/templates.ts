import { type FrameTemplate, KEY_PLACEHOLDER, templatesOf } from '../../core/frame.ts';
import type { SentTyped } from '../../core/json-frame.ts';
import type { CLIENT_FRAMES } from './client-frames.ts';

const template = templatesOf<SentTyped<typeof CLIENT_FRAMES>>();

/** Every message of `/v1/realtime`. */
export const realtimeTemplates: readonly FrameTemplate[] = [
  template(
    'Config, voice in words',
    'Key and voice; the first message of a connection, and again to change the voice.',
    {
      type: 'config',
      api_key: KEY_PLACEHOLDER,
      voice_description: 'A warm, friendly woman, calm',
      language: 'English',
    },
  ),
  template(
    'Config, saved voice',
    'Key and a voice that was kept; its id counts only together with its prompt.',
    {
      type: 'config',
      api_key: KEY_PLACEHOLDER,
      voice: 'voice_id',
      voice_clone_prompt: 'QUJDRA==',
      language: 'Auto',
    },
  ),
  template('Text', 'A piece of text to speak, appended to the buffer.', {
    type: 'text',
    text: 'Hello there. ',
  }),
  template('Flush', 'Speaks the buffered text at once.', { type: 'flush' }),
  template('Binary audio', 'Audio as raw bytes from now on; the connection keeps it.', {
    type: 'binary_mode',
  }),
  template('Ping', 'Requests a pong.', { type: 'ping' }),
];
