import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '#protocol/registry.ts';
import { rules } from '../settings/testing/rules.ts';
import { settingsText } from './settings-text.ts';
import { problemsOf } from './text-problems.ts';

const marked = (text: string) =>
  problemsOf(text, rules).map(({ span, severity, message }) => [
    text.slice(span.from, span.to),
    severity,
    message,
  ]);

describe('problemsOf', () => {
  it('marks the value at fault with the words of the rule', () => {
    expect(marked('{\n  "pace": 3,\n  "loud": "very"\n}')).toEqual([
      ['3', 'error', 'pace: expected a number from 0.8 to 1.2, got 3'],
      ['"very"', 'error', 'loud: expected true or false, got "very"'],
    ]);
  });

  it('marks one entry of a list, not the list', () => {
    expect(marked('{"steps": [5, 0, 80]}')[0]?.[0]).toBe('0');
  });

  it('warns that a field which the page fills in is not kept', () => {
    expect(marked('{"secret": "k3y"}')).toEqual([
      ['"secret"', 'info', 'secret: filled in by the page, a key from the field Key; not kept from here'],
    ]);
  });

  it('marks an unknown field and a field written twice at their names, as information', () => {
    expect(marked('{"pace": 1, "tone": 2, "pace": 0.9}')).toEqual([
      ['"pace"', 'info', 'pace: written again below, which counts'],
      ['"tone"', 'info', 'tone: unknown, sent as written and ignored by the server'],
    ]);
  });

  it.each(['[]', '7', 'null', '"text"'])(
    'marks all of %s, which is valid JSON and no set of fields',
    (text) => {
      expect(problemsOf(text, rules)).toEqual([
        {
          message: 'expected an object: fields between { and }',
          severity: 'error',
          span: { from: 0, to: text.length },
        },
      ]);
    },
  );

  it('returns the syntax error alone', () => {
    expect(marked('{"pace": 3,}')).toEqual([
      ['}', 'error', 'expected a field name in double quotes, got “}”'],
    ]);
  });

  it('marks the last character for a problem at the end', () => {
    expect(marked('{"pace": 1')[0]?.[0]).toBe('1');
    expect(problemsOf('', rules)).toMatchObject([{ span: { from: 0, to: 0 } }]);
  });

  it('marks nothing in initial settings', () => {
    for (const endpoint of ENDPOINTS) {
      expect(problemsOf(settingsText(endpoint.initialSettings, null), endpoint)).toEqual([]);
    }
  });
});
