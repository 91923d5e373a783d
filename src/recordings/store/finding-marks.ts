import type { Severity } from '#protocol/core/rule.ts';

/** The findings of an entry as the list shows them. */
export interface FindingCount {
  /** Violations and warnings. */
  grave: number;
  /** Findings of correct frames that cost time or money. */
  advice: number;
  worst: Severity;
}

/** Smaller is worse. */
export const RANK: Readonly<Record<Severity, number>> = { violation: 0, warning: 1, advice: 2 };

export const countOf = (severity: Severity): FindingCount =>
  severity === 'advice' ? { grave: 0, advice: 1, worst: severity } : { grave: 1, advice: 0, worst: severity };

/** Returns the sum of two counts. */
export function added(one: FindingCount | null, other: FindingCount | null): FindingCount | null {
  if (!one || !other) return one ?? other;
  return {
    grave: one.grave + other.grave,
    advice: one.advice + other.advice,
    worst: RANK[one.worst] <= RANK[other.worst] ? one.worst : other.worst,
  };
}
