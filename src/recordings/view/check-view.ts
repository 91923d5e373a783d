import type { Finding, Rule } from '#protocol/core/rule.ts';
import type { RecordHead } from '../format/record.ts';

/** Reports of the linter about the shown recording. */

/** A rule that was broken, and how often. */
export interface FindingGroup {
  rule: Rule;
  count: number;
  /** The first findings are kept; the others are only counted. */
  kept: number;
}

/** Progress of the linter with the shown recording. */
export interface CheckView {
  recording: string | null;
  /** Rules that are looked at; 0: the endpoint is not known, so nothing is checked. */
  rules: number;
  /** Entries that were checked, of how many. */
  checked: number;
  of: number;
  /** Of the checked ones, those that nothing can be said about: a payload of their connection was not kept. */
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
  /** Number of matching findings, those included that are not kept. */
  of: number;
}

/** A finding with the entry that it is about. */
export interface FoundFinding {
  /** Among all that was found in the recording, counted from 0. */
  number: number;
  finding: Finding;
  head: RecordHead;
}
