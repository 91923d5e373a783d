import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_NOTE } from '#trace/recorded-event.ts';
import { PayloadFile } from './payload-file.ts';

const HEAD = {
  ...NO_NOTE,
  kind: 'audio',
  index: 0,
  atUs: 7,
  direction: 'in',
  connection: 1,
  bytes: 3,
} as const;

/** Texts with halves of characters, bytes, and payloads on both sides of what is read and written at once. */
const payload = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
  fc.uint8Array(),
  fc.constantFrom('a'.repeat(70_000), 'é'.repeat(2 ** 20), '語'.repeat(600_000), new Uint8Array(2 ** 20 + 1)),
);

it('returns each payload as it was kept, in any order and beside further ones', () => {
  fc.assert(
    fc.property(fc.array(payload, { maxLength: 12 }), fc.array(fc.nat(11)), (payloads, order) => {
      const file = new PayloadFile();
      const kept = payloads.map((each) => {
        const entry = {
          ...HEAD,
          opcode: typeof each === 'string' ? 'text' : 'binary',
          payload: each,
        } as const;
        return { entry, own: file.keep(entry) };
      });
      for (const at of [...order, ...payloads.keys()]) {
        const { entry, own } = kept[at % kept.length] ?? {};
        // A comparison of a million items takes long.
        if (entry && own) expect(isSame(own.payload, entry.payload)).toBe(true);
        if (entry && own)
          expect({ ...HEAD, opcode: entry.opcode }).toMatchObject({ index: own.index, kind: own.kind });
      }
    }),
    { numRuns: 40 },
  );
});

const isSame = (a: string | Uint8Array, b: string | Uint8Array): boolean =>
  typeof a === 'string' || typeof b === 'string' ? a === b : Buffer.compare(a, b) === 0;
