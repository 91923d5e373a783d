import { endOfString } from '#lib/json-limits.ts';
import type { Frame } from './frame.ts';
import { describeIssues, type Issue, issuesOf, type Parsed, shown } from './issue.ts';
import type { Setting } from './settings.ts';
import type { SpeechEvent, UnknownFields } from './speech-event.ts';
import { z } from './zod.ts';

/** Frames that are JSON objects: from their text to fields, and from fields to what a schema names. */

const MIB = 1024 * 1024;

/** Largest message of a client; a larger one is refused by closing with 1009 (wire-limit-1). */
export const MAX_MESSAGE_BYTES = MIB;

/**
 * Largest message of a server that is relayed and recorded. No vendor documents a limit. A sentence in one frame has
 * 0.3 MB, clients of such a vendor accept 16 MB, and a minute of base64 at 24 kHz has 3.8 MB.
 */
export const MAX_SERVER_MESSAGE_BYTES = 16 * MIB;

export type Fields = Readonly<Record<string, unknown>>;

/** A text that is no JSON object. */
interface NoObject {
  /** Names its kind and repeats nothing of it, because it may be a text to speak. */
  kind: string;
  /** A short excerpt. */
  excerpt: string;
}

interface LastText {
  text: string;
  read: { fields: Fields } | NoObject;
  /** It has no more than the levels and values of a client's message. */
  isBounded: boolean;
  /** Its fields as the last schema reads them; null before one has. */
  parsed: { schema: unknown; result: unknown } | null;
}

/**
 * The text that was read in this task. Linter, dialect and recorder each read the same frame, one right after the other, and
 * share what was read. A frame may have 16 MB, so it is kept no longer.
 */
let last: LastText | null = null;

function lastRead(text: string): LastText {
  if (last?.text === text) return last;
  if (last === null) queueMicrotask(forget);
  last = { text, read: parsedFields(text), isBounded: false, parsed: null };
  return last;
}

/** The fields of a text that was read in this task, as the linter does before the dialect; null for any other. */
export const fieldsReadOf = (text: string): Fields | null =>
  last?.text === text && 'fields' in last.read ? last.read.fields : null;

export const parseFields = (text: string): LastText['read'] => lastRead(text).read;

/** Validates fields by a schema. @param settings describe fields of them */
export function parseBy<S extends z.ZodMiniObject>(
  schema: S,
  fields: Fields,
  settings: readonly Setting[] = [],
): Parsed<z.output<S>> {
  const parsed = safeParse(schema, fields);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, issues: issuesOf(parsed.error, fields, settings) };
}

type SafeParsed<S extends z.ZodMiniObject> = z.core.util.SafeParseResult<z.output<S>>;

function safeParse<S extends z.ZodMiniObject>(schema: S, fields: Fields): SafeParsed<S> {
  const own = last && 'fields' in last.read && last.read.fields === fields ? last : null;
  if (own?.parsed?.schema === schema) return own.parsed.result as SafeParsed<S>;
  const result = schema.safeParse(fields);
  if (own) own.parsed = { schema, result };
  return result;
}

function forget(): void {
  last = null;
}

function parsedFields(text: string): { fields: Fields } | NoObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: text.trim() === '' ? 'nothing' : 'text that is no JSON', excerpt: shown(text) };
  }
  if (isFields(value)) return { fields: value };
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return { kind, excerpt: shown(value) };
}

/** More levels, and more values in a message, than any protocol has. What is beyond takes time to read and check. */
const MAX_LEVELS = 32;
const MAX_VALUES = 1000;

/** As {@link parseFields}, of text that a client sent: bounded before it is parsed. */
export function parseBounded(text: string, maxValues = MAX_VALUES): { fields: Fields } | NoObject {
  const excess = last?.text === text && last.isBounded ? null : excessOf(text, maxValues);
  if (excess === null) {
    const own = lastRead(text);
    own.isBounded ||= maxValues === MAX_VALUES;
    return own.read;
  }
  const kind = `JSON of more than ${excess}`;
  return { kind, excerpt: kind };
}

const [QUOTE, COMMA, ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Names the bound that JSON exceeds, by its brackets and commas outside of strings; null where it exceeds none. */
function excessOf(text: string, maxValues: number): string | null {
  let levels = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      const end = endOfString(text, at + 1);
      if (end < 0) return null;
      at = end;
    } else if (character === ARRAY || character === OBJECT) {
      levels += 1;
      values += 1;
    } else if (character === ARRAY_END || character === OBJECT_END) levels -= 1;
    else if (character === COMMA) values += 1;
    if (levels > MAX_LEVELS) return `${MAX_LEVELS} levels`;
    if (values > maxValues) return `${maxValues} values`;
  }
  return null;
}

/**
 * The fields of a frame; null for a frame that is no JSON object, which then means nothing.
 * @param parse {@link parseBounded} for messages of clients, as servers read them
 */
export function fieldsOf(frame: Frame, parse: typeof parseFields = parseFields): Fields | null {
  const read = typeof frame === 'string' ? parse(frame) : null;
  return read && 'fields' in read ? read.fields : null;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields without these names. */
export const without = (fields: Fields, names: ReadonlySet<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));

/**
 * Returns a check of one text message on its own: all issues of JSON or of `parse`, and for a valid message those of `more`.
 * The linter checks sequences.
 */
