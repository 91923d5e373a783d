import type { Settings } from '../../core/endpoint.ts';
import { type Issue, issuesOf, type Parsed, shown } from '../../core/issue.ts';
import { type Fields, frameCheck, isFields } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import { DEFAULT_MODEL } from './models.ts';
import { DEFAULT_OUTPUT, ENCODINGS, SAMPLE_RATES } from './output-format.ts';
import {
  delayIssues,
  deliverySettings,
  deliveryShape,
  localeIssues,
  RESERVED_FIELDS,
  sessionShape,
  speakerShape,
} from './settings.ts';
import { type Version, versionTraits } from './versions.ts';

/** Messages of clients: requests and cancels, without a type (`facts-cartesia 2`). The same body goes to REST (H1, H2). */

/** Ids are repeated by every frame of a context. Ours: the vendor names no limit. */
const MAX_CONTEXT_ID_CHARS = 256;
/** Entries of a voice embedding (G3). */
const EMBEDDING_LENGTH = 192;

/** In which null is as good as absent (G12). */
const optional = <Shape extends Readonly<Record<string, z.ZodMiniType>>>(shape: Shape) =>
  Object.fromEntries(Object.entries(shape).map(([field, schema]) => [field, z.nullish(schema)])) as {
    [Field in keyof Shape]: z.ZodMiniOptional<z.ZodMiniNullable<Shape[Field]>>;
  };

const flag = z.nullish(z.boolean());

const raw = z.looseObject({
  container: z.literal('raw'),
  encoding: z.literal(ENCODINGS),
  sample_rate: z.literal(SAMPLE_RATES),
});

/** Of REST, which has files as well (H1). */
const anyFormat = z.looseObject({
  container: z.literal(['raw', 'wav', 'mp3']),
  encoding: z.nullish(z.literal(ENCODINGS)),
  sample_rate: z.literal(SAMPLE_RATES),
  bit_rate: z.nullish(z.int().check(z.gte(32_000), z.lte(192_000))),
});

const speech = z.looseObject({
  ...optional(sessionShape),
  ...optional(speakerShape),
  model_id: speakerShape.model_id,
  transcript: z.string(),
  // Read apart, because its form depends on the version.
  voice: z.unknown(),
  output_format: anyFormat,
  generation_config: z.nullish(z.looseObject(optional(deliveryShape))),
  // Of earlier versions, without effect here (G21, G22).
  duration: z.nullish(z.number()),
  speed: z.nullish(z.unknown()),
  use_original_timestamps: flag,
});

const request = z.extend(speech, {
  output_format: raw,
  context_id: z.nullish(z.string().check(z.minLength(1), z.maxLength(MAX_CONTEXT_ID_CHARS))),
  continue: flag,
  flush: flag,
  cancel: flag,
});

const cancel = z.looseObject({
  context_id: z.string().check(z.minLength(1), z.maxLength(MAX_CONTEXT_ID_CHARS)),
  cancel: z.literal(true),
});

/** The documented fields of messages. */
export const CLIENT_FIELDS: ReadonlySet<string> = new Set(Object.keys(request.shape));

/** Settings of a message, flat as the page has them. */
export type SpeechSettings = Settings &
  Partial<
    z.output<ReturnType<typeof settingsObject>> & {
      /** Absent for an embedding. */
      voice: string;
      encoding: (typeof ENCODINGS)[number];
      sample_rate: (typeof SAMPLE_RATES)[number];
    }
  >;

const settingsObject = () => z.object({ ...sessionShape, ...speakerShape, ...deliveryShape });

/** What to speak. */
export interface SpeechBody {
  transcript: string;
  settings: SpeechSettings;
  container: 'raw' | 'wav' | 'mp3';
  /** Of MP3; null where the body names none. */
  bitRate: number | null;
}

export interface Generation extends SpeechBody {
  kind: 'generation';
  /** Null where the message names none, which versions before 2026-03-01 take (O8). */
  context: string | null;
  /** More text of the context follows. */
  continues: boolean;
  flush: boolean;
}

export type Request = Generation | { kind: 'cancel'; context: string };

/**
 * Validates one message of the socket. Ignores unknown fields and nulls.
 * @param version of the connection; null takes the forms of all versions
 */
