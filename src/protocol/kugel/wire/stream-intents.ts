import { clientObject, intentsIn, objectIn, without } from '../../core/client-frame.ts';
import type { Frame, Intent } from '../../core/endpoint.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';

/** Keys that ask for something; all others are config. */
const CONTROLS: ReadonlySet<string> = new Set([
  'text',
  'flush',
  'cancel',
  'close',
  'end_session',
  'close_socket',
  'update_settings',
]);

/**
 * What a client's frame on `/ws/tts/stream` asks for, in the order in which the server does it (`facts 1.3.5`): one frame
 * may hold config, text and control keys. Empty for what is no frame of this protocol.
 */
export function readStreamIntents(frame: Frame): Intent[] {
  const fields = clientObject(frame);
  if (!fields) return [];
  const settings = without(fields, CONTROLS);
  const update = objectIn(fields.update_settings);
  const { text } = fields;
  const ends = fields.close === true || fields.end_session === true;
  const isConfig =
    Object.keys(settings).length > 0 || !Object.keys(fields).some((field) => CONTROLS.has(field));
  return intentsIn(
    isConfig && { kind: 'open', settings },
    update && { kind: 'update', settings: update },
    fields.cancel === true && { kind: 'cancel', context: null },
    typeof text === 'string' && { kind: 'say', context: ONLY_CONTEXT, text },
    fields.flush === true && !ends && { kind: 'flush', context: ONLY_CONTEXT },
    ends && { kind: 'endTurn', context: ONLY_CONTEXT },
    fields.close_socket === true && { kind: 'disconnect' },
  );
}
