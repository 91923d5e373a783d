import { EXAMPLE_AUDIO } from '../../core/example-audio.ts';
import type { Frame } from '../../core/frame.ts';
import type { MultiServerFrame, StreamServerFrame, UsageObject } from './server-frames.ts';

const { frames: FRAMES, frameMs, sampleRate, samples, base64 } = EXAMPLE_AUDIO;
const END_MS = FRAMES * frameMs;

const totals = { total_audio_seconds: END_MS / 1000, total_text_chunks: 1, total_audio_chunks: FRAMES };

/** All frames of one chunk (`facts 1.5`, `1.6`, `2.2`). */
const chunkOf = (text: string) => [
  { generation_started: true, chunk_id: 0, text } as const,
  ...Array.from({ length: FRAMES }, (_, idx) => ({
    audio: base64,
    enc: 'pcm_s16le' as const,
    idx,
    sr: sampleRate,
    samples,
    chunk_id: 0,
  })),
  {
    word_timestamps: [
      { word: text, start_ms: 0, end_ms: END_MS, char_start: 0, char_end: text.length, score: 1 },
    ],
    chunk_id: 0,
  },
  { chunk_complete: true, chunk_id: 0, audio_seconds: END_MS / 1000, gen_ms: 20 } as const,
];

const usageOf = (text: string): UsageObject => ({
  audio_seconds: END_MS / 1000,
  characters: text.length,
  cost_cents: 0.04,
  currency: 'eur',
  model_id: 'kugel-3',
});

export function streamExample(text: string): Frame[] {
  const frames: StreamServerFrame[] = [
    ...chunkOf(text),
    { final: true, ...totals },
    { session_closed: true, ...totals, usage: usageOf(text) },
  ];
  return frames.map((frame) => JSON.stringify(frame));
}

export function multiExample(text: string, context: string): Frame[] {
  const frames: MultiServerFrame[] = [
    { context_created: true, context_id: context },
    ...chunkOf(text).map((frame) => ({ ...frame, context_id: context })),
    { final: true, context_id: context },
  ];
  return frames.map((frame) => JSON.stringify(frame));
}
