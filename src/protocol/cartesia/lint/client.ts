import { addAll } from '#lib/collections/arrays.ts';
import { hasHalf } from '#lib/text/halves.ts';
import { type Fields, isFields } from '../../core/json-frame.ts';
import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { undocumentedFields } from '../../lint/message.ts';
import { CLIENT_FIELDS, DELIVERY_FIELDS, parseRequest } from '../wire/client-frames.ts';
import { isRetired, takesDelivery } from '../wire/models.ts';

import { EMOTIONS } from '../wire/settings.ts';
import type { Version } from '../wire/versions.ts';
import type { CartesiaRuleId } from './rules.ts';

/** First and last version of fields that not all versions have (G11, G13 to G15, G21 to G23). */
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

/** Reads a message and reports its faults, each once a connection: messages repeat settings. @returns null for no request */
export function readSentMessage(
  fields: Fields,
  at: LintMoment,
  findings: Findings<CartesiaRuleId>,
  version: Version | null,
): SentMessage | null {
  const { transcript, context_id: id, generation_config: delivery } = fields;
  const isCancel = fields.cancel === true;
  const unknown = undocumentedFields(fields, CLIENT_FIELDS);
  const isOther = fields.type !== undefined && transcript === undefined && !isCancel;
  if (isOther || !Object.keys(fields).some((name) => CLIENT_FIELDS.has(name))) {
    findings.report('not-a-request', at, `expected a request or a cancel, got ${unknown[0] ?? 'nothing'}`);
    return null;
  }
  const context = typeof id === 'string' && id !== '' ? id : null;
  const report = (rule: CartesiaRuleId, message: string, path: string) =>
    findings.once(rule, at, `${path}: ${message}`, { context, path }, `${rule} ${path}`);
  const parsed = parseRequest(fields, version);
  for (const issue of parsed.ok ? [] : parsed.issues) {
    const { path, found } = issue;
    const isMissing = found === 'nothing' && !path.includes('.');
    const rule = isMissing ? 'field-missing' : path === 'voice' ? 'voice-form' : 'client-shape';
    report(rule, `expected ${isMissing ? 'it in every message' : issue.expected}, got ${found}`, path);
  }
  if (isFields(delivery)) {
    addAll(
      unknown,
      undocumentedFields(delivery, DELIVERY_FIELDS).map((name) => `generation_config.${name}`),
    );
  }
  // The value may be a key under a wrong name, so the message must not contain it.
  for (const path of unknown) report('unknown-field', 'expected a documented field, got another', path);
  const message = {
    isCancel,
    context,
    text: typeof transcript === 'string' ? transcript : '',
    continues: fields.continue === true,
    flush: fields.flush === true,
    fields,
  };
  if (isCancel) return message;
  if (parsed.ok && context === null) report('context-absent', 'expected an id, got none', 'context_id');
  if (message.flush && !message.continues) {
    report('flush-without-continue', 'expected continue with it, got none', 'flush');
  }
  if (hasHalf(message.text))
    report('lone-surrogate', 'expected whole characters, got half of one', 'transcript');
  checkModel(fields, report);
  if (version !== null) checkVersion(fields, version, report);
  return message;
}

type Report = (rule: CartesiaRuleId, message: string, path: string) => void;

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
