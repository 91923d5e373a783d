import { wordList } from '#lib/word-list.ts';
import { EXAMPLE_AUDIO, exampleFrames, sentFrames } from '../../core/example-audio.ts';
import type { Frame } from '../../core/frame.ts';
import type { Named } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import { ENCODINGS } from './settings.ts';

/**
 * Frames of the server. A marker key instead of a type field names the kind.
 * Objects are loose, because later versions may add fields; decoders pass these on as unknown.
 */

const inContext = { context_id: z.optional(z.string()) };
/** For frames that exist only within a context. */
const ofContext = { context_id: z.string() };
const yes = z.literal(true);
const count = z.number().check(z.nonnegative());
const whole = z.int().check(z.nonnegative());

const MIN_RATE = 3000;
const MAX_RATE = 192_000;

const wordInMs = z.object({
  word: z.string(),
  start_ms: count,
  end_ms: count,
  char_start: whole,
  char_end: whole,
  score: z.optional(z.number()),
});

/** The older shape of a public transcription: seconds and a confidence (kugel-words-7). */
const wordInSeconds = z.object({
  word: z.string(),
  start: count,
  end: count,
  confidence: z.optional(z.number()),
});

const totals = {
  total_audio_seconds: z.optional(count),
  total_text_chunks: z.optional(whole),
  total_audio_chunks: z.optional(whole),
};

/** Accepts null for absent: a turn must not hang because a figure of its bill is missing. */
const usage = z.looseObject({
  audio_seconds: z.nullish(count),
  characters: z.nullish(whole),
  cost_cents: z.nullish(count),
  currency: z.nullish(z.string()),
  cost_unavailable: z.nullish(z.boolean()),
  model_id: z.nullish(z.string()),
});

/** In the `final` of `/ws/tts`, which is the only end of a request. */
const ofRequest = {
  /** Audio frames. */
  chunks: z.optional(whole),
  total_samples: z.optional(whole),
  dur_ms: z.optional(count),
  gen_ms: z.optional(count),
  /** Generation time divided by audio time; 0 without audio. */
  rtf: z.optional(count),
  usage: z.nullish(usage),
  /** Of later versions. */
  debug: z.optional(z.unknown()),
};

/** By marker, in the order in which decoders search for markers: an error may name the frame that it is about. */
export const KUGEL_FRAMES = {
  error: z.looseObject({
    error: z.string(),
    error_code: z.nullish(z.string()),
    code: z.nullish(z.number()),
    request_id: z.nullish(z.string()),
    ...inContext,
  }),
  audio: z.looseObject({
    audio: z.string(),
    enc: z._default(z.enum(ENCODINGS), 'pcm_s16le'),
    idx: whole,
    sr: z.int().check(z.gte(MIN_RATE), z.lte(MAX_RATE)),
    samples: whole,
    chunk_id: z._default(whole, 0),
    ...inContext,
  }),
  word_timestamps: z.looseObject({
    word_timestamps: z.array(z.union([wordInMs, wordInSeconds])),
    chunk_id: z._default(whole, 0),
    ...inContext,
  }),
  generation_started: z.looseObject({
    generation_started: yes,
    chunk_id: whole,
    text: z.string(),
    ...inContext,
  }),
  chunk_complete: z.looseObject({
    chunk_complete: yes,
    chunk_id: whole,
    audio_seconds: count,
    gen_ms: count,
    ...inContext,
  }),
  interrupted: z.looseObject({ interrupted: yes, ...inContext }),
  settings_updated: z.looseObject({ settings_updated: yes, settings: z.record(z.string(), z.unknown()) }),
  context_created: z.looseObject({ context_created: yes, ...ofContext }),
  context_closed: z.looseObject({ context_closed: yes, usage: z.nullish(usage), ...ofContext }),
  context_timeout: z.looseObject({ context_timeout: yes, ...ofContext }),
  session_closed: z.looseObject({ session_closed: yes, ...totals, usage: z.nullish(usage) }),
  final: z.looseObject({ final: yes, ...totals, ...ofRequest, ...inContext }),
  warning: z.looseObject({ warning: z.string(), ...inContext }),
} as const;

export type Marker = keyof typeof KUGEL_FRAMES;
export const MARKERS = Object.keys(KUGEL_FRAMES) as Marker[];

const markersBut = (...missing: readonly Marker[]): ReadonlySet<Marker> =>
  new Set(MARKERS.filter((marker) => !missing.includes(marker)));
const OF_CONTEXTS = wordList('context_created context_closed context_timeout');
const OF_STREAMS = wordList('generation_started chunk_complete session_closed warning');

/** Markers of the frames of each endpoint. */
export const STREAM_MARKERS = markersBut(...OF_CONTEXTS);
export const MULTI_MARKERS = markersBut('warning');
export const TTS_MARKERS = markersBut(...OF_CONTEXTS, ...OF_STREAMS);

/** A frame as the validator returns it. */
export type KugelFrame<M extends Marker> = z.output<(typeof KUGEL_FRAMES)[M]>;
export type KugelUsage = z.output<typeof usage>;

