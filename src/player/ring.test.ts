import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRingMemory, READ } from './layout.ts';
import { RingReader, RingWriter } from './ring.ts';

/** Positions from which counting passes the end of a ring of 16, and of 32 bits signed and unsigned. */
const STARTS = [0, 13, 2 ** 31 - 5, -5];

const upTo = (count: number, from = 1) => Int16Array.from({ length: count }, (_, i) => from + i);

function ring(capacity: number, startPosition = 0) {
  const memory = createRingMemory(capacity, true, startPosition);
  return { memory, writer: new RingWriter(memory), reader: new RingReader(memory) };
}

/** Reads everything available, as the audio thread does. */
function drain(reader: RingReader, most = Infinity): number[] {
  if (reader.refresh()) {
    reader.adoptEpoch();
    reader.refresh();
  }
  const count = Math.min(most, reader.available);
  const samples = Array.from({ length: count }, (_, i) => reader.peek(i));
  reader.advance(count);
  reader.publish(0, 0, 0);
  return samples;
}

describe.each(STARTS)('a ring that counts from %i', (start) => {
  it('behaves like a plain list under random operations', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), count: fc.integer({ min: 0, max: 24 }) }),
      fc.record({ kind: fc.constant('read' as const), count: fc.integer({ min: 0, max: 24 }) }),
      fc.record({ kind: fc.constant('clear' as const), count: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { writer, reader } = ring(16, start);
        let model: number[] = [];
        let held = 0;
        let value = 0;
        for (const { kind, count } of steps) {
          if (kind === 'write') {
            const samples = upTo(count, value);
            const accepted = writer.write(samples);
            expect(accepted).toBe(Math.min(count, 16 - held));
            model.push(...samples.subarray(0, accepted));
            held += accepted;
            value = (value + accepted) % 10_000;
          } else if (kind === 'clear') {
            writer.clear();
            model = [];
          } else {
            expect(drain(reader, count)).toEqual(model.splice(0, count));
            held = model.length;
          }
          expect(writer.room()).toBe(16 - held);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('an epoch that begins while the reader looks', () => {
  it('plays nothing under the old epoch of what was written under the new one', () => {
    const { writer, reader } = ring(16);
    writer.write(upTo(4));
    // The reader has loaded how far it may read; only then does the feeder clear and write.
    expect(reader.refresh()).toBe(false);
    writer.clear();
    writer.write(upTo(4, 101));
    expect(reader.available).toBe(4);
    reader.advance(2);
    expect(drain(reader)).toEqual([101, 102, 103, 104]);
  });

  it('is left again, unheard, for one that follows before it is adopted', () => {
    const { writer, reader } = ring(16);
    writer.write(upTo(4));
    writer.clear();
    expect(reader.refresh()).toBe(true);
    writer.write(upTo(4, 101));
    writer.clear();
    writer.write(upTo(2, 201));
    reader.adoptEpoch();
    expect(reader.available).toBe(0);
    expect(drain(reader)).toEqual([201, 202]);
  });
});

describe('the end', () => {
  it('is the write position until more is written', () => {
    const { writer, reader } = ring(16);
    const complete = () => {
      reader.refresh();
      return reader.complete;
    };
    expect(complete()).toBe(true);
    writer.write(upTo(3));
    expect(complete()).toBe(false);
    writer.end();
    expect(complete()).toBe(true);
    writer.write(upTo(3));
    expect(complete()).toBe(false);
  });
});

describe('ring memory', () => {
  it('has a power of two of samples', () => {
    expect(() => createRingMemory(1000, false)).toThrow(RangeError);
  });

  it('is shared only where asked for', () => {
    expect(createRingMemory(16, true).data.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(createRingMemory(16, false).data.buffer).toBeInstanceOf(ArrayBuffer);
    expect(createRingMemory(16, false, 7).control[READ]).toBe(7);
  });
});
