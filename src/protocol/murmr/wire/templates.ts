import { type FrameTemplate, KEY_PLACEHOLDER } from '../../core/frame-template.ts';

/** Every message of `/v1/realtime` (seed; `facts 6.1`). */
export const realtimeTemplates: readonly FrameTemplate[] = [
  {
    title: 'Config, voice in words',
    about: 'Key and voice; the first message of a connection, and again to change the voice.',
    frame: {
      type: 'config',
      api_key: KEY_PLACEHOLDER,
      voice_description: 'A warm, friendly woman, calm',
      language: 'English',
    },
  },
  {
    title: 'Config, saved voice',
    about: 'Key and a voice that was kept; its id counts only together with its prompt.',
    frame: {
      type: 'config',
      api_key: KEY_PLACEHOLDER,
      voice: 'voice_id',
      voice_clone_prompt: 'QUJDRA==',
      language: 'Auto',
    },
  },
  {
    title: 'Text',
    about: 'A piece of text to speak, appended to the buffer.',
    frame: { type: 'text', text: 'Hello there. ' },
  },
  { title: 'Flush', about: 'Speaks the buffered text at once.', frame: { type: 'flush' } },
  {
    title: 'Binary audio',
    about: 'Audio as raw bytes from now on; the connection keeps it.',
    frame: { type: 'binary_mode' },
  },
  { title: 'Ping', about: 'Requests a pong.', frame: { type: 'ping' } },
];
