import type { Settings } from '../../core/endpoint.ts';
import { type Issue, type Parsed, shown } from '../../core/issue.ts';
import { type Fields, frameCheck, isFields, parseBy } from '../../core/json-frame.ts';
import { nullable } from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import {
  DEFAULT_MODEL,
  DEFAULT_OUTPUT,
  delayIssues,
  deliveryShape,
  ENCODINGS,
  formatShape,
  localeIssues,
  RESERVED_FIELDS,
  sessionShape,
  speakerShape,
  type Version,
  versionTraits,
  voiceShape,
} from './settings.ts';

/** Messages of clients: requests and cancels, without a type. The same body goes to REST. */

/** Entries of a voice embedding (cartesia-message-3). */
const EMBEDDING_LENGTH = 192;

/** Settings at the top level of a message. `voice` is read apart, because its form depends on the version. */
const topShape = { ...sessionShape, ...speakerShape };

const flag = z.nullish(z.boolean());
/** Ids are repeated by every frame of a context. The vendor names no limit (cartesia-limit-7). */
const MAX_CONTEXT_ID_CHARS = 256;
const contextId = z.string().check(z.minLength(1), z.maxLength(MAX_CONTEXT_ID_CHARS));

/** The context that a message names, also a message that is wrong; null for none, and for what is no id. */
export const namedContext = ({ context_id: id }: Fields): string | null =>
  contextId.safeParse(id).data ?? null;

/** Null is as good as absent (cartesia-message-27). */
const speech = z.looseObject({
  ...nullable(topShape),
  model_id: topShape.model_id,
  transcript: z.string(),
  voice: z.optional(z.unknown()),
  // REST has files as well.
  output_format: z.looseObject({
    container: z.literal(['raw', 'wav', 'mp3']),
    // Of earlier versions, beside a container that has no other.
    encoding: z.nullish(z.union([formatShape.encoding, z.literal('mp3')])),
    sample_rate: formatShape.sample_rate,
    bit_rate: z.nullish(z.int().check(z.gte(32_000), z.lte(192_000))),
  }),
  generation_config: z.nullish(z.looseObject(nullable(deliveryShape))),
  // Of earlier versions, without effect here.
  duration: z.nullish(z.number()),
  speed: z.nullish(z.unknown()),
  use_original_timestamps: flag,
  // Also in the body of events, whose frames repeat it.
  context_id: z.nullish(z.string().check(z.maxLength(MAX_CONTEXT_ID_CHARS))),
});

export const requestMessage = z.extend(speech, {
  output_format: z.looseObject({ container: z.literal('raw'), ...formatShape }),
  context_id: z.nullish(contextId),
  continue: flag,
  flush: flag,
  cancel: flag,
});

export const cancelMessage = z.looseObject({ context_id: contextId, cancel: z.literal(true) });

/** The documented fields of messages, and those of `generation_config`. */
export const CLIENT_FIELDS: ReadonlySet<string> = new Set(Object.keys(requestMessage.shape));
export const DELIVERY_FIELDS: ReadonlySet<string> = new Set(Object.keys(deliveryShape));

const flatSettings = z.partial(z.object({ ...voiceShape, ...formatShape, ...topShape, ...deliveryShape }));

/** A text with its settings. */
export interface SpeechBody {
  transcript: string;
  /** Null where the message names none, which versions before 2026-03-01 take (cartesia-context-11). */
  context: string | null;
  /** Flat, as the page has them. An embedding is no voice. */
  settings: z.output<typeof flatSettings>;
  container: 'raw' | 'wav' | 'mp3';
  /** Of MP3; null where the body names none. */
  bitRate: number | null;
}

export interface Generation extends SpeechBody {
  kind: 'generation';
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
    const parsed = parseBy(cancelMessage, fields);
    return parsed.ok ? { ok: true, value: { kind: 'cancel', context: parsed.value.context_id } } : parsed;
  }
  const parsed = parseBy(requestMessage, fields);
  if (!parsed.ok) return parsed;
  const body = readBody(parsed.value, version);
  if (!body.ok) return body;
  const { continue: continues, flush } = parsed.value;
  if (body.value.context === null && version !== null && versionTraits(version).needsContext) {
    return { ok: false, issues: [{ path: 'context_id', expected: 'the id of a context', found: 'nothing' }] };
  }
  const flags = { continues: continues === true, flush: flush === true };
  return { ok: true, value: { kind: 'generation', ...flags, ...body.value } };
}

