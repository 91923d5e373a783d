import { messageOf } from '#lib/message-of.ts';
import type { MicrophoneProblem } from '../../stores/microphone-store.ts';

/** The page cannot ask for a microphone at all. */
export const NO_MICROPHONES: MicrophoneProblem = {
  title: 'The browser offers no microphone to this page.',
  detail: 'Browsers do so only for pages over HTTPS or from this machine.',
  remedy: 'Open the page over HTTPS, or at 127.0.0.1.',
};

export const UNPLUGGED: MicrophoneProblem = {
  title: 'The microphone was disconnected.',
  detail: 'The voice is not interrupted any more. Typing and Cancel work as before.',
  remedy: 'Connect it or choose another one in the system, then switch it on again.',
};

export const MUTED: MicrophoneProblem = {
  title: 'The microphone is silent.',
  detail: 'The system or the browser has muted it.',
  remedy: 'Switch it on at the device or in the system. It is heard again at once.',
};

export const SUSPENDED: MicrophoneProblem = {
  title: 'The browser has suspended the microphone.',
  detail: 'It stops the sound of a page that it takes for unused.',
  remedy: 'Switch the microphone off and on again.',
};

/** Names the error of `getUserMedia` or of the audio context. */
export function openingProblem(error: unknown): MicrophoneProblem {
  const name = error instanceof Error ? error.name : '';
  switch (name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return {
        title: 'The microphone was refused.',
        detail: 'You or the system have not allowed this page to listen.',
        remedy: 'Allow the microphone beside the address, then switch it on again.',
      };
    case 'NotFoundError':
    case 'OverconstrainedError':
      return {
        title: 'There is no microphone.',
        detail: 'The system offers no device that records sound.',
        remedy: 'Connect one, then switch it on again.',
      };
    case 'NotReadableError':
    case 'AbortError':
      return {
        title: 'The microphone cannot be read.',
        detail: 'Another program may use it, or the system refuses it.',
        remedy: 'Close the other program, then switch it on again.',
      };
    default:
      return {
        title: 'The microphone did not start.',
        detail: messageOf(error),
        remedy: 'Switch it on again, or reload the page.',
      };
  }
}

export const detectorProblem = (reason: string): MicrophoneProblem => ({
  title: 'The speech detector does not run.',
  detail: reason,
  remedy: 'Switch the microphone on again, or reload the page.',
});

/** Names the error of a speech recognition; null for silence and for an end on purpose. */
export function recognitionProblem(error: string): MicrophoneProblem | null {
  switch (error) {
    case 'no-speech':
    case 'aborted':
      return null;
    case 'not-allowed':
    case 'service-not-allowed':
      return {
        title: 'The browser refuses to recognise speech.',
        detail: 'The permission is missing, or recognition is turned off in the browser.',
        remedy: 'Type, or allow it in the settings of the browser.',
      };
    case 'network':
      return {
        title: 'The recognition service does not answer.',
        detail: 'The browser sends the sound to a service, which cannot be reached.',
        remedy: 'Type, or try again with a connection.',
      };
    case 'language-not-supported':
      return {
        title: 'The browser does not recognise this language.',
        detail: 'Its service has no model for it.',
        remedy: 'Type, or choose another language in the settings of the voice.',
      };
    default:
      return {
        title: 'The recognition stopped.',
        detail: `The browser says “${error}”.`,
        remedy: 'Type, or switch it on again.',
      };
  }
}

/** Shown where the browser has no speech recognition. */
export const NO_RECOGNITION =
  'This browser cannot recognise speech, so typing remains. Chrome, Edge and Safari can.';

/** Names the receivers of the sound before recognition is switched on. */
export const RECOGNITION_GOES =
  "Your browser's own service recognises the speech. Most browsers send the sound to their maker for it: Chrome to Google, Edge to Microsoft, Safari to Apple. Voicewire gets only the text.";
