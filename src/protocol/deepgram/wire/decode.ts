import type { Frame } from '../../core/frame.ts';
import {
  malformed,
  parseFields,
  readTyped,
  type TypedFrame,
  type WithUnknown,
} from '../../core/json-frame.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import type { z } from '../../core/zod.ts';
import type { ErrorFrame } from './server-frames.ts';

/** The events of a message: those of `on` for audio, and for text that can be read. */
export function decodeWith<F extends Readonly<Record<string, z.ZodMiniObject>>>(
  frames: F,
  frame: Frame,
  on: { audio(bytes: Uint8Array): SpeechEvent[]; text(read: TypedFrame<F>): SpeechEvent[] },
): SpeechEvent[] {
  if (typeof frame !== 'string') return on.audio(frame);
  const parsed = parseFields(frame);
  if (!('fields' in parsed)) return [malformed(`expected a JSON object, got ${parsed.excerpt}`)];
  const read = readTyped(frames, parsed.fields);
  return 'event' in read ? [read.event] : on.text(read);
}

export function errorEvent(frame: ErrorFrame, rest: WithUnknown): SpeechEvent {
  const message = frame.description ?? frame.err_msg ?? frame.message ?? 'The server reported an error';
  const name = frame.code ?? frame.err_code ?? null;
  return { type: 'error', context: null, message, name, code: null, requestId: null, ...rest };
}
