import { cutBase64 } from '../../core/cut-base64.ts';
import { EXAMPLE_AUDIO, exampleFrames, sentFrames } from '../../core/example-audio.ts';
import type { Frame } from '../../core/frame.ts';
import { malformed, parseFields, readTyped, type TypedFrame, typedFrames } from '../../core/json-frame.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { z } from '../../core/zod.ts';
import { nameIn } from './errors.ts';

/** Frames of the server, by their type. The local server makes them with the functions here. */

/** Words or phonemes with times in seconds from the start of the context. All three lists have one length. */
export interface Timed {
  start: readonly number[];
  end: readonly number[];
}

/** A frame within speech. @param flushId null where the client has never flushed */
const partFrame = <Type extends ServerFrameType, Content extends object>(
  type: Type,
  context: string,
  flushId: number | null,
  content: Content,
) => ({
  type,
  context_id: context,
  status_code: 206,
  done: false,
  ...(flushId === null ? {} : { flush_id: flushId }),
  ...content,
});

/** @param stepTime ms since the last chunk */
export const chunkFrame = (context: string, data: string, stepTime: number, flushId: number | null = null) =>
  partFrame('chunk', context, flushId, { step_time: stepTime, data });

export const timestampsFrame = (
  context: string,
  words: Timed & { words: readonly string[] },
  flushId: number | null = null,
) => partFrame('timestamps', context, flushId, { word_timestamps: words });

export const phonemesFrame = (
  context: string,
  phonemes: Timed & { phonemes: readonly string[] },
  flushId: number | null = null,
) => partFrame('phoneme_timestamps', context, flushId, { phoneme_timestamps: phonemes });

/** Returns a receipt with the empty `data` of the live service (cartesia-chunk-7). */
export const flushDoneFrame = (context: string, flushId: number) =>
  partFrame('flush_done', context, flushId, { flush_done: true, data: '' });

export const doneFrame = (context: string) => ({
  type: 'done' as const,
  context_id: context,
  status_code: 206,
  done: true,
});

/** Fields of every frame beside its type. The end is a frame of its own, so `done` is ignored in others (cartesia-message-35). */
const common = {
  status_code: z.nullish(z.int()),
  done: z.nullish(z.boolean()),
};
const inContext = { ...common, context_id: z.string() };
/** Counts from 0 or 1, and may be absent (cartesia-chunk-3). */
const flushId = z.nullish(z.int().check(z.nonnegative()));

const seconds = z.array(z.number().check(z.nonnegative()));
const times = { start: seconds, end: seconds };

export const SERVER_FRAMES = typedFrames({
  chunk: {
    ...inContext,
    data: z.string(),
    step_time: z.nullish(z.number()),
    flush_id: flushId,
  },
  timestamps: {
    ...inContext,
    word_timestamps: z.looseObject({ words: z.array(z.string()), ...times }),
    flush_id: flushId,
  },
  phoneme_timestamps: {
    ...inContext,
    phoneme_timestamps: z.looseObject({ phonemes: z.array(z.string()), ...times }),
    flush_id: flushId,
  },
  flush_done: {
    ...inContext,
    flush_done: z.nullish(z.boolean()),
    flush_id: flushId,
    data: z.nullish(z.string()),
  },
  done: inContext,
  // In both shapes. One without a context is for the whole connection.
  error: {
    ...common,
    context_id: z.nullish(z.string()),
    error: z.nullish(z.string()),
    title: z.nullish(z.string()),
    message: z.nullish(z.string()),
    error_code: z.nullish(z.string()),
    request_id: z.nullish(z.string()),
    doc_url: z.nullish(z.string()),
  },
});

export type ServerFrameType = keyof typeof SERVER_FRAMES;

export const isServerFrameType = (type: unknown): type is ServerFrameType =>
  typeof type === 'string' && Object.hasOwn(SERVER_FRAMES, type);

export function cartesiaExample(text: string, context: string): Frame[] {
  const { base64, frameMs, durationMs } = EXAMPLE_AUDIO;
  const words = text.split(/\s+/).filter((word) => word !== '');
  const wordSeconds = durationMs / 1000 / Math.max(1, words.length);
  const start = words.map((_, at) => at * wordSeconds);
  const timed = { words, start, end: start.map((from) => from + wordSeconds) };
  const audio = exampleFrames(() => chunkFrame(context, base64, frameMs));
  return sentFrames([timestampsFrame(context, timed), ...audio, doneFrame(context)]);
}

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

/** Times without their words, or the other way round. */
export function lengthProblem(times: ReturnType<typeof timesIn>): string | null {
  const [count, starts, ends] = [times?.names.length, times?.start.length, times?.end.length];
  return starts === count && ends === count
    ? null
    : `expected a start and an end for each of ${count} names, got ${starts} starts and ${ends} ends`;
}

/** The event of an error in either shape. @param context null for the whole connection */
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
