import { afterEach, expect, it } from 'vitest';
import { systemClock } from '#lib/clock.ts';
import { heapBytes } from '#lib/testing/heap.ts';
import { Capture } from '#server/capture/capture.ts';
import { createKeys } from '#server/keys.ts';
import type { Log } from '#server/log.ts';
import { createTestEngine } from '#server/test-engine.test-helper.ts';
import { startTestServer } from '#server/test-server.test-helper.ts';
import { type FuzzPart, runFuzz } from './fuzz-part.ts';
import { filesPart } from './page/files-part.ts';
import { workerPart } from './page/worker-part.ts';
import { SECRET_KEY } from './server/client-scripts.ts';
import { fuzzServer } from './server/fuzz-server.ts';

/** A short pass of `npm run fuzz`, the same on every run. */
const SEED = 7;
const GIVE_UP_MS = 60_000;

const limits = (frames: number, lanes = 1) => ({
  frames,
  lanes,
  seed: SEED,
  untilMs: performance.now() + GIVE_UP_MS,
});

/** Faults that a server logged. */
let faults: string[] = [];
afterEach(() => {
  faults = [];
});
const log: Log = {
  info: () => {},
  warn: () => {},
  error: (fields, message) => faults.push(`${message}: ${JSON.stringify(fields)}`),
  child: () => log,
};

it('a server keeps its promises under mutated messages and requests', async () => {
  const capture = new Capture(systemClock);
  const options = { keys: createKeys({ keys: [SECRET_KEY], only: false }), log, capture };
  const target = await startTestServer({ ...options, engine: createTestEngine() });
  const relays = { kugel: new URL(`${target.ws}/kugel`), murmr: new URL(`${target.ws}/murmr`) };
  const server = await startTestServer({ ...options, engine: createTestEngine(), relays });
  const probe = async () => ({
    heapMiB: heapBytes() / 2 ** 20,
    capturedMiB: capture.keptBytes / 2 ** 20,
  });
  const { results, neighbour, problems } = await fuzzServer(
    { ...server, probe, faults: () => faults },
    limits(2000, 8),
  );
  await server.stop();
  await target.stop();
  expect(results.flatMap(({ findings }) => findings)).toEqual([]);
  expect(problems).toEqual([]);
  expect(neighbour.turns.length).toBeGreaterThan(3);
}, 90_000);

const fuzzed = async <Case>(part: FuzzPart<Case>, frames: number) => {
  const { findings, frames: done } = await runFuzz(part, limits(frames));
  expect(findings).toEqual([]);
  expect(done).toBeGreaterThanOrEqual(frames);
};

it('the session worker speaks after any frames, and the recordings worker reads them', async () => {
  await fuzzed(workerPart(), 1500);
}, 90_000);

it('any file is imported and readable, or refused with a place', async () => {
  await fuzzed(await filesPart(), 150);
}, 90_000);
