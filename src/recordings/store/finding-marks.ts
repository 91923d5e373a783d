import type { Severity } from '#protocol/core/rule.ts';

/** The findings of an entry as the list shows them. */
export interface FindingCount {
  /** Violations and warnings. */
  grave: number;
  /** Findings of correct frames that cost time or money. */
  advice: number;
  worst: Severity;
}

/**
 * The findings of an entry in one byte. Violations and warnings are counted in the low four bits, advice in the next
 * three. The last bit marks a violation. Counts saturate.
 */
export type FindingMark = number;

export const GRAVE_FINDING = 0b0000_1111;
const ADVICE_BITS = 0b0111_0000;
const ONE_ADVICE = 0b0001_0000;
const VIOLATION_BIT = 0b1000_0000;
export const ANY_FINDING = 0b1111_1111;

export function withFinding(mark: FindingMark, severity: Severity): FindingMark {
  if (severity === 'advice') return (mark & ADVICE_BITS) === ADVICE_BITS ? mark : mark + ONE_ADVICE;
  const more = (mark & GRAVE_FINDING) === GRAVE_FINDING ? mark : mark + 1;
  return severity === 'violation' ? more | VIOLATION_BIT : more;
}

/** Null where there is no finding. */
export function countOf(mark: FindingMark): FindingCount | null {
  if (mark === 0) return null;
  const grave = mark & GRAVE_FINDING;
  const worst = mark & VIOLATION_BIT ? 'violation' : grave > 0 ? 'warning' : 'advice';
  return { grave, advice: (mark & ADVICE_BITS) / ONE_ADVICE, worst };
}

/** Returns the sum of two counts. */
export function added(one: FindingCount | null, other: FindingCount | null): FindingCount | null {
  if (!one || !other) return one ?? other;
  return {
    grave: one.grave + other.grave,
    advice: one.advice + other.advice,
    worst: RANK[one.worst] <= RANK[other.worst] ? one.worst : other.worst,
  };
}

const RANK: Readonly<Record<Severity, number>> = { violation: 0, warning: 1, advice: 2 };
