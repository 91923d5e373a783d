import { describe, expect, it } from 'vitest';
import type { Severity } from '#protocol/core/rule.ts';
import type { CheckView, FindingGroup } from '#recordings/view/check-view.ts';
import { checkWords, nothingFound, rowFindings, wantedGroups } from './finding-count.ts';

const group = (id: string, severity: Severity, count: number): FindingGroup => ({
  rule: { id, severity, group: 'order', title: id, why: '', anchors: [] },
  count,
  kept: count,
});
const check = (change: Partial<CheckView> = {}): CheckView => ({
  recording: 'a',
  rules: 80,
  checked: 1000,
  of: 1000,
  unread: 0,
  groups: [],
  ...change,
});

describe('a row', () => {
  it.each([
    [null, true, null],
    [{ grave: 2, advice: 1, worst: 'violation' }, true, { total: 3, worst: 'violation' }],
    [{ grave: 2, advice: 1, worst: 'violation' }, false, { total: 2, worst: 'violation' }],
    [{ grave: 0, advice: 1, worst: 'advice' }, true, { total: 1, worst: 'advice' }],
    [{ grave: 0, advice: 1, worst: 'advice' }, false, null],
  ] as const)('with %j, advice wanted: %j, says %j', (found, withAdvice, said) => {
    expect(rowFindings(found, withAdvice)).toEqual(said);
  });
});

describe('the button', () => {
  const groups = [group('slow', 'advice', 2), group('gap', 'violation', 1)];

  it.each<[string, Partial<CheckView>, boolean, boolean]>([
    ['Findings', { recording: null, rules: 0, of: 0, checked: 0 }, true, true],
    ['Not checked', { rules: 0, checked: 0 }, false, true],
    ['No findings', {}, false, true],
    ['3 findings', { groups }, false, true],
    ['1 finding', { groups }, false, false],
    ['Checking … 40 %', { checked: 400 }, false, true],
    ['3 findings, 99 % checked', { groups, checked: 999 }, false, true],
    // New entries are checked in a moment.
    ['No findings', { checked: 900 }, true, true],
    ['Checking … 10 %', { checked: 100 }, true, true],
  ])('reads %j', (words, change, isLive, withAdvice) => {
    expect(checkWords(check(change), isLive, withAdvice)).toBe(words);
  });

  it('orders groups by severity, worst first', () => {
    expect(wantedGroups(groups, true).map(({ rule }) => rule.id)).toEqual(['gap', 'slow']);
  });
});

it('names the numbers of frames and rules where nothing was found', () => {
  expect(nothingFound(check({ of: 12_345, unread: 45 }))).toBe('Nothing found in 12,300 frames by 80 rules.');
});
