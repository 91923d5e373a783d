import { wordList } from '#lib/word-list.ts';
import { readAddress } from '../../core/address.ts';
import { AUDIO_ENCODINGS } from '../../core/audio-format.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import { type Issue, shown } from '../../core/issue.ts';
import { type Fields, isFields, without } from '../../core/json-frame.ts';
import type { Check } from '../../lint/check.ts';
import {
  audioBytes,
  reportHalf,
  reportIssues,
  reportNewFields,
  undocumentedFields,
} from '../../lint/message.ts';
import {
  CLIENT_FIELDS,
  type ClientMessage,
  parseMultiMessage,
  parseStreamMessage,
} from '../wire/client-frames.ts';
import { type ReadFrame, readFields } from '../wire/decode.ts';
import { audioFormatOf, DELIVERY_SETTINGS, idleMsOf, isDialogueModel } from '../wire/settings.ts';
import type { ElevenLabsRuleId } from './rules.ts';

/** Rules of addresses and of single messages. */

/** Parameters beside the settings of the page. */
const OTHERS = wordList('authorization single_use_token optimize_streaming_latency');
/** Other values of the rest may come with later models and formats. */
const BOUNDED: ReadonlySet<string> = new Set(wordList('inactivity_timeout seed apply_text_normalization'));
const DELIVERY: ReadonlySet<string> = new Set(DELIVERY_SETTINGS.map(({ field }) => field));
const KEYS = wordList('audio isFinal normalizedAlignment alignment');

/** The part of an address that decides which rules hold. */
export interface AddressTraits {
  isAuto: boolean;
  isSynced: boolean;
  idleUs: number;
  /** Null for compressed audio. */
  bytesPerMs: number | null;
}

/** Reads the address of a connection and reports its faults. @returns null for that of another endpoint */
export function judgeAddress(
  endpoint: Endpoint,
  address: string,
  check: Check<ElevenLabsRuleId>,
): AddressTraits | null {
  const settings = readAddress(endpoint, address)?.settings;
  if (!settings) return null;
  const query = Object.fromEntries(new URLSearchParams(address.split('?', 2)[1] ?? ''));
  const known = endpoint.settings.flatMap(({ field, place }) => (place === 'query' ? [field] : []));
  for (const name of undocumentedFields(query, new Set([...known, ...OTHERS]))) {
    // The value may be a key.
    check.report('unknown-parameter', 'expected a documented parameter, got another', name);
  }
  const issues = endpoint.checkSettings(settings).filter(({ path }) => BOUNDED.has(path));
  reportIssues('out-of-range', issues, check);
  const { model_id: model, output_format: format } = settings;
  if (typeof model === 'string' && isDialogueModel(model))
    check.report('model-refused', `expected a model of v2 or v2.5, got ${shown(model)}`, 'model_id');
  if (format === undefined) check.report('format-missing', 'expected a format, got nothing', 'output_format');
  const { encoding, sampleRate } = audioFormatOf(settings);
  const { bytesPerSample } = AUDIO_ENCODINGS[encoding];
  return {
    isAuto: isOn(settings.auto_mode),
    isSynced: isOn(settings.sync_alignment),
    idleUs: idleMsOf(settings) * 1000,
    bytesPerMs: bytesPerSample === null ? null : (bytesPerSample * sampleRate) / 1000,
  };
}

const isOn = (value: unknown): boolean => String(value).toLowerCase() === 'true';

/** A number in one of the objects of settings. */
const isBeyond = ({ path, found }: Issue): boolean => path.includes('.') && /^-?\d/.test(found);

/** Reads a message without its wrong fields, which are reported. @returns null for one that has no fields */
export function readSentMessage(
  fields: Fields,
  check: Check<ElevenLabsRuleId>,
  isMulti: boolean,
): ClientMessage | null {
  const parse = isMulti ? parseMultiMessage : parseStreamMessage;
  let parsed = parse(fields);
  if (!parsed.ok) {
    const { issues } = parsed;
    for (const one of issues) reportIssues(isBeyond(one) ? 'out-of-range' : 'client-shape', [one], check);
    parsed = parse(without(fields, new Set(issues.map(({ path }) => path.split('.', 1)[0] ?? ''))));
  }
  const { voice_settings: nested } = fields;
  const unknown = [
    ...undocumentedFields(fields, isMulti ? CLIENT_FIELDS.multi : CLIENT_FIELDS.stream),
    ...(isFields(nested) ? undocumentedFields(nested, DELIVERY).map((name) => `voice_settings.${name}`) : []),
  ];
  for (const name of unknown) {
    // The value may be a key under a wrong name, so the message must not contain it.
    check.once('unknown-field', 'expected a documented field, got another', name, `field ${name}`);
  }
  if (!parsed.ok) return null;
  reportHalf(parsed.value.text ?? '', 'text', check);
  return parsed.value;
}

export type SpeechFrame = Extract<ReadFrame, { kind: 'speech' }> & {
  /** Of its audio; null without any. */
  bytes: number | null;
};
export type ErrorFrame = Extract<ReadFrame, { kind: 'error' }>;

/** Reads a server frame and reports its faults. @returns null for an unreadable one */
export function readReceivedFrame(
  fields: Fields,
  check: Check<ElevenLabsRuleId>,
): SpeechFrame | ErrorFrame | null {
  const read = readFields(fields);
  if (read.kind === 'other') {
    const names = Object.keys(fields).slice(0, 5).join(', ') || 'none';
    if (read.event.type === 'malformed') check.report('server-shape', read.event.problem);
    else check.report('unknown-kind', `expected audio, isFinal or error, got ${names}`);
    return null;
  }
  reportNewFields(read.kind, read.rest.unknown ?? {}, () => false, check);
  if (read.kind === 'error') return read;
  const { context, base64, problems } = read;
  const absent = KEYS.filter((key) => !Object.hasOwn(fields, key)).join(', ');
  if (absent !== '') check.once('keys-missing', `expected ${KEYS.join(', ')}, got no ${absent}`);
  for (const event of problems) {
    if (event.type !== 'malformed') continue;
    const [path = ''] = event.problem.split(':', 1);
    check.report('alignment-shape', event.problem, { context, path });
  }
  return { ...read, bytes: audioBytes(base64, 'audio', check.in(context)) };
}
