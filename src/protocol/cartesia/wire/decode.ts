import { cutBase64 } from '../../core/cut-base64.ts';
import type { Frame } from '../../core/frame.ts';
import { malformed, parseFields, readTyped, type TypedFrame } from '../../core/json-frame.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { nameIn } from './errors.ts';
import { SERVER_FRAMES, type Timed } from './server-frames.ts';

/** A frame of the server, read. */
export type ReadFrame = TypedFrame<typeof SERVER_FRAMES>;

export function readServerFrame(frame: Frame): ReadFrame | { event: SpeechEvent } {
  if (typeof frame !== 'string') return { event: malformed('expected a JSON object, got a binary frame') };
  const cut = cutBase64(frame, 'data');
  const parsed = cut ? { fields: { ...cut.rest, data: cut.base64 } } : parseFields(frame);
  if (!('fields' in parsed)) return { event: malformed(`expected a JSON object, got ${parsed.excerpt}`) };
  const read = readTyped(SERVER_FRAMES, parsed.fields);
  const problem = 'event' in read ? null : lengthProblem(timesIn(read));
  return problem === null ? read : { event: malformed(problem) };
}

/** The words or phonemes of a frame with their times; null for another frame. */
export function timesIn(read: ReadFrame): (Timed & { names: readonly string[] }) | null {
  if (read.type === 'timestamps') {
    const { words: names, ...times } = read.frame.word_timestamps;
    return { names, ...times };
  }
  if (read.type !== 'phoneme_timestamps') return null;
  const { phonemes: names, ...times } = read.frame.phoneme_timestamps;
  return { names, ...times };
}

/** Times without their words, or the other way round (R2, V7). */
export function lengthProblem(times: ReturnType<typeof timesIn>): string | null {
  const [count, starts, ends] = [times?.names.length, times?.start.length, times?.end.length];
  return starts === count && ends === count
    ? null
    : `expected a start and an end for each of ${count} names, got ${starts} starts and ${ends} ends`;
}

/** The event of an error in either shape (E1, E2). @param context null for the whole connection */
export function errorEvent(
  { frame, rest }: Extract<ReadFrame, { type: 'error' }>,
  context: string | null,
): SpeechEvent {
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
