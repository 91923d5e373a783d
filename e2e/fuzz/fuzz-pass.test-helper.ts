import { expect, it } from 'vitest';
import { systemClock } from '#lib/clock.ts';
import { heapBytes } from '#lib/testing/heap.ts';
import { Capture } from '#server/capture/capture.ts';
import { createKeys } from '#server/keys.ts';
import type { Log } from '#server/log.ts';
import { VENDOR_HOSTS } from '#server/relay/targets.ts';
import { createTestEngine } from '#server/test-engine.test-helper.ts';
import { startTestServer } from '#server/test-server.test-helper.ts';
import { type FuzzPart, runFuzz } from './fuzz-part.ts';
import { filesPart } from './page/files-part.ts';
import { workerPart } from './page/worker-part.ts';
import { SECRET_KEY } from './server/client-scripts.ts';
import { fuzzServer } from './server/fuzz-server.ts';

interface Frames {
  server: number;
  worker: number;
  files: number;
}

/** Tests a pass of `npm run fuzz` that is the same on every run, up to so many frames and files of each part. */
export function itHolds(frames: Frames, limitMs: number): void {
  const limits = (count: number, lanes = 1) => ({
    frames: count,
    lanes,
    seed: 7,
    untilMs: Number.POSITIVE_INFINITY,
  });
  const fuzzed = async <Case>(part: FuzzPart<Case>, count: number) => {
    const { findings, frames: done } = await runFuzz(part, limits(count));
    expect(findings).toEqual([]);
    expect(done).toBeGreaterThanOrEqual(count);
  };

  it(
    'a server keeps its promises under mutated messages and requests',
    async () => {
      const faults: string[] = [];
      const log: Log = {
        info: () => {},
        warn: () => {},
        error: (fields, message) => faults.push(`${message}: ${JSON.stringify(fields)}`),
        child: () => log,
      };
      const capture = new Capture(systemClock);
      const options = { keys: createKeys({ keys: [SECRET_KEY], only: false }), log, capture };
      const target = await startTestServer({ ...options, engine: createTestEngine() });
      const relays = Object.fromEntries(
        Object.keys(VENDOR_HOSTS).map((vendor) => [vendor, new URL(`${target.ws}/${vendor}`)]),
      );
      const server = await startTestServer({ ...options, engine: createTestEngine(), relays });
      const probe = async () => ({
        heapMiB: heapBytes() / 2 ** 20,
        capturedMiB: capture.keptBytes / 2 ** 20,
      });
      const fuzzedServer = { ...server, probe, faults: () => faults };
      const { results, neighbour, problems } = await fuzzServer(fuzzedServer, limits(frames.server, 8));
      await server.stop();
      await target.stop();
      expect(results.flatMap(({ findings }) => findings)).toEqual([]);
      expect(problems).toEqual([]);
      expect(neighbour.turns.length).toBeGreaterThan(0);
    },
    limitMs,
  );

  it(
    'the session worker speaks after any frames, and the recordings worker reads them',
    async () => {
      await fuzzed(workerPart(), frames.worker);
    },
    limitMs,
  );

  it(
    'any file is imported and readable, or refused with a place',
    async () => {
      await fuzzed(await filesPart(), frames.files);
    },
    limitMs,
  );
}
