import fc from 'fast-check';
import { editedJson, type JsonEdit } from './json-tree.ts';

/** A WebSocket message. Bytes in a text message are not valid UTF-8. */
export interface WireMessage {
  payload: string | Uint8Array<ArrayBuffer>;
  isText: boolean;
}

/** A change of bytes. Places wrap around. */
export interface ByteDamage {
  kind: 'cut' | 'flip' | 'insert' | 'notUtf8';
  at: number;
  byte: number;
}

type Damage = ByteDamage | { kind: 'otherOpcode' };

/** All changes of one message of a conversation. `at` wraps around. */
export interface Patch {
  at: number;
  edits: readonly JsonEdit[];
  damage: Damage | null;
}

/** A change of the order of a conversation. Places wrap around. */
export interface Reorder {
  kind: 'drop' | 'repeat' | 'swap' | 'move';
  at: number;
  to: number;
}

const repeated = (text: string, counts: readonly number[]) =>
  fc.constantFrom(...counts).map((count) => text.repeat(count));

const nested = fc
  .tuple(fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"text":', '}]']), fc.constantFrom(5, 200, 20_000))
  .map(([[open = '', close = ''], depth]) => `${open.repeat(depth)}0${close.repeat(depth)}`);

/** Strings that parsers, terminals and speech engines treat specially. */
const ODD_STRINGS = [
  '',
  ' ',
  '\0',
  '\ud800',
  'a\udc00b',
  '\ufeff',
  '\u202eabc',
  '\u2028',
  'e\u0301\u0301\u0301',
  '👩‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  '\ue000\uf8ff',
  '<break time="9e9s"/><prosody rate="x">',
  '__proto__',
  'constructor',
  '0',
  'true',
  'null',
  'NaN',
  '../../etc/passwd',
  '%00%ff',
  'pcm_8000',
  'ulaw_8000',
  'audio',
  'x x',
];

/** Raw JSON text of a value that a field may not expect. */
const oddValue: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}', '""', '[[]]', '{"a":1}', '[null]'),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ...['0', '1', '-1', '0.5', '-0', '255', '65536', '2147483648', '9007199254740993', '1e308', '1e400'],
      ...['-1e400', '5e-324', '24000', '8000', '1071', '999999', '01', '+1', '.5', 'NaN', '0x10'],
    ),
  },
  { weight: 8, arbitrary: fc.constantFrom(...ODD_STRINGS).map((text) => JSON.stringify(text)) },
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: repeated('x', [300, 10_001, 70_000]).map((text) => `"${text}"`) },
  { weight: 1, arbitrary: repeated('😀 ', [40, 4000]).map((text) => `"${text}"`) },
  { weight: 1, arbitrary: repeated('0,', [3000]).map((text) => `[${text}0]`) },
  { weight: 1, arbitrary: nested },
);

const HOSTILE_KEYS = ['__proto__', 'constructor', 'toString', '', 'x', 'a'.repeat(300)];

const HOW = ['replace', 'remove', 'repeat', 'rename', 'add', 'wrap'] as const;

/** @param fields names that messages of the protocol have */
export const jsonEdits = (fields: readonly string[]): fc.Arbitrary<JsonEdit[]> =>
  fc.array(
    fc.record<JsonEdit>({
      place: fc.nat({ max: 40 }),
      how: fc.constantFrom('replace', 'replace', ...HOW),
      key: fc.constantFrom(...fields, ...HOSTILE_KEYS),
      raw: oddValue,
    }),
    { minLength: 1, maxLength: 3, size: 'max' },
  );

export const byteDamages: fc.Arbitrary<ByteDamage> = fc.record<ByteDamage>({
  kind: fc.constantFrom('cut', 'flip', 'insert', 'notUtf8'),
  at: fc.nat({ max: 100_000 }),
  byte: fc.nat({ max: 255 }),
});

const damages: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 6, arbitrary: byteDamages },
  { weight: 1, arbitrary: fc.constant<Damage>({ kind: 'otherOpcode' }) },
);

