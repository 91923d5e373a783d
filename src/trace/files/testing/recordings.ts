import fc from 'fast-check';
import type { RecordEntry, RecordingInfo } from '../../entry.ts';
import { type ReadLimits, type RecordingEnd, RecordingReader } from '../recording-file.ts';

/** Recordings of any kind: what a test of files turns out and takes in again. */

const ADDRESS = 'wss://host.example/kugel/ws/tts/stream';

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

/** Any characters at all, also halves of surrogate pairs, NUL and line ends. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('\ud800', '\udc00', '\0', '\n', '\r', '\u2028', '"', '\\', 'ü', '{'),
    maxLength: 12,
  }),
  fc.constantFrom('{"text":"Hello."}', '{"__proto__":{"x":1}}', '<script>alert(1)</script>'),
);

type Loose = Omit<RecordEntry, 'index' | 'atUs' | 'bytes'> & { gapUs: number };

const notes = {
  gapUs: fc.nat(2_000_000),
  connection: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom('audio', 'words', 'say', 'open', 'closed', '__proto__', 'unknown'),
  turn: nullable(fc.integer({ min: 1, max: 9 })),
  context: nullable(fc.oneof(anyText, fc.constantFrom('narrator', '__proto__', 'constructor', ''))),
  chunk: nullable(fc.nat(50)),
  audioMs: nullable(fc.double({ min: 0, max: 60_000, noNaN: true }).map((ms) => ms + 0)),
};

const message = fc.oneof(
  fc.record<Loose>({
    ...notes,
    direction: fc.constantFrom('out', 'in'),
    opcode: fc.constant('text'),
    payload: anyText,
  }),
  fc.record<Loose>({
    ...notes,
    direction: fc.constantFrom('out', 'in'),
    opcode: fc.constant('binary'),
    payload: fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(bytes)),
  }),
);

const event = fc.record<Loose>({
  ...notes,
  direction: fc.constant('connection'),
  opcode: fc.constant('none'),
  payload: fc.constantFrom('{"address":"wss://host.example/kugel"}', '{"code":1006,"reason":""}', ''),
});

const span = fc.record({ sample: fc.nat(), count: fc.nat(), atUs: fc.integer() });

/** What the player tells of a turn that it has done with. */
const playerEvent = fc.record<Loose>({
  ...notes,
  kind: fc.constant('heard'),
  direction: fc.constant('player'),
  opcode: fc.constant('none'),
  payload: fc
    .record({
      sampleRate: nullable(fc.constantFrom(8000, 24_000)),
      samples: fc.nat(),
      spans: fc.array(span, { maxLength: 4 }),
      dropped: nullable(fc.record({ sample: fc.nat(), atUs: fc.integer(), why: fc.constant('cancel') })),
    })
    .map((heard) => JSON.stringify(heard)),
});

export const anyEntries: fc.Arbitrary<RecordEntry[]> = fc
  .array(fc.oneof({ weight: 4, arbitrary: message }, event, playerEvent), { maxLength: 30 })
  .map(entriesOf);

export function entriesOf(loose: readonly Loose[]): RecordEntry[] {
  let atUs = 0;
  return loose.map(({ gapUs, ...entry }, index) => {
    atUs += gapUs;
    const bytes =
      typeof entry.payload === 'string'
        ? new TextEncoder().encode(entry.payload).length
        : entry.payload.length;
    return { index, atUs, bytes, ...entry };
  });
}

/** The info of a recording with these entries. */
export const infoOf = (
  entries: readonly RecordEntry[],
  more: Partial<RecordingInfo> = {},
): RecordingInfo => ({
  id: 'r1',
  name: 'A "name" <b>in</b> ünïcode',
  endpoint: 'kugel-stream',
  address: ADDRESS,
  startedAtMs: 1_790_000_000_123.25,
  durationUs: (entries.at(-1)?.atUs ?? 0) + 1_500_000,
  entries: entries.length,
  bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
  pinned: false,
  ...more,
});

/** Everything that an asynchronous writer gives, as one text. */
export async function joinedText(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

/** Reads the parts of a file, and yields entries in batches. Returns its end. @throws ImportError */
export async function* readRecording(
  parts: Iterable<string> | AsyncIterable<string>,
  limits: Partial<ReadLimits> = {},
): AsyncGenerator<RecordEntry[], RecordingEnd, undefined> {
  const reader = new RecordingReader(limits);
  for await (const part of parts) {
    const entries = reader.push(part);
    if (entries.length > 0) yield entries;
  }
  const { entries, info, warnings } = reader.finish();
  if (entries.length > 0) yield entries;
  return { info, warnings };
}
