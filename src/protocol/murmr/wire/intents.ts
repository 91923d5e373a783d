import type { Intent } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { fieldsOf, parseBounded, without } from '../../core/json-frame.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';

/** Fields of `config` that are not settings. */
const RESERVED: ReadonlySet<string> = new Set(['type', 'api_key']);

/** The intent of a client's message. `binary_mode` has none, because it is a setting of the page. */
export function readRealtimeIntents(frame: Frame): Intent[] {
  const fields = fieldsOf(frame, parseBounded);
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
