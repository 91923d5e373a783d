import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Severity } from '#protocol/core/rule.ts';
import type { NewEntry, RecordHead } from '#trace/entry.ts';
import { anyEntry } from '../testing/entries.ts';
import { newEntry } from '../testing/world.ts';
import { addMatches, type Filter } from '../view/filter.ts';
import { FrameIndex } from './frame-index.ts';

const headOf = ({ payload: _, ...head }: NewEntry, index: number): RecordHead => ({ index, ...head });

const indexOf = (entries: readonly NewEntry[]): FrameIndex => {
  const index = new FrameIndex();
  for (const entry of entries) index.append(entry);
  return index;
};

const anyFilter: fc.Arbitrary<Filter> = fc.record(
  {
    directions: fc.subarray(['in', 'out', 'connection'] as const),
    kinds: fc.subarray(['audio', 'words', 'error', 'never']),
    contexts: fc.subarray(['a', '', 'audio', 'never', null]),
    turns: fc.subarray([0, 1, 2, null]),
    chunks: fc.subarray([-1, 0, 1]),
    connections: fc.subarray([1, 2]),
    problemsOnly: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** The filter as one reads it. */
const passes = (filter: Filter, head: RecordHead): boolean =>
  (filter.directions?.includes(head.direction) ?? true) &&
  (filter.kinds?.includes(head.kind) ?? true) &&
  (filter.contexts?.includes(head.context) ?? true) &&
  (filter.turns?.includes(head.turn) ?? true) &&
  (filter.chunks === undefined || (head.chunk !== null && filter.chunks.includes(head.chunk))) &&
  (filter.connections?.includes(head.connection) ?? true) &&
  (!filter.problemsOnly || head.kind === 'error');

describe('FrameIndex', () => {
  it('gives back what was put in', () => {
    fc.assert(
      fc.property(fc.array(anyEntry), (entries) => {
        const index = indexOf(entries);
        expect(entries.map((_, i) => index.head(i))).toEqual(entries.map(headOf));
        expect(index.length).toBe(entries.length);
        expect(index.bytes).toBe(entries.reduce((sum, { bytes }) => sum + bytes, 0));
        expect(new Set(index.facets.kinds)).toEqual(new Set(entries.map(({ kind }) => kind)));
        expect(new Set(index.facets.contexts)).toEqual(
          new Set(entries.flatMap(({ context }) => (context === null ? [] : [context]))),
        );
      }),
    );
  });

  it('is the same after it was stored in pieces', () => {
    fc.assert(
      fc.property(fc.array(anyEntry), fc.array(fc.nat({ max: 20 })), (entries, cuts) => {
        const index = new FrameIndex();
        const copy = new FrameIndex();
        const ends = [
          ...new Set(cuts.filter((cut) => cut < entries.length).sort((a, b) => a - b)),
          entries.length,
        ];
        let from = 0;
        for (const to of ends) {
          const names = index.names.size;
          for (const entry of entries.slice(from, to)) index.append(entry);
          copy.appendPacked(index.pack(from, to), index.names.since(names));
          from = to;
        }
        expect(entries.map((_, i) => copy.head(i))).toEqual(entries.map(headOf));
        expect(copy.facets).toEqual(index.facets);
        expect(copy.bytes).toBe(index.bytes);
      }),
    );
  });

  it('filters as a plain list does, however it grows meanwhile', () => {
    fc.assert(
      fc.property(fc.array(anyEntry), anyFilter, fc.nat({ max: 50 }), (entries, filter, cut) => {
        const index = indexOf(entries);
        const matches: number[] = [];
        const middle = Math.min(cut, entries.length);
        addMatches(filter, index, 0, middle, matches);
        addMatches(filter, index, middle, entries.length, matches);
        const expected = entries.map(headOf).filter((head) => passes(filter, head));
        expect(matches).toEqual(expected.map(({ index }) => index));
      }),
    );
  });

  it('shows entries with findings among the problems, advice only where it is wanted', () => {
    const index = indexOf([newEntry(), newEntry(), newEntry({ kind: 'failed' }), newEntry()]);
    index.markFinding(1, 'violation');
    index.markFinding(3, 'advice');
    const problems = (withoutAdvice: boolean): number[] => {
      const matches: number[] = [];
      addMatches({ problemsOnly: true, withoutAdvice }, index, 0, 4, matches);
      return matches;
    };
    expect(problems(false)).toEqual([1, 2, 3]);
    expect(problems(true)).toEqual([1, 2]);
  });

  it('counts findings with the worst of them, and does not store them', () => {
    const index = indexOf([newEntry()]);
    index.markFinding(0, 'violation');
    const copy = new FrameIndex();
    copy.appendPacked(index.pack(0, 1), index.names.since(0));
    index.markFinding(0, 'advice');
    index.markFinding(0, 'warning');
    expect(index.findings(0)).toEqual({ grave: 2, advice: 1, worst: 'violation' });
    expect(copy.findings(0)).toBeNull();
  });

  it('leads from finding to finding, both ways and round, as a plain list does', () => {
    const severity = fc.constantFrom<(Severity | null)[]>(null, 'violation', 'warning', 'advice');
    fc.assert(
      fc.property(
        fc.array(severity, { maxLength: 12 }),
        fc.integer({ min: -1, max: 12 }),
        fc.constantFrom<(1 | -1)[]>(1, -1),
        fc.boolean(),
        (marks, place, step, withAdvice) => {
          const from = Math.min(place, marks.length - 1);
          const index = indexOf(marks.map(() => newEntry()));
          for (const [at, mark] of marks.entries()) if (mark) index.markFinding(at, mark);
          const wanted = [...marks.keys()].filter(
            (at) => marks[at] && (withAdvice || marks[at] !== 'advice'),
          );
          const behind = wanted.filter((at) => (at - from) * step > 0);
          const ordered = step === 1 ? [behind[0], wanted[0]] : [behind.at(-1), wanted.at(-1)];
          expect(index.nextFinding(from, step, withAdvice)).toBe(ordered[0] ?? ordered[1] ?? -1);
        },
      ),
    );
  });

  it('refuses what no index has written', () => {
    const index = new FrameIndex();
    expect(() => index.appendPacked(new Uint8Array(40), [])).toThrow(/no whole number/);
    const other = indexOf([newEntry({ kind: 'x' })]);
    expect(() => index.appendPacked(other.pack(0, 1), [])).toThrow(/name/);
    expect(index.length).toBe(0);
    expect(() => index.head(0)).toThrow(RangeError);
  });
});
