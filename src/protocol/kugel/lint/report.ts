import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import type { KugelRuleId } from './rules.ts';

/** Reports of one context. @param atUs when it could be known, where that is not the time of the frame */
export type ReportTurn = (
  id: KugelRuleId,
  at: LintMoment,
  message: string,
  related?: LintMoment | null,
  path?: string,
  atUs?: number,
) => void;

/** @param context null where the endpoint has only one */
export const reportFor =
  (findings: Findings<KugelRuleId>, context: string | null): ReportTurn =>
  (id, at, message, related, path, atUs) =>
    findings.report(id, at, message, {
      context,
      related: related?.index ?? null,
      ...(path === undefined ? {} : { path }),
      ...(atUs === undefined ? {} : { atUs }),
    });
