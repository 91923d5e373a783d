import { wordList } from '#lib/word-list.ts';
import { readAddress } from '../../core/address.ts';
import { AUDIO_ENCODINGS } from '../../core/audio-format.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import { shown } from '../../core/issue.ts';
import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { reportIssues, undocumentedFields } from '../../lint/message.ts';
import { type Family, familyOf } from '../wire/models.ts';
import { FLUX_SPEED, isSpeedStep } from '../wire/settings.ts';
import type { CommonRuleId } from './rules.ts';

/** Other programs and vendors name it so. */
const KEY_NAMES = wordList('token key api_key apikey access_token authorization bearer');

/** Reports names of fields that the server does not know. Their values may be keys, so no message has them. */
export function reportUnknown(
  id: 'unknown-parameter' | 'unknown-field',
  names: readonly string[],
  at: LintMoment,
  findings: Findings<CommonRuleId>,
): void {
  for (const name of names) {
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
  const known = new Set(endpoint.settings.map(({ field }) => field));
  reportUnknown('unknown-parameter', undocumentedFields(query, known), at, findings);
  const { model, speed, sample_rate: rate } = query;
  const given = model === undefined ? null : familyOf(model);
  if (given !== null && given !== family) {
    findings.report('model-family', at, `expected a model of ${family}, got ${shown(model)}`, 'model');
  }
  // Models of other forms may come.
  const issues = endpoint.checkSettings(settings).filter(({ path }) => path !== 'model');
  reportIssues('setting-refused', issues, at, findings);
  const report = (id: CommonRuleId, message: string, field: string) =>
    findings.report(id, at, message, field);
  if (family === 'flux') {
    if (!model) report('setting-refused', 'expected a model, got nothing', 'model');
    const fault = speed === undefined ? null : fluxSpeedFault(Number(speed));
    if (fault) report('setting-refused', fault, 'speed');
  }
  if (rate === undefined) report('rate-missing', 'expected a rate in Hz, got nothing', 'sample_rate');
}

/** Returns the fault of a speed on `/v2/speak`, as a message. */
export const fluxSpeedFault = (speed: number): string | null =>
  speed >= FLUX_SPEED.min && speed <= FLUX_SPEED.max && isSpeedStep(speed)
    ? null
    : `expected ${FLUX_SPEED.min} to ${FLUX_SPEED.max} in steps of 0.05, got ${shown(speed)}`;

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
