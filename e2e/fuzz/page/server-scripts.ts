import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { SAMPLES } from '#app/recordings/files/samples.ts';
import type { EndpointId, Frame } from '#protocol/core/endpoint.ts';
import type { RecordEntry, RecordingInfo } from '#record/record.ts';
import { RecordingReader } from '#recordings/files/recording-file.ts';
import { patched, patches, reordered, reorders, type WireMessage } from '../mutation/mutations.ts';

/** A recorded session with the local server. */
export interface SampleSession {
  info: RecordingInfo;
  entries: readonly RecordEntry[];
  /** The frames of its server. */
  frames: readonly Frame[];
}

/** The sample recordings that come with the page: valid frames of every endpoint. */
export function readSamples(): SampleSession[] {
  return SAMPLES.map(({ file }) => {
    const packed = readFileSync(new URL(`../../../public/recordings/${file}`, import.meta.url));
    const reader = new RecordingReader();
    const first = reader.push(gunzipSync(packed).toString());
    const { info, entries } = reader.finish();
    const all = [...first, ...entries];
    const frames = all.flatMap(({ direction, payload }) =>
      direction === 'in' && payload !== null ? [payload] : [],
    );
    return { info, entries: all, frames };
  });
}

/** Names of fields in the server's frames of a session. */
const fieldsIn = (frames: readonly Frame[]): string[] => [
  ...new Set(
    frames.flatMap((frame) => (typeof frame === 'string' ? Object.keys(JSON.parse(frame) as object) : [])),
  ),
];

const MOST_FRAMES = 40;
const MOST_PATCHES = 12;

/** A part of a session's frames, some of them changed, dropped, repeated and in another order. */
export const mutatedFrames = ({ frames }: SampleSession): fc.Arbitrary<WireMessage[]> =>
  fc
    .record({
      from: fc.nat({ max: frames.length - 1 }),
      count: fc.integer({ min: 1, max: MOST_FRAMES }),
      changes: patches(fieldsIn(frames), MOST_PATCHES),
      order: reorders,
    })
    .map(({ from, count, changes, order }) =>
      reordered(patched(frames.slice(from, from + count), changes), order),
    );

/** A valid turn of the server: some audio, and its end. @param base64 of 16-bit samples at 24 kHz */
export function goodTurn(endpoint: EndpointId, text: string, base64: string): object[] {
  if (endpoint === 'murmr') {
    return [
      { type: 'config_ack', session_id: 'f1' },
      { type: 'audio', chunk: base64, sample_rate: 24_000, format: 'pcm_s16le' },
      { type: 'done', total_chunks: 1, duration_ms: 100, first_chunk_latency_ms: 5 },
    ];
  }
  const samples = Buffer.byteLength(base64, 'base64') / 2;
  const seconds = samples / 24_000;
  const context = endpoint === 'kugel-multi' ? { context_id: 'narrator' } : {};
  const totals = { total_audio_seconds: seconds, total_text_chunks: 1, total_audio_chunks: 1 };
  return [
    ...(endpoint === 'kugel-multi' ? [{ context_created: true, ...context }] : []),
    { generation_started: true, chunk_id: 0, text, ...context },
    { audio: base64, enc: 'pcm_s16le', idx: 0, sr: 24_000, samples, chunk_id: 0, ...context },
    { chunk_complete: true, chunk_id: 0, audio_seconds: seconds, gen_ms: 5, ...context },
    { final: true, ...totals, ...context },
    ...(endpoint === 'kugel-stream' ? [{ session_closed: true, ...totals }] : []),
  ];
}
