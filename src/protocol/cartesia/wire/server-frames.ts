import { z } from '../../core/zod.ts';

/** Frames of the server, by their type (`facts-cartesia 5`). The local server makes them with the functions here. */

/** Words or phonemes with times in seconds from the start of the context. All three lists have one length (R2, R3). */
export interface Timed {
  start: readonly number[];
  end: readonly number[];
}

/** A frame within speech. @param flushId null where the client has never flushed */
const partFrame = <Content extends object>(
  type: ServerFrameType,
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

/** With the empty `data` of the live service (F7). */
export const flushDoneFrame = (context: string, flushId: number) =>
  partFrame('flush_done', context, flushId, { flush_done: true, data: '' });

export const doneFrame = (context: string) => ({
  type: 'done',
  context_id: context,
  status_code: 206,
  done: true,
});

/** In every frame. The end is that of a frame of its own, so `done` is ignored in others (R12). */
const common = {
  type: z.string(),
  status_code: z.nullish(z.int()),
  done: z.nullish(z.boolean()),
};
const inContext = { ...common, context_id: z.string() };
/** Counts from 0 or 1, and may be absent (F3, F4). */
const flushId = z.nullish(z.int().check(z.nonnegative()));

const seconds = z.array(z.number().check(z.nonnegative()));
const times = { start: seconds, end: seconds };

export const SERVER_FRAMES = {
  chunk: z.looseObject({
    ...inContext,
    data: z.string(),
    step_time: z.nullish(z.number()),
    flush_id: flushId,
  }),
  timestamps: z.looseObject({
    ...inContext,
    word_timestamps: z.looseObject({ words: z.array(z.string()), ...times }),
    flush_id: flushId,
  }),
  phoneme_timestamps: z.looseObject({
    ...inContext,
    phoneme_timestamps: z.looseObject({ phonemes: z.array(z.string()), ...times }),
    flush_id: flushId,
  }),
  flush_done: z.looseObject({
    ...inContext,
    flush_done: z.nullish(z.boolean()),
    flush_id: flushId,
    data: z.nullish(z.string()),
  }),
  done: z.looseObject(inContext),
  // In both shapes (E1, E2). One without a context is for the whole connection (E6).
  error: z.looseObject({
    ...common,
    context_id: z.nullish(z.string()),
    error: z.nullish(z.string()),
    title: z.nullish(z.string()),
    message: z.nullish(z.string()),
    error_code: z.nullish(z.string()),
    request_id: z.nullish(z.string()),
    doc_url: z.nullish(z.string()),
  }),
} as const;

export type ServerFrameType = keyof typeof SERVER_FRAMES;

export const isServerFrameType = (type: unknown): type is ServerFrameType =>
  typeof type === 'string' && Object.hasOwn(SERVER_FRAMES, type);
