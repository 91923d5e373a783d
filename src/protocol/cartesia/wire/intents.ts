import type { Intent } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { fieldsOf, parseBounded } from '../../core/json-frame.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';
import { speakerOf } from '../../core/wire-contexts.ts';
import { parseRequest } from './client-frames.ts';

/** Client frames back to intents. A frame that the server refuses has none. Every text has all settings (K3). */
export function readCartesiaIntents(frame: Frame): Intent[] {
  const fields = fieldsOf(frame, parseBounded);
  const parsed = fields && parseRequest(fields, null);
  if (!parsed?.ok) return [];
  const context = speakerOf(parsed.value.context ?? ONLY_CONTEXT);
  if (parsed.value.kind === 'cancel') return [{ kind: 'cancel', context }];
  const { transcript: text, settings: opens, flush, continues } = parsed.value;
  const intents: Intent[] = [];
  if (text !== '') intents.push({ kind: 'say', context, text, opens });
  // The end speaks all text as well.
  if (!continues) return [...intents, { kind: 'endTurn', context }];
  return flush ? [...intents, { kind: 'flush', context }] : intents;
}
