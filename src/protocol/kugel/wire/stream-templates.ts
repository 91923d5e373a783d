import type { FrameTemplate } from '../../core/frame-template.ts';

/** Every message of `/ws/tts/stream` (`facts 2.1`). Keys of several may stand in one frame. */
export const streamTemplates: readonly FrameTemplate[] = [
  {
    id: 'config',
    title: 'Config',
    about: 'Settings for the turns from now on; what is left out keeps its default.',
    frame: { voice_id: 1071, language: 'en', word_timestamps: true },
  },
  {
    id: 'text',
    title: 'Text',
    about: 'A piece of text to speak, put behind what is buffered.',
    frame: { text: 'Hello there. ' },
  },
  {
    id: 'text-flush',
    title: 'Text with flush',
    about: 'A whole turn in one frame.',
    frame: { text: 'Hello there.', flush: true },
  },
  {
    id: 'flush',
    title: 'Flush',
    about: 'Speaks what is buffered and ends the turn.',
    frame: { flush: true },
  },
  {
    id: 'cancel',
    title: 'Cancel',
    about: 'Barge-in: abandons the turn, and what was not spoken is dropped.',
    frame: { cancel: true },
  },
  {
    id: 'update-settings',
    title: 'Update settings',
    about: 'Changes delivery within a turn; identity and format cannot be changed this way.',
    frame: { update_settings: { speed: 1.1, temperature: 0.4 } },
  },
  {
    id: 'close',
    title: 'Close the session',
    about: 'Speaks what is buffered and ends the session; the socket stays open.',
    frame: { close: true },
  },
  {
    id: 'end-session',
    title: 'Close the session, old name',
    about: 'The same as close.',
    frame: { end_session: true },
  },
  {
    id: 'close-socket',
    title: 'Close the socket',
    about: 'Speaks what is in flight, then the server closes the socket.',
    frame: { close_socket: true },
  },
];
