import { EXAMPLE_AUDIO, exampleFrames, sentFrames } from '../../core/example-audio.ts';
import type { Frame } from '../../core/frame.ts';
import { type Fields, type SentTyped, typedFrames } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import { SAMPLE_RATE } from './settings.ts';

/** Frames of the server of `/v1/realtime`. Loose, because later versions may add fields. */

const FORMAT = 'pcm_s16le';

const format = {
  sample_rate: z._default(z.int().check(z.gte(3000), z.lte(192_000)), SAMPLE_RATE),
  format: z._default(z.literal(FORMAT), FORMAT),
};
const count = z.number().check(z.nonnegative());

/** Text frames by type. */
export const REALTIME_FRAMES = typedFrames({
  audio: { chunk: z.string(), ...format },
  /** Its figures are optional, so that a missing one does not keep a turn from ending. */
  done: {
    total_chunks: z.nullish(z.int().check(z.nonnegative())),
    duration_ms: z.nullish(count),
    first_chunk_latency_ms: z.nullish(count),
  },
  error: { message: z.string(), code: z.nullish(z.number()) },
  config_ack: { session_id: z.string() },
  binary_mode_ack: format,
  pong: {},
});

export type FrameType = keyof typeof REALTIME_FRAMES;

/** A frame as the validator returns it. */
export type RealtimeFrame<T extends FrameType> = z.output<(typeof REALTIME_FRAMES)[T]>;

export type AnyRealtimeFrame = { [T in FrameType]: { type: T; frame: RealtimeFrame<T> } }[FrameType];

/** Whether the validator would accept this audio frame unchanged. Nearly all frames are audio, and this is cheaper. */
export const isPlainChunk = (fields: Fields): fields is RealtimeFrame<'audio'> =>
  fields.type === 'audio' &&
  typeof fields.chunk === 'string' &&
  fields.sample_rate === SAMPLE_RATE &&
  fields.format === FORMAT;

type Whole<Fields> = { [Name in keyof Fields]-?: NonNullable<Fields[Name]> };

/** Any text frame that the server may send, with all of its fields. */
export type RealtimeServerFrame = Whole<SentTyped<typeof REALTIME_FRAMES>>;

export function realtimeExample(): Frame[] {
  const { frames, base64, sampleRate, durationMs } = EXAMPLE_AUDIO;
  const sent: RealtimeServerFrame[] = [
    { type: 'config_ack', session_id: 'example' },
    ...exampleFrames(
      () => ({ type: 'audio', chunk: base64, sample_rate: sampleRate, format: FORMAT }) as const,
    ),
    { type: 'done', total_chunks: frames, duration_ms: durationMs, first_chunk_latency_ms: 20 },
  ];
  return sentFrames(sent);
}
