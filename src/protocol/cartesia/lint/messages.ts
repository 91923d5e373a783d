import { addAll } from '#lib/collections/arrays.ts';
import { hasHalf } from '#lib/text/halves.ts';
import { describeIssue, shown } from '../../core/issue.ts';
import { type Fields, isFields, parseBy } from '../../core/json-frame.ts';
import type { Check } from '../../lint/check.ts';
import { reportNewFields, undocumentedFields } from '../../lint/message.ts';
import { base64Bytes } from '../../lint/payload.ts';
import { CLIENT_FIELDS, DELIVERY_FIELDS, parseRequest } from '../wire/client-frames.ts';
import {
  isServerFrameType,
  type ReadFrame,
  SERVER_FRAMES,
  type ServerFrameType,
  timesIn,
} from '../wire/server-frames.ts';
import {
  EMOTIONS,
  isRetired,
  isVersion,
  KEY_PARAMETER,
  TOKEN,
  takesDelivery,
  type Version,
  versionTraits,
} from '../wire/settings.ts';
import type { CartesiaRuleId } from './rules.ts';

/** Rules of addresses and of single messages. */

const VERSION = 'cartesia_version';
/** Sent by the SDK in a browser, which sets no header (cartesia-key-4). */
const BROWSER = 'cartesia_client';
const PARAMETERS: ReadonlySet<string> = new Set([VERSION, KEY_PARAMETER, TOKEN.name, BROWSER]);