export type AnyKugelFrame = { [M in Marker]: { kind: M; frame: KugelFrame<M> } }[Marker];

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Whether the validator would accept these fields unchanged. Nearly all frames are audio, and this check is cheaper. */
export const isPlainAudio = (fields: Readonly<Record<string, unknown>>): fields is KugelFrame<'audio'> =>
  typeof fields.audio === 'string' &&
  ENCODINGS.some((encoding) => encoding === fields.enc) &&
  isCount(fields.idx) &&
  isCount(fields.sr) &&
  fields.sr >= MIN_RATE &&
  fields.sr <= MAX_RATE &&
  isCount(fields.samples) &&
  isCount(fields.chunk_id) &&
  (fields.context_id === undefined || typeof fields.context_id === 'string');

type Sent<M extends Marker> = M extends Marker ? Named<(typeof KUGEL_FRAMES)[M]> : never;

export type GenerationStartedFrame = Sent<'generation_started'>;
export type WordTimestampsFrame = Sent<'word_timestamps'>;
export type ChunkCompleteFrame = Sent<'chunk_complete'>;
export type UsageObject = Named<typeof usage>;

/** Any frame that the server of `/ws/tts/stream` may send. */
export type StreamServerFrame =
  | Sent<Exclude<Marker, 'context_created' | 'context_closed' | 'context_timeout' | 'session_closed'>>
  | (Omit<Sent<'session_closed'>, 'usage'> & { usage: UsageObject });

/** Any frame that the server of `/ws/tts` may send. */
export type TtsServerFrame =
  | Sent<'audio' | 'word_timestamps' | 'interrupted' | 'settings_updated' | 'error'>
  | ({ final: true; usage: UsageObject } & Required<
      Pick<Sent<'final'>, 'chunks' | 'total_samples' | 'dur_ms' | 'gen_ms' | 'rtf'>
    >);

/** Any frame that the server of `/ws/tts/multi` may send. Those of a context carry its id. */
export type MultiServerFrame =
  | InContext<GenerationStartedFrame>
  | InContext<Sent<'audio'>>
  | InContext<WordTimestampsFrame>
  | InContext<ChunkCompleteFrame>
  | InContext<{ final: true }>
  | Sent<'context_created' | 'context_closed' | 'interrupted' | 'settings_updated' | 'error'>
  | { session_closed: true; total_audio_seconds: number };

type InContext<F> = F & { context_id: string };

const EXAMPLE_SECONDS = EXAMPLE_AUDIO.durationMs / 1000;

const exampleSpeech = (text: string) => [
  ...exampleFrames((idx) => ({
    audio: EXAMPLE_AUDIO.base64,
    enc: 'pcm_s16le' as const,
    idx,
    sr: EXAMPLE_AUDIO.sampleRate,
    samples: EXAMPLE_AUDIO.samples,
    chunk_id: 0,
  })),
  {
    word_timestamps: [
      {
        word: text,
        start_ms: 0,
        end_ms: EXAMPLE_AUDIO.durationMs,
        char_start: 0,
        char_end: text.length,
        score: 1,
      },
    ],
    chunk_id: 0,
  },
];

const exampleChunk = (text: string) => [
  { generation_started: true, chunk_id: 0, text } as const,
  ...exampleSpeech(text),
  { chunk_complete: true, chunk_id: 0, audio_seconds: EXAMPLE_SECONDS, gen_ms: 20 } as const,
];

const exampleUsage = (text: string): UsageObject => ({
  audio_seconds: EXAMPLE_SECONDS,
  characters: text.length,
  cost_cents: 0.04,
  currency: 'eur',
  model_id: 'kugel-3',
});

export function streamExample(text: string): Frame[] {
  const sums = {
    total_audio_seconds: EXAMPLE_SECONDS,
    total_text_chunks: 1,
    total_audio_chunks: EXAMPLE_AUDIO.frames,
  };
  const frames: StreamServerFrame[] = [
    ...exampleChunk(text),
    { final: true, ...sums },
    { session_closed: true, ...sums, usage: exampleUsage(text) },
  ];
  return sentFrames(frames);
}

export function multiExample(text: string, context_id: string): Frame[] {
  const frames: MultiServerFrame[] = [
    { context_created: true, context_id },
    ...exampleChunk(text).map((frame) => ({ ...frame, context_id })),
    { final: true, context_id },
  ];
  return sentFrames(frames);
}

export function ttsExample(text: string): Frame[] {
  const { frames: count, samples, durationMs } = EXAMPLE_AUDIO;
  const figures = {
    chunks: count,
    total_samples: count * samples,
    dur_ms: durationMs,
    gen_ms: 20,
    rtf: 20 / durationMs,
  };
  const frames: TtsServerFrame[] = [
    ...exampleSpeech(text),
    { final: true, ...figures, usage: exampleUsage(text) },
  ];
  return sentFrames(frames);
}
