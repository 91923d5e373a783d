import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { SAMPLES } from '#app/recordings/files/samples.ts';
import type { Endpoint, PageEndpointId } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import type { RecordEntry, RecordingInfo } from '#trace/entry.ts';
import { RecordingReader } from '#trace/files/recording-file.ts';
import { protocolOf } from '../../support/protocols.ts';
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

/** The frames of a server of an endpoint. */
export interface ServerFrames {
  endpoint: Endpoint<PageEndpointId>;
  frames: readonly Frame[];
}

/** Of every endpoint of the page: those of the samples, or an example turn where no sample is of it. */
export function framesOfServers(): ServerFrames[] {
  const samples = readSamples();
  return PAGE_ENDPOINTS.flatMap((endpoint) => {
    const own = samples.filter(({ info }) => info.endpoint === endpoint.id);
    return own.length > 0
      ? own.map(({ frames }) => ({ endpoint, frames }))
      : [{ endpoint, frames: protocolOf(endpoint).exampleTurn('Hello there.', 'narrator') }];
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

/** A part of a server's frames, some of them changed, dropped, repeated and in another order. */
export const mutatedFrames = ({ frames }: ServerFrames): fc.Arbitrary<WireMessage[]> =>
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