/** Reads the address of a connection and reports its faults. @returns the version; null where a header may have it */
export function judgeAddress(address: string, check: Check<CartesiaRuleId>): Version | null {
  const query = Object.fromEntries(new URLSearchParams(address.split('?', 2)[1] ?? ''));
  if (/^(?:ws|http):\/\/api\.cartesia\.ai\//.test(address))
    check.report('plain-http', 'expected wss, got an address without TLS');
  for (const name of undocumentedFields(query, PARAMETERS)) {
    // The value may be a key.
    check.report('unknown-parameter', 'expected a documented parameter, got another', name);
  }
  if (query[KEY_PARAMETER] !== undefined)
    check.report('key-in-query', 'expected a token or a header, got a key', KEY_PARAMETER);
  const version = query[VERSION];
  if (isVersion(version)) return version;
  const mayHaveHeader = version === undefined && query[BROWSER] === undefined;
  if (version) check.report('version-unknown', `expected a published date, got ${shown(version)}`, VERSION);
  else if (!mayHaveHeader) check.report('version-missing', 'expected a date, got none', VERSION);
  return null;
}

/** First and last version of fields that not all versions have. */
const VERSIONS_OF: Readonly<Record<string, readonly [Version, Version]>> = {
  duration: ['2024-06-10', '2026-03-01'],
  speed: ['2024-06-10', '2026-03-01'],
  use_original_timestamps: ['2024-06-10', '2026-03-01'],
  'voice.__experimental_controls': ['2024-06-10', '2024-11-13'],
  locale: ['2026-08-14', '2026-08-14'],
  accent: ['2026-08-14', '2026-08-14'],
  normalization: ['2026-08-14', '2026-08-14'],
};

/** A message. Wrong fields are absent. */
export interface SentMessage {
  isCancel: boolean;
  context: string | null;
  text: string;
  continues: boolean;
  flush: boolean;
  /** All of it. */
  fields: Fields;
}

type Report = (rule: CartesiaRuleId, message: string, field: string) => void;

/** Reads a message and reports its faults, each once a connection: messages repeat settings. @returns null for no request */
export function readSentMessage(
  fields: Fields,
  check: Check<CartesiaRuleId>,
  version: Version | null,
): SentMessage | null {
  const { transcript, context_id: id, generation_config: delivery } = fields;
  const isCancel = fields.cancel === true;
  const unknown = undocumentedFields(fields, CLIENT_FIELDS);
  const isOther = fields.type !== undefined && transcript === undefined && !isCancel;
  if (isOther || !Object.keys(fields).some((name) => CLIENT_FIELDS.has(name))) {
    check.report('not-a-request', `expected a request or a cancel, got ${unknown[0] ?? 'nothing'}`);
    return null;
  }
  const context = typeof id === 'string' && id !== '' ? id : null;
  const report: Report = (rule, message, field) =>
    check.once(rule, message, { context, field }, `${rule} ${field}`);
  const parsed = parseRequest(fields, version);
  for (const { path, expected, found } of parsed.ok ? [] : parsed.issues) {
    const isMissing = found === 'nothing' && !path.includes('.');
    const rule = isMissing ? 'field-missing' : path === 'voice' ? 'voice-form' : 'client-shape';
    report(rule, `expected ${isMissing ? 'it in every message' : expected}, got ${found}`, path);
  }
  if (isFields(delivery)) {
    addAll(
      unknown,
      undocumentedFields(delivery, DELIVERY_FIELDS).map((name) => `generation_config.${name}`),
    );
  }
  // The value may be a key under a wrong name, so the message must not contain it.
  for (const path of unknown) report('unknown-field', 'expected a documented field, got another', path);
  const text = typeof transcript === 'string' ? transcript : '';
  const [continues, flush] = [fields.continue === true, fields.flush === true];
  if (!isCancel) {
    if (parsed.ok && context === null) report('context-absent', 'expected an id, got none', 'context_id');
    if (flush && !continues) report('flush-without-continue', 'expected continue with it, got none', 'flush');
    if (hasHalf(text)) report('lone-surrogate', 'expected whole characters, got half of one', 'transcript');
    checkModel(fields, report);
    if (version !== null) checkVersion(fields, version, report);
  }
  return { isCancel, context, text, continues, flush, fields };
}

function checkModel({ model_id: model, ...fields }: Fields, report: Report): void {
  if (typeof model !== 'string') return;
  if (isRetired(model)) report('model-retired', `expected a model in service, got ${model}`, 'model_id');
  const ignored = ['generation_config', 'pronunciation_dict_id'].find((name) => fields[name]);
  if (ignored && !takesDelivery(model))
    report('delivery-ignored', `expected sonic-3 or later, got ${model}`, ignored);
}

function checkVersion(fields: Fields, version: Version, report: Report): void {
  const { voice, generation_config: delivery } = fields;
  const emotion = isFields(delivery) ? delivery.emotion : undefined;
  if (version === '2026-08-14' && typeof emotion === 'string' && !EMOTIONS.includes(emotion)) {
    report('emotion-unknown', 'expected a documented name, got another', 'generation_config.emotion');
  }
  for (const [path, [first, last]] of Object.entries(VERSIONS_OF)) {
    const [name = '', key] = path.split('.');
    const value = key === undefined ? fields[name] : isFields(voice) && voice[key];
    if (!value || (version >= first && version <= last)) continue;
    report('field-of-version', `expected a version from ${first} to ${last}, got ${version}`, path);
  }
}

/** Keys that strict clients need besides type, context and those that a schema requires (cartesia-message-36). */
const REQUIRED: Readonly<Record<ServerFrameType, readonly string[]>> = {
  chunk: ['data', 'done', 'status_code', 'step_time'],
  timestamps: ['done', 'status_code', 'word_timestamps'],
  phoneme_timestamps: ['done', 'status_code', 'phoneme_timestamps'],
  flush_done: ['done', 'status_code', 'flush_done', 'flush_id'],
  done: ['done', 'status_code'],
  error: ['status_code'],
};
const MAX_ISSUES = 8;

/** A frame. Wrong fields are null. */
export interface ReceivedFrame {
  type: ServerFrameType;
  context: string | null;
  status: number | null;
  /** Of its audio. */
  bytes: number | null;
  /** Of words or phonemes. */
  times: ReturnType<typeof timesIn>;
}

/** Reads a server frame and reports its faults. @returns null for an unreadable one */
export function readReceivedFrame(
  fields: Fields,
  check: Check<CartesiaRuleId>,
  version: Version | null,
): ReceivedFrame | null {
  const { type, context_id: id, data, status_code: status } = fields;
  const context = typeof id === 'string' ? id : null;
  // A conversion of deeply nested arrays to a string overflows the stack.
  const name = typeof type === 'string' ? type : '';
  const report: Report = (rule, message, path) =>
    check.once(rule, message, { context, path }, `${rule} ${name} ${path}`);
  const expect = (rule: CartesiaRuleId, path: string) => report(rule, `${path}: expected it, got none`, path);
  if (typeof type !== 'string') expect('frame-unnamed', 'type');
  else if (context === null && type !== 'error') expect('frame-unnamed', 'context_id');
  if (!isServerFrameType(type)) {
    if (typeof type === 'string')
      report('unknown-kind', `expected a documented type, got ${name.slice(0, 40)}`, 'type');
    return null;
  }
  const schema = SERVER_FRAMES[type];
  reportNewFields(type, fields, (field) => Object.hasOwn(schema.shape, field), check);
  const absent = REQUIRED[type].filter((key) => fields[key] === undefined || fields[key] === null);
  for (const key of absent) expect('keys-missing', key);
  const parsed = parseBy<(typeof SERVER_FRAMES)[ServerFrameType]>(schema, fields);
  for (const issue of parsed.ok ? [] : parsed.issues.slice(0, MAX_ISSUES)) {
    if ([...absent, 'context_id'].includes(issue.path)) continue;
    report('server-shape', describeIssue(issue), issue.path);
  }
  const base64 = type === 'chunk' && typeof data === 'string' ? data : null;
  const bytes = base64 === null ? null : base64Bytes(base64);
  if (base64 !== null && bytes === null)
    report('server-shape', 'data: expected base64, got something else', 'data');
  if (type === 'error') {
    const isOld = typeof fields.error === 'string';
    const isStructured = typeof fields.title === 'string' && typeof fields.message === 'string';
    const needsStructure = version === null ? !isOld : versionTraits(version).hasStructuredErrors;
    if (!(needsStructure ? isStructured : isOld)) expect('error-shape', needsStructure ? 'title' : 'error');
  }
  const times = parsed.ok ? timesIn({ type, frame: parsed.value, rest: {} } as ReadFrame) : null;
  return { type, context, status: typeof status === 'number' ? status : null, bytes, times };
}
