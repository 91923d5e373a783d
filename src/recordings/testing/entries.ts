import fc from 'fast-check';
import type { NewEntry } from '#trace/entry.ts';

const base = {
  atUs: fc.nat({ max: 10_000_000 }),
  connection: fc.integer({ min: 1, max: 3 }),
  bytes: fc.nat(),
  kind: fc.constantFrom('audio', 'audio', 'audio', 'words', 'say', 'error', '__proto__'),
  turn: fc.option(fc.integer({ min: 0, max: 4 })),
  context: fc.option(fc.constantFrom('a', 'b', '', 'audio')),
  chunk: fc.option(fc.integer({ min: -1, max: 3 })),
  audioMs: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }).map((ms) => ms + 0)),
};

/** One entry, of whatever kind. */
export const anyEntry: fc.Arbitrary<NewEntry> = fc.oneof(
  fc.record({
    ...base,
    direction: fc.constantFrom<NewEntry['direction']>('in', 'in', 'out', 'connection', 'player'),
    opcode: fc.constantFrom<NewEntry['opcode']>('text', 'none'),
    // A frame has no lone surrogates: WebSocket text is UTF-8.
    payload: fc.string({ unit: 'grapheme', maxLength: 30 }),
  }),
  fc.record({
    ...base,
    direction: fc.constantFrom<NewEntry['direction']>('in', 'out'),
    opcode: fc.constant<NewEntry['opcode']>('binary'),
    payload: fc.uint8Array({ maxLength: 30 }).map((bytes) => new Uint8Array(bytes)),
  }),
);
