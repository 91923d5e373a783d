import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import type { KugelRuleId } from './rules.ts';

/** Advice to name the language; once a connection, where a turn begins without. */
export class LanguageAdvice {
  readonly #findings: Findings<KugelRuleId>;
  #isTold = false;

  constructor(findings: Findings<KugelRuleId>) {
    this.#findings = findings;
  }

  /** A turn begins under these settings. */
  began({ language, normalize }: { language?: unknown; normalize?: unknown }, at: LintMoment): void {
    // Without normalisation nothing is detected (`facts 1.4`).
    if (this.#isTold || language !== undefined || normalize === false) return;
    this.#isTold = true;
    this.#findings.report('language-missing', at, 'language: expected a code such as en, got nothing', {
      path: 'language',
    });
  }
}
