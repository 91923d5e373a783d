import { withoutNamedSecrets } from '../format/named-secrets.ts';
import type { RecordEntry } from '../format/record.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import type { EntryRecord } from './recording-schema.ts';

/** An entry as files carry it: without its index, which its place says, and without what is null. */
export function recordOf(entry: RecordEntry): EntryRecord {
  return {
    atUs: entry.atUs,
    direction: entry.direction,
    connection: entry.connection,
    opcode: entry.opcode,
    ...notesOf(entry),
    ...(typeof entry.payload === 'string'
      ? { text: entry.payload }
      : { base64: encodeBase64(entry.payload) }),
  };
}

/** The part of it that says what it is. */
export const notesOf = (entry: RecordEntry) => ({
  bytes: entry.bytes,
  kind: entry.kind,
  ...(entry.turn === null ? {} : { turn: entry.turn }),
  ...(entry.context === null ? {} : { context: entry.context }),
  ...(entry.chunk === null ? {} : { chunk: entry.chunk }),
  ...(entry.audioMs === null ? {} : { audioMs: entry.audioMs }),
});

/** What is wrong with a record that fits the schema. */
export interface RecordProblem {
  field: 'text' | 'base64';
  expected: string;
  found: string;
}

/** The entry back again, cleaned of secrets that have a name. */
export function entryOf(record: EntryRecord, index: number): RecordEntry | RecordProblem {
  const payload = payloadOf(record);
  if (typeof payload === 'object' && 'field' in payload) return payload;
  return {
    index,
    atUs: record.atUs,
    direction: record.direction,
    connection: record.connection,
    opcode: record.opcode,
    bytes: record.bytes,
    kind: record.kind,
    turn: record.turn ?? null,
    context: record.context ?? null,
    chunk: record.chunk ?? null,
    audioMs: record.audioMs ?? null,
    payload,
  };
}

function payloadOf({ opcode, text, base64 }: EntryRecord): RecordEntry['payload'] | RecordProblem {
  if (opcode !== 'binary') {
    if (base64 !== undefined)
      return { field: 'base64', expected: `no bytes with opcode ${opcode}`, found: 'some' };
    if (text === undefined) return { field: 'text', expected: 'the payload as a string', found: 'nothing' };
    return withoutNamedSecrets(text);
  }
  if (text !== undefined) return { field: 'text', expected: 'no text with opcode binary', found: 'some' };
  if (base64 === undefined) return { field: 'base64', expected: 'the payload in base64', found: 'nothing' };
  const decoded = decodeBase64(base64);
  return 'problem' in decoded
    ? { field: 'base64', expected: 'base64', found: `something else (${decoded.problem})` }
    : decoded.bytes;
}