export function parseRequest(fields: Fields, version: Version | null): Parsed<Request> {
  if (fields.cancel === true) {
    const parsed = cancel.safeParse(fields);
    return parsed.success
      ? { ok: true, value: { kind: 'cancel', context: parsed.data.context_id } }
      : { ok: false, issues: issuesOf(parsed.error, fields) };
  }
  const parsed = request.safeParse(fields);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error, fields) };
  const { context_id: context = null, continue: continues, flush } = parsed.data;
  const read = readSpeech(parsed.data, version);
  if (!read.ok) return read;
  if (context === null && version !== null && versionTraits(version).needsContext) {
    return { ok: false, issues: [{ path: 'context_id', expected: 'the id of a context', found: 'nothing' }] };
  }
  const flags = { continues: continues === true, flush: flush === true };
  return { ok: true, value: { kind: 'generation', context, ...flags, ...read.value } };
}

/** Validates the body of a call that speaks (H1, H2). */
export function parseSpeech(fields: Fields, version: Version): Parsed<SpeechBody> {
  const parsed = speech.safeParse(fields);
  return parsed.success
    ? readSpeech(parsed.data, version)
    : { ok: false, issues: issuesOf(parsed.error, fields) };
}

/** Of any version, because a message does not name its own. */
export const frameIssues = frameCheck((fields) => parseRequest(fields, null));

function readSpeech(data: z.output<typeof speech>, version: Version | null): Parsed<SpeechBody> {
  const voice = readVoice(data.voice, version);
  const issues: Issue[] = [
    ...('issue' in voice ? [voice.issue] : []),
    ...(version === null ? [] : delayIssues(data.max_buffer_delay_ms, version)),
    ...(version === null || versionTraits(version).hasLocales ? localeIssues(data) : []),
  ];
  if (issues.length > 0 || 'issue' in voice) return { ok: false, issues };
  const { transcript, output_format: output, generation_config: delivery } = data;
  const { container, encoding, sample_rate, bit_rate: bitRate = null } = output;
  const own = [...Object.keys(sessionShape), ...Object.keys(speakerShape)].map((field) => [
    field,
    data[field],
  ]);
  const values = [
    ...own,
    ...Object.keys(deliveryShape).map((field) => [field, delivery?.[field]]),
    ['voice', voice.id],
    ['encoding', encoding],
    ['sample_rate', sample_rate],
  ].filter(([, value]) => value !== null && value !== undefined);
  return { ok: true, value: { transcript, settings: Object.fromEntries(values), container, bitRate } };
}

/** The id of a voice in the forms of a version; null for an embedding (G3). */
function readVoice(value: unknown, version: Version | null): { id: string | null } | { issue: Issue } {
  const { hasPlainVoice, hasEmbeddings } =
    version === null ? { hasPlainVoice: true, hasEmbeddings: true } : versionTraits(version);
  const { mode, id, embedding } = isFields(value) ? value : {};
  if (hasPlainVoice && typeof value === 'string' && value !== '') return { id: value };
  if ((hasPlainVoice || mode === 'id') && typeof id === 'string' && id !== '') return { id };
  if (hasEmbeddings && mode === 'embedding' && isEmbedding(embedding)) return { id: null };
  const expected = hasPlainVoice ? 'the id of a voice, or an object with it' : '{"mode":"id","id":"…"}';
  return { issue: { path: 'voice', expected, found: shown(value) } };
}

const isEmbedding = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length === EMBEDDING_LENGTH &&
  value.every((each) => typeof each === 'number');

const isDelivery = (field: string): boolean => deliverySettings.some((each) => each.field === field);

/** The fields of a message for flat settings, which every message repeats (K3). Unknown ones are in it, those of the address are not. */
export function requestSettings(settings: Settings, version: Version): Fields {
  const { voice, encoding, sample_rate, cartesia_version: _, ...others } = settings;
  const given = Object.entries(others).filter(
    ([field, value]) => value !== undefined && !RESERVED_FIELDS.includes(field),
  );
  const delivery = given.filter(([field]) => isDelivery(field));
  return {
    model_id: DEFAULT_MODEL,
    ...Object.fromEntries(given.filter(([field]) => !isDelivery(field))),
    ...(voice === undefined
      ? {}
      : { voice: versionTraits(version).hasPlainVoice ? { id: voice } : { mode: 'id', id: voice } }),
    output_format: {
      container: 'raw',
      encoding: encoding ?? DEFAULT_OUTPUT.encoding,
      sample_rate: sample_rate ?? DEFAULT_OUTPUT.sample_rate,
    },
    ...(delivery.length > 0 ? { generation_config: Object.fromEntries(delivery) } : {}),
  };
}
