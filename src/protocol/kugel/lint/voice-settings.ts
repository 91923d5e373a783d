import { shown } from '../../core/issue.ts';
import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { contextSettings, deliverySettings, sessionSettings } from '../wire/multi-client.ts';
import { knownFields } from './client.ts';
import type { KugelRuleId } from './rules.ts';

/** Rules of what a client puts into `voice_settings`. */

/** The last ones are what an official client may put there (`facts 3.1`). */
const NESTED = knownFields(
  [...sessionSettings, ...contextSettings].map(({ field }) => field),
  ['inactivity_timeout', 'stability', 'similarity_boost', 'style', 'use_speaker_boost'],
);
const DELIVERY: ReadonlySet<string> = new Set(deliverySettings.map(({ field }) => field));
const MAX_TOLD = 8;

/** @param nested the value of the field, whatever it is */
export function adviseOnVoice(
  nested: unknown,
  context: string | null,
  at: LintMoment,
  findings: Findings<KugelRuleId>,
): void {
  if (typeof nested !== 'object' || nested === null) return;
  const wrong = Object.entries(nested).filter(([field]) => DELIVERY.has(field) || !NESTED.has(field));
  for (const [field, found] of wrong.slice(0, MAX_TOLD)) {
    const isDropped = DELIVERY.has(field);
    const path = `voice_settings.${field.slice(0, 64)}`;
    findings.report(
      isDropped ? 'nested-delivery' : 'unknown-field',
      at,
      isDropped
        ? `${path}: expected it at the top level of the frame, got ${shown(found)} here`
        : `${path}: expected a documented field, got another`,
      { context, path },
    );
  }
}
