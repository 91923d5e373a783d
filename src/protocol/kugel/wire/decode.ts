import { cutBase64 } from '../../core/cut-base64.ts';
import type { Frame } from '../../core/frame.ts';
import { type Fields, malformed, parseFields, readFrame, unknownOf } from '../../core/json-frame.ts';
import {
  ONLY_CONTEXT,
  type SpeechEvent,
  type SpokenWord,
  type TurnTotals,
  type Usage,
} from '../../core/speech-event.ts';
import {
  isPlainAudio,
  KUGEL_FRAMES,
  type KugelFrame,
  type KugelUsage,
  MARKERS,
  type Marker,
} from './server-frames.ts';

/** Turns a valid frame into an event. `context` is {@link ONLY_CONTEXT} where the frame names none. */
type ToEvent<M extends Marker> = (frame: KugelFrame<M>, context: string) => SpeechEvent;

/** The frames of one endpoint by marker. Frames with other markers become `unknown` events. */
export type FrameReaders = { readonly [M in Marker]?: ToEvent<M> };

/** Decodes one frame by the first of its markers. Never throws (`Dialect.decode`). */
export function decodeFrame(readers: FrameReaders, frame: Frame): SpeechEvent[] {
  if (typeof frame !== 'string') {
    return [malformed(`expected a text message, got ${frame.byteLength} bytes of binary`)];
  }
  const cut = cutBase64(frame, 'audio');
  if (cut && isPlainAudio(cut.rest)) {
    // Nearly all frames pass here, so nothing is copied.
    cut.rest.audio = cut.base64;
    const event = audioEvent(cut.rest, cut.rest.context_id ?? ONLY_CONTEXT);
    return [Object.assign(event, unknownOf(KUGEL_FRAMES.audio, cut.rest))];
  }
  const read = parseFields(frame);
  if (!('fields' in read)) return [malformed(`expected a JSON object, got ${read.excerpt}`)];
  const marker = MARKERS.find((candidate) => readers[candidate] && Object.hasOwn(read.fields, candidate));
  return [marker ? eventOf(readers, marker, read.fields) : { type: 'unknown', frame: read.fields }];
}

function eventOf<M extends Marker>(readers: FrameReaders, marker: M, fields: Fields): SpeechEvent {
  const read = readFrame(KUGEL_FRAMES[marker], fields);
  if ('problem' in read) return malformed(read.problem);
  const frame = read.frame as KugelFrame<M>;
  const context = 'context_id' in frame ? String(frame.context_id) : ONLY_CONTEXT;
  const event = readers[marker]?.(frame, context) ?? { type: 'unknown', frame: fields };
  return { ...event, ...read.rest };
}

const audioEvent: ToEvent<'audio'> = (frame, context) => ({
  type: 'audio',
  context,
  chunk: frame.chunk_id,
  index: frame.idx,
  encoding: frame.enc,
  sampleRate: frame.sr,
  samples: frame.samples,
  payload: { base64: frame.audio },
});

/** Codes of refused messages (kugel-error-5). Other codes mean that the server cannot speak. */
const REFUSALS: ReadonlySet<number | null> = new Set([400, 404, 413, 422]);

/** The frames with the same meaning on every Kugel endpoint. */
export const COMMON_READERS = {
  error: (frame, context) => ({
    type: 'error',
    context: context === ONLY_CONTEXT ? null : context,
    message: frame.error,
    name: frame.error_code ?? null,
    code: frame.code ?? null,
    requestId: frame.request_id ?? null,
    ...(REFUSALS.has(frame.code ?? null) ? { isRefusal: true } : {}),
  }),
  audio: audioEvent,
  word_timestamps: (frame, context) => ({
    type: 'words',
    context,
    chunk: frame.chunk_id,
    words: frame.word_timestamps.map(spokenWord),
  }),
  generation_started: (frame, context) => ({
    type: 'chunkStarted',
    context,
    chunk: frame.chunk_id,
    text: frame.text,
  }),
  chunk_complete: (frame, context) => ({
    type: 'chunkCompleted',
    context,
    chunk: frame.chunk_id,
    audioSeconds: frame.audio_seconds,
    generationMs: frame.gen_ms,
  }),
  interrupted: (_, context) => ({ type: 'interrupted', context: context === ONLY_CONTEXT ? null : context }),
  settings_updated: (frame) => ({ type: 'settingsUpdated', settings: frame.settings }),
} satisfies FrameReaders;

const spokenWord = (word: KugelFrame<'word_timestamps'>['word_timestamps'][number]): SpokenWord =>
  'start_ms' in word
    ? {
        word: word.word,
        startMs: word.start_ms,
        endMs: word.end_ms,
        charStart: word.char_start,
        charEnd: word.char_end,
      }
    : { word: word.word, startMs: word.start * 1000, endMs: word.end * 1000, charStart: 0, charEnd: 0 };

/** The fields that report the totals of a turn. */
export type TotalsFields = Pick<
  KugelFrame<'final'>,
  'total_audio_seconds' | 'total_text_chunks' | 'total_audio_chunks'
>;

export const turnTotals = (frame: TotalsFields): TurnTotals => ({
  audioSeconds: frame.total_audio_seconds ?? null,
  textChunks: frame.total_text_chunks ?? null,
  audioFrames: frame.total_audio_chunks ?? null,
});

/** The usage of a turn or context. An unknown charge is null, never a silent 0. */
export const usageIn = ({ usage }: { usage?: KugelUsage | null | undefined }): Usage | null =>
  usage
    ? {
        audioSeconds: usage.audio_seconds ?? null,
        characters: usage.characters ?? null,
        costCents: usage.cost_unavailable === true ? null : (usage.cost_cents ?? null),
        currency: usage.currency ?? null,
        modelId: usage.model_id ?? null,
      }
    : null;
