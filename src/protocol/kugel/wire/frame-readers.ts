import { cutBase64 } from '../../core/cut-base64.ts';
import type { Frame } from '../../core/endpoint.ts';
import { describeIssue, issuesOf, shown } from '../../core/issue.ts';
import {
  type AudioEvent,
  ONLY_CONTEXT,
  type SpeechEvent,
  type SpokenWord,
  type TurnTotals,
  type UnknownFields,
  type Usage,
} from '../../core/speech-event.ts';
import type { z } from '../../core/zod.ts';
import * as frames from './server-frames.ts';

/** How the frames that Kugel endpoints share become speech events. What they do not share, each wire adds. */

/** Reads one frame by the first of the markers that is in it. Never throws (`Wire.decode`). */
export function decodeFrame(readers: FrameReaders, frame: Frame): SpeechEvent[] {
  if (typeof frame !== 'string') {
    return [malformed(`expected a text message, got ${frame.byteLength} bytes of binary`)];
  }
  const audio = decodeAudioFast(frame);
  if (audio) return [audio];
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    return [malformed(`expected JSON, got ${shown(frame)}`)];
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [malformed(`expected a JSON object, got ${shown(value)}`)];
  }
  for (const [marker, read] of readers) {
    if (marker in value) return [read(value)];
  }
  return [{ type: 'unknown', frame: value }];
}

export const malformed = (problem: string): SpeechEvent => ({ type: 'malformed', problem });

function decodeAudioFast(frame: string): AudioEvent | null {
  const cut = cutBase64(frame, 'audio');
  if (!cut) return null;
  const { audio: _, enc, idx, sr, samples, chunk_id, context_id = ONLY_CONTEXT, ...others } = cut.rest;
  if (
    (enc !== 'pcm_s16le' && enc !== 'mulaw' && enc !== 'alaw') ||
    !isCount(idx) ||
    !isCount(sr) ||
    sr < 3000 ||
    sr > 192_000 ||
    !isCount(samples) ||
    !isCount(chunk_id) ||
    typeof context_id !== 'string'
  ) {
    return null;
  }
  return {
    type: 'audio',
    context: context_id,
    chunk: chunk_id,
    index: idx,
    encoding: enc,
    sampleRate: sr,
    samples,
    payload: { base64: cut.base64 },
    ...(Object.keys(others).length > 0 ? { unknown: others } : {}),
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

type Reader = (value: object) => SpeechEvent;

/** By marker, in the order they are looked for. */
export type FrameReaders = readonly (readonly [marker: string, read: Reader])[];

/** A reader that checks against the schema, passes on what the schema does not name, and says what is wrong if not. */
export function reader<S extends z.ZodObject>(
  schema: S,
  toEvent: (frame: z.output<S>, context: string, unknown: { unknown?: UnknownFields }) => SpeechEvent,
): Reader {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      return malformed(issuesOf(parsed.error, value).map(describeIssue).join('; '));
    }
    const extra = Object.entries(value).filter(([key]) => !(key in schema.shape));
    const context = 'context_id' in parsed.data ? String(parsed.data.context_id) : ONLY_CONTEXT;
    return toEvent(parsed.data, context, extra.length > 0 ? { unknown: Object.fromEntries(extra) } : {});
  };
}

/** What means the same on every endpoint. `error` comes first, since an error may name the frame it is about. */
export const COMMON_READERS: FrameReaders = [
  [
    'error',
    reader(frames.errorFrame, (frame, context, rest) => ({
      type: 'error',
      context: context === ONLY_CONTEXT ? null : context,
      message: frame.error,
      name: frame.error_code ?? null,
      code: frame.code ?? null,
      requestId: frame.request_id ?? null,
      ...rest,
    })),
  ],
  [
    'audio',
    reader(frames.audioFrame, (frame, context, rest) => ({
      type: 'audio',
      context,
      chunk: frame.chunk_id,
      index: frame.idx,
      encoding: frame.enc,
      sampleRate: frame.sr,
      samples: frame.samples,
      payload: { base64: frame.audio },
      ...rest,
    })),
  ],
  [
    'word_timestamps',
    reader(frames.wordTimestampsFrame, (frame, context, rest) => ({
      type: 'words',
      context,
      chunk: frame.chunk_id,
      words: frame.word_timestamps.map(spokenWord),
      ...rest,
    })),
  ],
  [
    'generation_started',
    reader(frames.generationStartedFrame, (frame, context, rest) => ({
      type: 'chunkStarted',
      context,
      chunk: frame.chunk_id,
      text: frame.text,
      ...rest,
    })),
  ],
  [
    'chunk_complete',
    reader(frames.chunkCompleteFrame, (frame, context, rest) => ({
      type: 'chunkCompleted',
      context,
      chunk: frame.chunk_id,
      audioSeconds: frame.audio_seconds,
      generationMs: frame.gen_ms,
      ...rest,
    })),
  ],
  [
    'interrupted',
    reader(frames.interruptedFrame, (_, context, rest) => ({
      type: 'interrupted',
      context: context === ONLY_CONTEXT ? null : context,
      ...rest,
    })),
  ],
  [
    'settings_updated',
    reader(frames.settingsUpdatedFrame, (frame, _, rest) => ({
      type: 'settingsUpdated',
      settings: frame.settings,
      ...rest,
    })),
  ],
];

/** @param endsTurn what the endpoint means by a warning */
export const warningReader = (endsTurn: boolean): FrameReaders[number] => [
  'warning',
  reader(frames.warningFrame, (frame, context, rest) => ({
    type: 'warning',
    context,
    message: frame.warning,
    endsTurn,
    ...rest,
  })),
];

function spokenWord(
  word: z.output<typeof frames.wordTimestampsFrame>['word_timestamps'][number],
): SpokenWord {
  return 'start_ms' in word
    ? {
        word: word.word,
        startMs: word.start_ms,
        endMs: word.end_ms,
        charStart: word.char_start,
        charEnd: word.char_end,
      }
    : { word: word.word, startMs: word.start * 1000, endMs: word.end * 1000, charStart: 0, charEnd: 0 };
}

export const totalsOf = (frame: Pick<z.output<typeof frames.finalFrame>, TotalKey>): TurnTotals => ({
  audioSeconds: frame.total_audio_seconds ?? null,
  textChunks: frame.total_text_chunks ?? null,
  audioFrames: frame.total_audio_chunks ?? null,
});

type TotalKey = 'total_audio_seconds' | 'total_text_chunks' | 'total_audio_chunks';

/** A charge that cannot be determined is null, never a silent 0 (seed). */
export const usageOf = (usage: z.output<typeof frames.usageObject>): Usage => ({
  audioSeconds: usage.audio_seconds ?? null,
  characters: usage.characters ?? null,
  costCents: usage.cost_unavailable === true ? null : (usage.cost_cents ?? null),
  currency: usage.currency ?? null,
  modelId: usage.model_id ?? null,
});
