import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newEntry, START } from '../testing/world.ts';
import { LiveRecording } from './live-recording.ts';
import { type PayloadBlock, sizeOf } from './payload-block.ts';
import type { RecordingBatch } from './recording-store.ts';

/** A store whose writes end when a test says so. */
class SlowStore {
  readonly blocks = new Map<string, PayloadBlock>();
  readonly segments = new Map<number, number>();
  reportedBytes = 0;
  #end = (): void => {};

  readonly write = ({ info, blocks, segments }: RecordingBatch): Promise<void> =>
    new Promise((resolve) => {
      this.#end = () => {
        for (const { kind, first, block } of blocks) this.blocks.set(`${kind}:${first}`, block);
        for (const { first, segment } of segments) this.segments.set(first, segment.packed.length);
        this.reportedBytes = info.storedBytes;
        resolve();
      };
    });

  end(): void {
    this.#end();
  }

  get bytes(): number {
    const sizes = [...this.segments.values(), ...[...this.blocks.values()].map(sizeOf)];
    return sizes.reduce((sum, size) => sum + size, 0);
  }
}

type Step = 'flush' | 'end' | { bytes: number; times: number; kind: string };

/** A block is filled while it is written. */
const FILLED_MEANWHILE: Step[] = [
  { bytes: 30_000, times: 1, kind: 'words' },
  'flush',
  { bytes: 90_000, times: 5, kind: 'words' },
  'end',
];

const steps = fc.array<Step>(
  fc.oneof(
    fc.record({
      bytes: fc.constantFrom(10, 30_000, 90_000, 300_000),
      times: fc.constantFrom(1, 1, 5, 1100),
      kind: fc.constantFrom('audio', 'words'),
    }),
    fc.constantFrom('flush' as const, 'end' as const),
  ),
  { maxLength: 15 },
);

it('counts its stored bytes, and reads every payload, however writes and entries alternate', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const store = new SlowStore();
      const source = {
        block: async (_: string, kind: number, first: number) => store.blocks.get(`${kind}:${first}`),
      };
      const live = new LiveRecording('one', START, { source });
      const lengths: number[] = [];
      const settle = () => new Promise((resolve) => setImmediate(resolve));
      const add = (bytes: number, kind: string): void => {
        live.append(newEntry({ kind, payload: new Uint8Array(bytes).fill(lengths.length) }));
        lengths.push(bytes);
      };
      for (const step of taken) {
        if (step === 'flush') void live.flush(store.write);
        else if (step === 'end') store.end();
        // Many entries are small.
        else for (let i = 0; i < step.times; i += 1) add(step.times > 5 ? 10 : step.bytes, step.kind);
        await settle();
      }
      while (live.isDirty) {
        void live.flush(store.write);
        store.end();
        await settle();
      }
      expect([live.storedBytes, store.reportedBytes]).toEqual([store.bytes, store.bytes]);
      const reader = live.reader();
      for (const [entry, bytes] of lengths.entries()) {
        const { payload } = await reader.entry(entry);
        expect([payload?.length, payload?.[0]]).toEqual([bytes, entry % 256]);
      }
    }),
    { numRuns: 30, examples: [[FILLED_MEANWHILE]] },
  );
});

it('knows what opened the connections of a cast of 64 voices, and of no ended one', () => {
  const live = new LiveRecording('one', START);
  const connections = Array.from({ length: 128 }, (_, at) => at + 1);
  const happened = (kind: string, connection: number) =>
    live.append(newEntry({ direction: 'connection', kind, connection, payload: '{}' }));
  for (const connection of connections) happened('opening', connection);
  for (const connection of connections) happened('opened', connection);
  happened('closed', 3);
  const opened = connections.filter((connection) => connection !== 3);
  expect(live.openings.map(({ kind, connection }) => `${kind} ${connection}`)).toEqual(
    opened.flatMap((connection) => [`opening ${connection}`, `opened ${connection}`]),
  );
});