/** Validates the body of a call that speaks. */
export function parseSpeech(fields: Fields, version: Version): Parsed<SpeechBody> {
  const parsed = parseBy(speech, fields);
  return parsed.ok ? readBody(parsed.value, version) : parsed;
}

/** Of any version, because a message does not name its own. */
export const frameIssues = frameCheck((fields) => parseRequest(fields, null));

const MP3_IS_A_CONTAINER: Issue = {
  path: 'output_format.encoding',
  expected: `one of ${ENCODINGS.join(', ')} in another container than mp3`,
  found: '"mp3"',
};

function readBody(data: z.output<typeof speech>, version: Version | null): Parsed<SpeechBody> {
  const { transcript, context_id: context = null, output_format: output, generation_config: delivery } = data;
  const { voice, issue } = readVoice(data.voice, version);
  const issues: Issue[] = [
    ...(issue ? [issue] : []),
    ...(output.encoding === 'mp3' && output.container !== 'mp3' ? [MP3_IS_A_CONTAINER] : []),
    ...(version === null ? [] : delayIssues(data.max_buffer_delay_ms, version)),
    ...(version === null || versionTraits(version).hasLocales ? localeIssues(data) : []),
  ];
  if (issues.length > 0) return { ok: false, issues };
  const settings = {
    ...given(data, topShape),
    ...given(delivery ?? {}, deliveryShape),
    ...given(output.encoding === 'mp3' ? { ...output, encoding: null } : output, formatShape),
    ...given({ voice }, voiceShape),
  };
  const { container, bit_rate: bitRate = null } = output;
  return { ok: true, value: { transcript, context, settings, container, bitRate } };
}

/** The fields of a shape that have values. */
const given = (values: Fields, shape: object): Fields =>
  Object.fromEntries(
    Object.keys(shape).flatMap((field) => (values[field] == null ? [] : [[field, values[field]]])),
  );

/** A voice in the forms of a version; none for an embedding. */
function readVoice(value: unknown, version: Version | null): { voice?: string; issue?: Issue } {
  const { hasPlainVoice, hasEmbeddings } =
    version === null ? { hasPlainVoice: true, hasEmbeddings: true } : versionTraits(version);
  const { mode, id, embedding } = isFields(value) ? value : { id: hasPlainVoice ? value : null };
  if ((hasPlainVoice || mode === 'id') && typeof id === 'string' && id !== '') return { voice: id };
  if (hasEmbeddings && mode === 'embedding' && EMBEDDING.safeParse(embedding).success) return {};
  const expected = hasPlainVoice ? 'the id of a voice, or an object with it' : '{"mode":"id","id":"…"}';
  return { issue: { path: 'voice', expected, found: shown(value) } };
}

const EMBEDDING = z.array(z.number()).check(z.length(EMBEDDING_LENGTH));

/** The fields of a message for flat settings, which every message repeats. Unknown ones are in it, those of the address are not. */
export function requestSettings(settings: Settings, version: Version): Fields {
  const { voice, encoding, sample_rate, cartesia_version: _, ...others } = settings;
  const delivery = given(settings, deliveryShape);
  const top = Object.entries(others).filter(
    ([field, value]) =>
      value !== undefined && !RESERVED_FIELDS.includes(field) && !DELIVERY_FIELDS.has(field),
  );
  return {
    model_id: DEFAULT_MODEL,
    ...Object.fromEntries(top),
    ...(voice === undefined
      ? {}
      : { voice: versionTraits(version).hasPlainVoice ? { id: voice } : { mode: 'id', id: voice } }),
    output_format: { container: 'raw', ...DEFAULT_OUTPUT, ...given({ encoding, sample_rate }, formatShape) },
    ...(Object.keys(delivery).length > 0 ? { generation_config: delivery } : {}),
  };
}
