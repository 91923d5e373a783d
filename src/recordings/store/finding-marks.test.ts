import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Severity } from '#protocol/core/rule.ts';
import { added, countOf, type FindingMark, withFinding } from './finding-marks.ts';

const severities = fc.array(fc.constantFrom<Severity[]>('violation', 'warning', 'advice'), { maxLength: 30 });
const markOf = (found: readonly Severity[]): FindingMark => found.reduce(withFinding, 0);

/** The plain way, but for where a byte ends. */
const plain = (found: readonly Severity[]) => {
  const advice = found.filter((severity) => severity === 'advice').length;
  const worst = (['violation', 'warning', 'advice'] as const).find((severity) => found.includes(severity));
  return worst ? { grave: Math.min(15, found.length - advice), advice: Math.min(7, advice), worst } : null;
};

describe('the findings of an entry in a byte', () => {
  it('are counted as far as it goes, with the worst of them', () => {
    fc.assert(
      fc.property(severities, (found) => {
        expect(markOf(found)).toBeLessThan(256);
        expect(countOf(markOf(found))).toEqual(plain(found));
      }),
    );
  });

  it('of several entries come to what they would in one', () => {
    const few = fc.array(fc.constantFrom<Severity[]>('violation', 'warning', 'advice'), { maxLength: 3 });
    fc.assert(
      fc.property(few, few, (one, other) => {
        expect(added(countOf(markOf(one)), countOf(markOf(other)))).toEqual(plain([...one, ...other]));
      }),
    );
  });
});