export const frameCheck =
  <T>(parse: (fields: Fields) => Parsed<T>, more: (message: T) => Issue[] = () => []) =>
  (text: string): Issue[] => {
    const read = parseBounded(text);
    if (!('fields' in read)) return [{ path: '', expected: 'a JSON object', found: read.kind }];
    const parsed = parse(read.fields);
    return parsed.ok ? more(parsed.value) : parsed.issues;
  };

/** Returns the inverse of `Dialect.encode` by the parser of a server. A frame that the server refuses has no intents. */
export const intentReader =
  <T, Intent>(parse: (fields: Fields) => Parsed<T>, intentsOf: (message: T) => Intent[]) =>
  (frame: Frame): Intent[] => {
    const fields = fieldsOf(frame, parseBounded);
    const parsed = fields && parse(fields);
    return parsed?.ok ? intentsOf(parsed.value) : [];
  };

export const malformed = (problem: string): SpeechEvent => ({ type: 'malformed', problem });

/** Fields that a schema does not name, as an event carries them. */
export interface WithUnknown {
  unknown?: UnknownFields;
}

/** Validates a frame and adds the fields that the schema does not name, so that later versions lose none. */
export function readFrame<S extends z.ZodMiniObject>(
  schema: S,
  fields: Fields,
): { frame: z.output<S>; rest: WithUnknown } | { problem: string } {
  const parsed = parseBy(schema, fields);
  if (!parsed.ok) return { problem: describeIssues(parsed.issues) };
  return { frame: parsed.value, rest: unknownOf(schema, fields) };
}

export function unknownOf(schema: z.ZodMiniObject, fields: Fields): WithUnknown {
  const { shape } = schema;
  // Every audio frame passes here, and nearly none has an unknown field.
  const names = Object.keys(fields).filter((field) => !Object.hasOwn(shape, field));
  return names.length === 0 ? {} : { unknown: Object.fromEntries(names.map((name) => [name, fields[name]])) };
}

/** Schemas of frames by their type. */
export type Frames = Readonly<Record<string, z.ZodMiniObject>>;

type Shapes = Readonly<Record<string, z.core.$ZodLooseShape>>;

/** Schemas by type, of the other fields. Fields of later versions are kept. */
export const typedFrames = <const S extends Shapes>(shapes: S) =>
  Object.fromEntries(
    Object.entries(shapes).map(([type, shape]) => [type, z.looseObject({ type: z.literal(type), ...shape })]),
  ) as unknown as {
    readonly [T in keyof S & string]: z.ZodMiniObject<{ type: z.ZodMiniLiteral<T> } & S[T], z.core.$loose>;
  };

/** Input of a schema without the index signature of loose objects, so that senders and templates have named fields only. */
export type Named<S extends z.ZodMiniType> = {
  [K in keyof z.input<S> as string extends K ? never : K]: z.input<S>[K];
};

/** Any of these frames, as its sender writes it. */
export type SentTyped<F extends Frames> = { [T in keyof F]: Named<F[T]> }[keyof F];

/** A frame of a known type, and the fields that its schema does not name. */
export type TypedFrame<F extends Frames> = {
  [T in keyof F]: { type: T; frame: z.output<F[T]>; rest: WithUnknown };
}[keyof F];

/** The schema of a type; undefined for an unknown one. */
export const schemaOf = <F extends Frames>(frames: F, type: unknown): F[keyof F] | undefined =>
  typeof type === 'string' && Object.hasOwn(frames, type) ? frames[type as keyof F] : undefined;

/** The issue of a frame whose type none of the schemas has. */
export const typeIssue = (frames: Frames, { type }: Fields): Issue => ({
  path: 'type',
  expected: `one of ${Object.keys(frames).join(', ')}`,
  found: shown(type),
});

/** Reads a frame by its `type`. @returns the event of one that is unknown or broken */
export function readTyped<F extends Frames>(
  frames: F,
  fields: Fields,
): TypedFrame<F> | { event: SpeechEvent } {
  const { type } = fields;
  const schema = schemaOf(frames, type);
  if (!schema) return { event: { type: 'unknown', frame: fields } };
  const read = readFrame(schema, fields);
  return 'problem' in read
    ? { event: malformed(read.problem) }
    : ({ type, ...read } as unknown as TypedFrame<F>);
}

/** Returns a validation of client messages by their `type`. @param settings describe fields of them */
export const parserOf =
  <F extends Frames>(frames: F, settings: readonly Setting[] = []) =>
  (fields: Fields): Parsed<z.output<F[keyof F]>> => {
    const schema = schemaOf(frames, fields.type);
    return schema ? parseBy(schema, fields, settings) : { ok: false, issues: [typeIssue(frames, fields)] };
  };

/** One kind of message that a side of an endpoint sends. */
export interface DescribedMessage {
  /** Of its JSON; null for samples in a binary message. */
  schema: z.ZodMiniType | null;
  /** The statement of the book about it. */
  anchor: string;
}

/** By name. */
export type DescribedMessages = Readonly<Record<string, DescribedMessage>>;

/** What both sides of a connection send. The same schemas read frames, and check them for the linter and the local server. */
export interface Exchange {
  client: DescribedMessages;
  server: DescribedMessages;
}

/** Frames with the statement about each. */
export const withAnchors = <F extends Frames>(frames: F, anchors: Readonly<Record<keyof F, string>>) =>
  Object.fromEntries(
    Object.entries(frames).map(([name, schema]) => [name, { schema, anchor: anchors[name as keyof F] }]),
  ) as unknown as Readonly<Record<keyof F, DescribedMessage>>;
