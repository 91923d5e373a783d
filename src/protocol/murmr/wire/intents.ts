import { clientObject, without } from '../../core/client-frame.ts';
import type { Frame, Intent } from '../../core/endpoint.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';

/** Fields of the config message that are not settings. */
const RESERVED: ReadonlySet<string> = new Set(['type', 'api_key']);

/**
 * What a client's message on `/v1/realtime` asks for: each is of one type. Binary audio, a setting of the page, is a
 * message of its own on the wire. Empty for what is no message of this protocol.
 */
export function readRealtimeIntents(frame: Frame): Intent[] {
  const fields = clientObject(frame);
  switch (fields?.type) {
    case 'config':
      return [{ kind: 'open', settings: without(fields, RESERVED) }];
    case 'text':
      return typeof fields.text === 'string'
        ? [{ kind: 'say', context: ONLY_CONTEXT, text: fields.text }]
        : [];
    case 'flush':
      return [{ kind: 'flush', context: ONLY_CONTEXT }];
    case 'ping':
      return [{ kind: 'keepAlive', context: ONLY_CONTEXT }];
    default:
      return [];
  }
}
