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

/** @param takesEmpty an empty text is a turn on `/v2/speak` (ours, `facts-deepgram 14` D7), and ignored on `/v1/speak` */
const reader =
  (parse: typeof parseSpeakMessage | typeof parseFluxMessage, takesEmpty: boolean) =>
  (frame: Frame): Intent[] => {
    const fields = fieldsOf(frame, parseBounded);
    const parsed = fields && parse(fields);
    const isIgnored = !parsed?.ok || (!takesEmpty && 'text' in parsed.value && parsed.value.text === '');
    return isIgnored ? [] : intentsOf(parsed.value);
  };

export const readSpeakIntents = reader(parseSpeakMessage, false);
export const readFluxIntents = reader(parseFluxMessage, true);
