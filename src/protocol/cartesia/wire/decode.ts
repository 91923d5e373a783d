import { cutBase64 } from '../../core/cut-base64.ts';
import type { Frame } from '../../core/frame.ts';
import { malformed, parseFields, readFrame, type WithUnknown } from '../../core/json-frame.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import type { z } from '../../core/zod.ts';
import { nameIn } from './errors.ts';
import { isServerFrameType, SERVER_FRAMES, type ServerFrameType, type Timed } from './server-frames.ts';

type FrameOf<Type extends ServerFrameType> = z.output<(typeof SERVER_FRAMES)[Type]>;

/** A frame of the server, read. */
export type ReadFrame =
  | { [Type in ServerFrameType]: { type: Type; frame: FrameOf<Type>; rest: WithUnknown } }[ServerFrameType]
  | { type: 'other'; event: SpeechEvent };

const other = (event: SpeechEvent): ReadFrame => ({ type: 'other', event });

export function readServerFrame(frame: Frame): ReadFrame {
  if (typeof frame !== 'string') return other(malformed('expected a JSON object, got a binary frame'));
  const cut = cutBase64(frame, 'data');
  const parsed = cut ? { fields: { ...cut.rest, data: cut.base64 } } : parseFields(frame);
  if (!('fields' in parsed)) return other(malformed(`expected a JSON object, got ${parsed.excerpt}`));
  const { type } = parsed.fields;
  if (!isServerFrameType(type)) return other({ type: 'unknown', frame: parsed.fields });
  const read = readFrame(SERVER_FRAMES[type], parsed.fields);
  if ('problem' in read) return other(malformed(read.problem));
  const made = { type, ...read } as ReadFrame;
  const problem = lengthProblem(made);
  return problem === null ? made : other(malformed(problem));
}

/** Times without their words, or the other way round (R2, V7). */
function lengthProblem(read: ReadFrame): string | null {
  if (read.type === 'timestamps') {
    const { words, ...times } = read.frame.word_timestamps;
    return unequal('words', words.length, times);
  }
  if (read.type !== 'phoneme_timestamps') return null;
  const { phonemes, ...times } = read.frame.phoneme_timestamps;
  return unequal('phonemes', phonemes.length, times);
}

const unequal = (what: string, count: number, { start, end }: Timed): string | null =>
  start.length === count && end.length === count
    ? null
    : `expected a start and an end for each of ${count} ${what}, got ${start.length} starts and ${end.length} ends`;

/** The event of an error in either shape (E1, E2). @param context null for the whole connection */
export function errorEvent(frame: FrameOf<'error'>, rest: WithUnknown, context: string | null): SpeechEvent {
  const { error, title, message, error_code: name, request_id: requestId, status_code: code } = frame;
  return {
    type: 'error',
    context,
    message: error ?? [title, message].filter(Boolean).join(': '),
    name: name ?? nameIn(error ?? ''),
    code: code ?? null,
    requestId: requestId ?? null,
    ...rest,
  };
}
