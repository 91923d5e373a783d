import { z } from '../../core/zod.ts';

/** What the server of `/v1/realtime` sends (seed; `facts 6.2`). Loose, because a later version may add fields. */

/** The one audio format of this endpoint (`facts 6.5`). */
export const SAMPLE_RATE = 24_000;
const FORMAT = 'pcm_s16le';

const format = {
  sample_rate: z.int().min(3000).max(192_000).default(SAMPLE_RATE),
  format: z.literal(FORMAT).default(FORMAT),
};
const count = z.number().nonnegative();

export const configAckFrame = z.looseObject({ type: z.literal('config_ack'), session_id: z.string() });

export const binaryModeAckFrame = z.looseObject({ type: z.literal('binary_mode_ack'), ...format });

export const audioFrame = z.looseObject({ type: z.literal('audio'), chunk: z.string(), ...format });

/** A figure that is missing must not keep a turn from ending. */
export const doneFrame = z.looseObject({
  type: z.literal('done'),
  total_chunks: z.int().nonnegative().nullish(),
  duration_ms: count.nullish(),
  first_chunk_latency_ms: count.nullish(),
});

export const errorFrame = z.looseObject({
  type: z.literal('error'),
  message: z.string(),
  code: z.number().nullish(),
});

export const pongFrame = z.looseObject({ type: z.literal('pong') });

/** Any text frame that a server may send; a server says all of each. */
export type RealtimeServerFrame =
  | { type: 'config_ack'; session_id: string }
  | { type: 'binary_mode_ack'; sample_rate: number; format: typeof FORMAT }
  | { type: 'audio'; chunk: string; sample_rate: number; format: typeof FORMAT }
  | { type: 'done'; total_chunks: number; duration_ms: number; first_chunk_latency_ms: number }
  | { type: 'error'; message: string; code: number }
  | { type: 'pong' };
