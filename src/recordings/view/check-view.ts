import type { Finding, Rule } from '#protocol/core/rule.ts';
import type { RecordHead } from '#trace/entry.ts';

export interface FindingGroup {
  rule: Rule;
  count: number;
  /** The first findings are kept; the others are only counted. */
  kept: number;
}

export interface CheckView {
  recording: string | null;
  /** Number of rules; 0 for an unknown endpoint. */
  rules: number;
  /** Checked entries, and all entries. */
  checked: number;
  of: number;
  /** Checked entries without a result, because a payload of their connection was not kept. */
  unread: number;
  /** In the order of the rules. */
  groups: readonly FindingGroup[];
}

export const NOTHING_CHECKED: CheckView = {
  recording: null,
  rules: 0,
  checked: 0,
  of: 0,
  unread: 0,
  groups: [],
};

export interface FindingsAnswer {
  findings: readonly FoundFinding[];
  /** Number of matching findings, including those not kept. */
  of: number;
}

export interface FoundFinding {
  /** Number among all findings of the recording, counted from 0. */
  number: number;
  finding: Finding;
  head: RecordHead;
}
