import type { Frame } from '../../core/frame.ts';
import { type Fields, malformed, parseFields, readFrame, type WithUnknown } from '../../core/json-frame.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import type { z } from '../../core/zod.ts';
import type { ErrorFrame } from './server-frames.ts';

export type Frames = Readonly<Record<string, z.ZodMiniObject>>;

/** A text message of a known type, with the fields that its schema does not name. */
export type TypedFrame<F extends Frames> = {
  [T in keyof F]: { type: T; frame: z.output<F[T]>; rest: WithUnknown };
}[keyof F];

/** Reads fields by their `type`, or gives the event of what cannot be read. */
export function readTyped<F extends Frames>(
  frames: F,
  fields: Fields,
): { read: TypedFrame<F> } | { event: SpeechEvent } {
  const { type } = fields;
  const schema = typeof type === 'string' && Object.hasOwn(frames, type) ? frames[type] : undefined;
  if (!schema) return { event: { type: 'unknown', frame: fields } };
  const read = readFrame(schema, fields);
  return 'problem' in read
    ? { event: malformed(read.problem) }
    : { read: { type, ...read } as unknown as TypedFrame<F> };
}

/** The events of a message: those of `onText` for a known one. */
export function decodeWith<F extends Frames>(
  frames: F,
  frame: Frame,
  on: { audio(bytes: Uint8Array): SpeechEvent[]; text(read: TypedFrame<F>): SpeechEvent[] },
): SpeechEvent[] {
  if (typeof frame !== 'string') return on.audio(frame);
  const parsed = parseFields(frame);
  if (!('fields' in parsed)) return [malformed(`expected a JSON object, got ${parsed.excerpt}`)];
  const result = readTyped(frames, parsed.fields);
  return 'event' in result ? [result.event] : on.text(result.read);
}

export function errorEvent(frame: ErrorFrame, rest: WithUnknown): SpeechEvent {
  const message = frame.description ?? frame.err_msg ?? frame.message ?? 'The server reported an error';
  const name = frame.code ?? frame.err_code ?? null;
  return { type: 'error', context: null, message, name, code: null, requestId: null, ...rest };
}
