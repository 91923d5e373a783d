import { templatesOf } from '../../core/frame.ts';
import type { SentTyped } from '../../core/json-frame.ts';
import type { FLUX_MESSAGES, SPEAK_MESSAGES } from './client-frames.ts';

const template = templatesOf<SentTyped<typeof SPEAK_MESSAGES & typeof FLUX_MESSAGES>>();

const speak = template('Speak', 'A piece of text to speak, with a space at its end.', {
  type: 'Speak',
  text: 'Hello there. ',
});
const close = template('Close', 'Speaks the rest, then the server closes the connection.', { type: 'Close' });

/** Every message of `/v1/speak`. */
export const speakTemplates = [
  speak,
  template('Flush', 'Speaks the buffered text at once; Flushed follows its last audio.', { type: 'Flush' }),
  template('Clear', 'Drops the buffered text and the audio that is not sent.', { type: 'Clear' }),
  close,
];

/** Every message of `/v2/speak`. */
export const fluxTemplates = [
  speak,
  template('Flush', 'Ends the text of the turn.', { type: 'Flush' }),
  template('Interrupt', 'Ends the turn; the offset is the audio played since the session began.', {
    type: 'Interrupt',
    playback_offset: { type: 'time_ms', value: 480 },
  }),
  template('Interrupt without offset', 'Ends the turn, and the answer does not tell what was heard.', {
    type: 'Interrupt',
  }),
  template('Configure', 'Another pace from the next segment on.', { type: 'Configure', speed: 1.1 }),
  close,
];
