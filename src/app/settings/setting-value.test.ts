import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Control, Setting } from '#protocol/core/settings.ts';
import * as form from './setting-value.ts';
import { rules } from './testing/rules.ts';

const setting = (field: string): Setting => {
  const found = rules.settings.find((candidate) => candidate.field === field);
  if (!found) throw new Error(`no setting ${field}`);
  return found;
};
const pace: Control = setting('pace').control;
const slider = { kind: 'range', min: 0.8, max: 1.2, step: 0.05 } as const;

describe('sending and not sending', () => {
  it('a field keeps its place when it changes and leaves no trace when it goes', () => {
    const settings = { a: 1, b: 2, c: 3 };
    expect(Object.entries(form.withFields(settings, { b: 9 }))).toEqual([
      ['a', 1],
      ['b', 9],
      ['c', 3],
    ]);
    expect(Object.keys(form.withFields(settings, { b: undefined, d: 4 }))).toEqual(['a', 'c', 'd']);
  });

  it.each([
    ['pace', 1],
    ['tongue', 'de'],
    ['lexica', []],
    ['steps', [5, 80]],
    ['who', undefined],
  ])('sending %s by a click sends %j, which is valid', (field, value) => {
    expect(form.valueToSend(setting(field))).toEqual(value);
    if (value !== undefined) expect(rules.checkSettings({ [field]: value })).toEqual([]);
  });

  it('names the fields that differ from the running turn, also those gone', () => {
    expect(form.changedFields({ a: 1, b: [1], c: 1 }, { a: 1, b: [2], d: 1 })).toEqual(
      new Set(['b', 'c', 'd']),
    );
    expect(form.changedFields({ a: [1] }, { a: [1], b: undefined })).toEqual(new Set());
  });
});

describe('numbers', () => {
  it('a slider gives only values on its steps, within its ends, and exactly as written', () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 3, noNaN: true }), (value) => {
        const stepped = form.onStep(value, slider);
        expect(stepped).toBeGreaterThanOrEqual(0.8);
        expect(stepped).toBeLessThanOrEqual(1.2);
        expect(String(stepped).length).toBeLessThanOrEqual(4);
        expect(form.onStep(stepped, slider)).toBe(stepped);
      }),
    );
  });

  it('come back from the box as they went in', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const expected = value === 0 ? 0 : value;
        expect((form.parseNumberText(form.numberText(value, pace)) ?? Number.NaN) + 0).toBe(expected);
      }),
    );
  });

  it.each([
    ['1.05', 1.05],
    [' 1,05 ', 1.05],
    ['.5', 0.5],
    ['-3', -3],
    ['', undefined],
    ['   ', undefined],
    ['fast', null],
    ['1.2.3', null],
    ['0x10', null],
    ['1e999', null],
    ['Infinity', null],
  ])('%j in the box says %j', (text, value) => {
    expect(form.parseNumberText(text)).toBe(value);
  });

  it.each([
    [1, '1.00'],
    [1.05, '1.05'],
    [0.123, '0.123'],
    ['fast', '"fast"'],
    [undefined, ''],
  ])('%j is shown as %j', (value, text) => {
    expect(form.numberText(value, pace)).toBe(text);
  });
});

describe('lists of numbers', () => {
  it('come back from the text as they went in', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (list) => {
        expect(form.parseNumbersText(form.numbersText(list))).toEqual(list);
      }),
    );
  });

  it.each([
    ['5, 80,150 ; 250', [5, 80, 150, 250]],
    ['[5, 80]', [5, 80]],
    ['5,', [5]],
    ['', undefined],
    [' , ', undefined],
    ['5, many', null],
  ])('%j says %j', (text, value) => {
    expect(form.parseNumbersText(text)).toEqual(value);
  });
});

describe('words', () => {
  it.each([
    ['pace', '1.00×', '1.00', '0.8 to 1.2'],
    ['grip', '2.0', '2.0', '1.2 to 2.5'],
    ['rate', '24000 Hz', '24000', '2 choices'],
    ['loud', 'off', 'false', 'true or false'],
    ['patience', '500', '500', '10 to 60,000'],
    ['steps', '5, 80', '[5, 80]', 'up to 32'],
    ['tongue', 'chosen by the server', 'unset', '3 choices'],
  ])('%s: default %s, in the frame %s, range %s', (field, words, json, range) => {
    const described = setting(field);
    expect([
      form.defaultText(described),
      form.defaultJson(described),
      form.valueRangeText(described),
    ]).toEqual([words, json, range]);
  });

  it('groups keep the order in which they first appear, and a name is not said twice', () => {
    expect(form.groupsOf(rules.settings).map(({ heading, settings }) => [heading, settings.length])).toEqual([
      [null, 1],
      ['Delivery', 2],
      ['Audio', 2],
      ['Text', 2],
      ['Chunking', 2],
    ]);
  });

  it('a choice is shown whole only where it fits', () => {
    expect(form.fitsSegments([8000, 16_000, 22_050, 24_000])).toBe(true);
    expect(form.fitsSegments([1, 2, 3, 4, 5])).toBe(false);
    expect(form.fitsSegments(['pcm_24000', 'alaw_8000'])).toBe(false);
  });
});

describe('issues by field', () => {
  const inList = { path: 'steps.1', expected: 'a number', found: '"x"' };
  const whole = { path: '', expected: 'an object', found: '7' };

  it('belong to the field that contains them', () => {
    expect(form.issueOf('steps', [whole, inList])).toBe(inList);
    expect(form.issueOf('step', [whole, inList])).toBeUndefined();
    expect(form.otherIssues([whole, inList], new Set(['steps']))).toEqual([whole]);
  });

  it('lists fields that are sent and not described as unknown', () => {
    expect(form.undescribedFields({ steps: [1], tone: 2, gone: undefined }, new Set(['steps']))).toEqual([
      'tone',
    ]);
  });
});
