import { count, counted } from '#lib/format.ts';
import type { Severity } from '#protocol/core/rule.ts';
import { type FindingCount, RANK } from '#recordings/store/finding-marks.ts';
import type { CheckView, FindingGroup } from '#recordings/view/check-view.ts';
import { percent } from '#recordings/view/figures.ts';

/** Returns the findings that a row shows; null if there are none. Advice counts only on request. */
export function rowFindings(
  found: FindingCount | null,
  withAdvice: boolean,
): { total: number; worst: Severity } | null {
  if (!found) return null;
  const total = found.grave + (withAdvice ? found.advice : 0);
  return total === 0 ? null : { total, worst: found.worst };
}

/** Returns the groups to show, worst first, then in the order of the rules. */
export function wantedGroups(groups: readonly FindingGroup[], withAdvice: boolean): FindingGroup[] {
  const wanted = withAdvice ? groups : groups.filter(({ rule }) => rule.severity !== 'advice');
  return wanted.toSorted((a, b) => RANK[a.rule.severity] - RANK[b.rule.severity]);
}

export const totalOf = (groups: readonly FindingGroup[]): number =>
  groups.reduce((sum, { count }) => sum + count, 0);

export const countOfSeverity = (groups: readonly FindingGroup[], severity: Severity): number =>
  totalOf(groups.filter(({ rule }) => rule.severity === severity));

/** Entries that arrive during the check are no backlog. */
const BACKLOG = 500;

export const isBehind = ({ checked, of }: Pick<CheckView, 'checked' | 'of'>, isGrowing: boolean): boolean =>
  of - checked > (isGrowing ? BACKLOG : 0);

/** Returns the progress of the check, for the button that opens the list of findings. */
export function checkWords(check: CheckView, isGrowing: boolean, withAdvice: boolean): string {
  const { recording, rules, groups, checked, of } = check;
  if (recording === null) return 'Findings';
  if (rules === 0) return 'Not checked';
  const total = totalOf(wantedGroups(groups, withAdvice));
  const found = total === 0 ? 'No findings' : counted(total, 'finding');
  if (!isBehind(check, isGrowing)) return found;
  return total === 0 ? `Checking … ${percent(checked, of)} %` : `${found}, ${percent(checked, of)} % checked`;
}

export const nothingFound = ({ of, unread, rules }: CheckView): string =>
  `Nothing found in ${counted(of - unread, 'frame')} by ${count(rules)} rules.`;
