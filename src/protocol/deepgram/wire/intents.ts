import type { Intent } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { fieldsOf, parseBounded } from '../../core/json-frame.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';
import { type FluxMessage, parseFluxMessage, parseSpeakMessage, type SpeakMessage } from './client-frames.ts';

/** Client frames back to intents. A frame that the server refuses has none. */

const context = ONLY_CONTEXT;

function intentsOf(message: SpeakMessage | FluxMessage): Intent[] {
  switch (message.type) {
    case 'Speak':
      return [{ kind: 'say', context, text: message.text }];
    case 'Flush':
      return [{ kind: 'flush', context }];
    // The offset of an interrupt counts from the beginning of the session, and not of the turn.
    case 'Clear':
    case 'Interrupt':
      return [{ kind: 'cancel', context: null }];
    case 'Configure':
      return message.speed === undefined
        ? [{ kind: 'keepAlive', context }]
        : [{ kind: 'update', settings: { speed: message.speed } }];
    case 'Close':
      return [{ kind: 'disconnect' }];
  }
}

const reader =
  (parse: typeof parseSpeakMessage | typeof parseFluxMessage) =>
  (frame: Frame): Intent[] => {
    const fields = fieldsOf(frame, parseBounded);
    const parsed = fields && parse(fields);
    return parsed?.ok ? intentsOf(parsed.value) : [];
  };

const isEmpty = (intent: Intent) => intent.kind === 'say' && intent.text === '';
const readSpeak = reader(parseSpeakMessage);
/** An empty text is ignored on `/v1/speak`; on `/v2/speak` it is a turn (ours, `facts-deepgram 14` D7). */
export const readSpeakIntents = (frame: Frame): Intent[] =>
  readSpeak(frame).filter((intent) => !isEmpty(intent));
export const readFluxIntents = reader(parseFluxMessage);
