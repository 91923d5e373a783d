import { wordList } from '#lib/word-list.ts';
import { readAddress } from '../../core/address.ts';
import { AUDIO_ENCODINGS } from '../../core/audio-format.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import { shown } from '../../core/issue.ts';
import type { Fields } from '../../core/json-frame.ts';
import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { reportIssues, undocumentedFields } from '../../lint/message.ts';
import { type Family, familyOf } from '../wire/models.ts';
import { speedFault } from '../wire/settings.ts';
import type { CommonRuleId } from './rules.ts';

/** Other programs and vendors name it so. */
const KEY_NAMES = wordList('token key api_key apikey access_token authorization bearer');

/** Reports names of fields that the server does not know. Their values may be keys, so no message has them. */
export function reportUnknown(
  id: 'unknown-parameter' | 'unknown-field',
  fields: Fields,
  known: readonly string[],
  at: LintMoment,
  findings: Findings<CommonRuleId>,
): void {
  for (const name of undocumentedFields(fields, new Set(known))) {
    const isKey = KEY_NAMES.some((each) => each === name.toLowerCase());
    const message = isKey ? 'expected it elsewhere, got it here' : 'expected a documented name, got another';
    findings.once(isKey ? 'key-misplaced' : id, at, message, name, `field ${name}`);
  }
}

/** Reads the address of a connection and reports its faults. */
export function judgeAddress(
  endpoint: Endpoint,
  family: Family,
  address: string,
  at: LintMoment,
  findings: Findings<CommonRuleId>,
): void {
  const settings = readAddress(endpoint, address)?.settings;
  if (!settings) return;
  const query = Object.fromEntries(new URLSearchParams(address.split('?', 2)[1] ?? ''));
  const known = endpoint.settings.map(({ field }) => field);
  reportUnknown('unknown-parameter', query, known, at, findings);
  const { model, speed, sample_rate: rate } = query;
  const report = (id: CommonRuleId, field: string, expected: string, found: string | undefined) =>
    findings.report(id, at, `expected ${expected}, got ${shown(found || undefined)}`, field);
  const given = model && familyOf(model);
  if (given && given !== family) report('model-family', 'model', `a model of ${family}`, model);
  // Models of other forms may come.
  const issues = endpoint.checkSettings(settings).filter(({ path }) => path !== 'model');
  reportIssues('setting-refused', issues, at, findings);
  if (family === 'flux' && !model) report('setting-refused', 'model', 'a model', model);
  if (family === 'flux' && speed && speedFault(Number(speed)))
    report('setting-refused', 'speed', FLUX_SPEED, speed);
  if (rate === undefined) report('rate-missing', 'sample_rate', 'a rate in Hz', rate);
}

export const FLUX_SPEED = '0.5 to 1.5 in steps of 0.05';

/** Bytes of a sample and of a millisecond of audio; null where the address does not tell. */
export function sampleSizes(
  endpoint: Endpoint,
  address: string | null,
): { perSample: number; perMs: number } | null {
  const settings = address === null ? undefined : readAddress(endpoint, address)?.settings;
  if (!(Number(settings?.sample_rate) > 0)) return null;
  const { encoding, sampleRate } = endpoint.audioFormat(settings ?? {});
  const perSample = AUDIO_ENCODINGS[encoding].bytesPerSample;
  return perSample === null ? null : { perSample, perMs: (perSample * sampleRate) / 1000 };
}
