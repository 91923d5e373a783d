import type { Intent } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { fieldsOf, parseBounded } from '../../core/json-frame.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';
import { speakerOf } from '../../core/wire-contexts.ts';
import { parseMultiMessage, parseStreamMessage } from './client-frames.ts';

/** Client frames back to intents. A frame that the server refuses has none. */

export function readStreamIntents(frame: Frame): Intent[] {
  const fields = fieldsOf(frame, parseBounded);
  const parsed = fields && parseStreamMessage(fields);
  if (!parsed?.ok) return [];
  const { text, settings, key, flush } = parsed.value;
  const context = ONLY_CONTEXT;
  const opens: Intent[] = settings || key !== undefined ? [{ kind: 'open', settings: settings ?? {} }] : [];
  const isBlank = opens.length > 0 && text?.trim() === '' && text !== '';
  if (text && !isBlank) opens.push({ kind: 'say', context, text });
  if (flush) return [...opens, { kind: 'flush', context }];
  // Empty text ends the input, and so does a message without any (`facts-elevenlabs 2.2.7`).
  return text ? opens : [...opens, { kind: 'endTurn', context }];
}

export function readMultiIntents(frame: Frame): Intent[] {
  const fields = fieldsOf(frame, parseBounded);
  const parsed = fields && parseMultiMessage(fields);
  if (!parsed?.ok) return [];
  const { text, settings, flush, closeContext, closeSocket } = parsed.value;
  const context = speakerOf(parsed.value.context ?? ONLY_CONTEXT);
  const intents: Intent[] = [];
  if (text && text.trim() === '' && settings) intents.push({ kind: 'openContext', context, settings });
  // The text beside a close is ignored (`facts-elevenlabs 2.3.9`).
  else if (text && !closeContext)
    intents.push({ kind: 'say', context, text, ...(settings ? { opens: settings } : {}) });
  if (flush) intents.push({ kind: 'flush', context });
  // A context on the wire is one turn.
  if (closeContext) intents.push({ kind: 'endTurn', context });
  if (text === '' && intents.length === 0 && !closeSocket) intents.push({ kind: 'keepAlive', context });
  if (closeSocket) intents.push({ kind: 'disconnect' });
  return intents;
}
