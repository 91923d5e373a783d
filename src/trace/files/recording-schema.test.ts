import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entryOf, entrySchema, plainEntryOf, recordOf } from './recording-schema.ts';
import { anyEntries } from './testing/recordings.ts';

/** What the schema makes of a value; null for one that it refuses. */
function bySchema(value: unknown) {
  const read = entrySchema.safeParse(value);
  if (!read.success) return null;
  const entry = entryOf(read.data, 0);
  return 'field' in entry ? null : entry;
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    '',
    'text',
    'binary',
    'out',
    'player',
    [],
    {},
    Number.POSITIVE_INFINITY,
    -1,
    0,
    0.5,
    1e16,
  ),
  fc.constantFrom<unknown>(
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(4096),
    'x'.repeat(4097),
    100_000,
    100_001,
  ),
  fc.constantFrom<unknown>('AAA=', 'A', '{"api_key":"sk-12345678"}'),
);
const FIELDS = [...Object.keys(entrySchema.shape), 'other'];
const change = fc.record({ field: fc.constantFrom(...FIELDS), value: odd });

it('an entry is read as by the schema, whatever its fields are', () => {
  fc.assert(
    fc.property(anyEntries, fc.array(change, { maxLength: 3 }), (entries, changes) => {
      for (const entry of entries) {
        const value = {
          ...recordOf(entry),
          ...Object.fromEntries(changes.map(({ field, value: of }) => [field, of])),
        };
        const plain = plainEntryOf(value, 0);
        if (plain) expect(plain).toEqual(bySchema(value));
      }
    }),
  );
});

it('an entry of the own writer needs no schema', () => {
  fc.assert(
    fc.property(anyEntries, (entries) => {
      for (const entry of entries) {
        expect(plainEntryOf(recordOf(entry), entry.index)).toEqual({
          ...bySchema(recordOf(entry)),
          index: entry.index,
        });
      }
    }),
  );
});
