import { wordList } from '#lib/word-list.ts';
import { readAddress } from '../../core/address.ts';
import { AUDIO_ENCODINGS } from '../../core/audio-format.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import { shown } from '../../core/issue.ts';
import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { reportIssues, undocumentedFields } from '../../lint/message.ts';
import { isDialogueModel } from '../wire/models.ts';
import { audioFormatOf } from '../wire/output-format.ts';
import { idleMsOf } from '../wire/settings.ts';
import type { ElevenLabsRuleId } from './rules.ts';

/** Parameters beside the settings of the page (`facts-elevenlabs 1.2`). */
const OTHERS = wordList('authorization single_use_token optimize_streaming_latency');
/** Other values of the rest may come with later models and formats. */
const BOUNDED: ReadonlySet<string> = new Set(wordList('inactivity_timeout seed apply_text_normalization'));

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
  at: LintMoment,
  findings: Findings<ElevenLabsRuleId>,
): AddressTraits | null {
  const settings = readAddress(endpoint, address)?.settings;
  if (!settings) return null;
  const query = Object.fromEntries(new URLSearchParams(address.split('?', 2)[1] ?? ''));
  const known = endpoint.settings.flatMap(({ field, place }) => (place === 'query' ? [field] : []));
  for (const name of undocumentedFields(query, new Set([...known, ...OTHERS]))) {
    // The value may be a key.
    findings.report('unknown-parameter', at, 'expected a documented parameter, got another', name);
  }
  const issues = endpoint.checkSettings(settings).filter(({ path }) => BOUNDED.has(path));
  reportIssues('out-of-range', issues, at, findings);
  const { model_id: model, output_format: format } = settings;
  if (typeof model === 'string' && isDialogueModel(model)) {
    findings.report('model-refused', at, `expected a model of v2 or v2.5, got ${shown(model)}`, 'model_id');
  }
  if (format === undefined)
    findings.report('format-missing', at, 'expected a format, got nothing', 'output_format');
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
