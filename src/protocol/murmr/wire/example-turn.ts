import { EXAMPLE_AUDIO } from '../../core/example-audio.ts';
import type { Frame } from '../../core/frame.ts';
import type { RealtimeServerFrame } from './server-frames.ts';

const { frames: FRAMES, frameMs, sampleRate, base64 } = EXAMPLE_AUDIO;

export function realtimeExample(): Frame[] {
  const audio: RealtimeServerFrame = {
    type: 'audio',
    chunk: base64,
    sample_rate: sampleRate,
    format: 'pcm_s16le',
  };
  const frames: RealtimeServerFrame[] = [
    { type: 'config_ack', session_id: 'example' },
    ...Array.from({ length: FRAMES }, () => audio),
    { type: 'done', total_chunks: FRAMES, duration_ms: FRAMES * frameMs, first_chunk_latency_ms: 20 },
  ];
  return frames.map((frame) => JSON.stringify(frame));
}