/** @param most of one conversation */
export const patches = (fields: readonly string[], most: number): fc.Arbitrary<Patch[]> =>
  fc.array(
    fc.record<Patch>({
      at: fc.nat({ max: 1000 }),
      edits: fc.oneof({ weight: 7, arbitrary: jsonEdits(fields) }, { weight: 1, arbitrary: fc.constant([]) }),
      damage: fc.option(damages, { freq: 7 }),
    }),
    { maxLength: most, size: 'max' },
  );

export const reorders: fc.Arbitrary<Reorder[]> = fc.array(
  fc.record<Reorder>({
    kind: fc.constantFrom('drop', 'repeat', 'swap', 'move'),
    at: fc.nat({ max: 1000 }),
    to: fc.nat({ max: 1000 }),
  }),
  { maxLength: 4, size: 'max' },
);

export function reordered<T>(items: readonly T[], changes: readonly Reorder[]): T[] {
  return changes.reduce<T[]>(
    (list, { kind, at: anyAt, to: anyTo }) => {
      const [at, to] = [anyAt % Math.max(1, list.length), anyTo % Math.max(1, list.length)];
      const [one, other] = [list[at], list[to]];
      if (one === undefined || other === undefined) return list;
      if (kind === 'drop') return list.toSpliced(at, 1);
      if (kind === 'repeat') return list.toSpliced(to, 0, one);
      if (kind === 'swap') return list.with(at, other).with(to, one);
      return list.toSpliced(at, 1).toSpliced(to, 0, one);
    },
    [...items],
  );
}

/** The messages of a conversation, some of them changed. */
export function patched(
  messages: readonly (string | Uint8Array<ArrayBuffer>)[],
  changes: readonly Patch[],
): WireMessage[] {
  const byPlace = new Map(changes.map((patch) => [patch.at % Math.max(1, messages.length), patch]));
  return messages.map((message, at) => {
    const patch = byPlace.get(at);
    const edited =
      patch && patch.edits.length > 0 && typeof message === 'string'
        ? editedJson(JSON.parse(message), patch.edits)
        : message;
    const whole: WireMessage = { payload: edited, isText: typeof edited === 'string' };
    return patch?.damage ? damaged(whole, patch.damage) : whole;
  });
}

function damaged({ payload, isText }: WireMessage, damage: Damage): WireMessage {
  const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
  if (damage.kind === 'otherOpcode') return textIfValid(bytes, !isText);
  return textIfValid(damagedBytes(bytes, damage), isText);
}

/** Changes bytes by the kind of damage. */
export function damagedBytes(
  bytes: Uint8Array<ArrayBuffer>,
  { kind, at: anyAt, byte }: ByteDamage,
): Uint8Array<ArrayBuffer> {
  const at = anyAt % Math.max(1, bytes.length);
  if (kind === 'cut' || bytes.length === 0) return bytes.slice(0, at);
  if (kind === 'flip') return bytes.with(at, (bytes[at] ?? 0) ^ (1 << (byte % 8)));
  const inserted = kind === 'insert' ? [byte] : [0xc3, 0x28, 0xed, 0xa0, 0x80];
  return new Uint8Array([...bytes.subarray(0, at), ...inserted, ...bytes.subarray(at)]);
}

function textIfValid(bytes: Uint8Array<ArrayBuffer>, isText: boolean): WireMessage {
  if (!isText) return { payload: bytes, isText };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { payload: text, isText };
  } catch {
    return { payload: bytes, isText };
  }
}

const SHOWN_CHARS = 300;

/** A message for people: its beginning, and its length where that is not all. */
export function shownMessage({ payload, isText }: WireMessage): string {
  const text = typeof payload === 'string' ? payload : Buffer.from(payload).toString('latin1');
  const kind = typeof payload === 'string' ? '' : isText ? 'not UTF-8: ' : 'binary: ';
  const quoted = JSON.stringify(text.slice(0, SHOWN_CHARS));
  return text.length <= SHOWN_CHARS ? kind + quoted : `${kind}${quoted}… (${text.length} characters)`;
}
