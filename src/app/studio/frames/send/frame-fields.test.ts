import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Issue } from '#protocol/core/issue.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { completeFrame, type FrameField, frameFields, frameFindings } from './frame-fields.ts';

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))(
  'the fields of %s',
  (_, endpoint) => {
    const fields = frameFields(endpoint);

    it('are each named once and explained', () => {
      expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
      for (const { about } of fields) expect(about).not.toBe('');
    });

    it('include every setting and every field of the templates', () => {
      const names = new Set(fields.map(({ name }) => name));
      for (const { field } of endpoint.settings) expect(names).toContain(field);
      for (const { frame } of endpoint.templates)
        for (const name of Object.keys(frame)) expect(names).toContain(name);
    });

    it('offer values that are JSON', () => {
      for (const { values } of fields)
        for (const value of values) expect(() => JSON.parse(value)).not.toThrow();
    });
  },
);

const FIELDS: FrameField[] = [
  { name: 'flush', about: 'Ends the turn.', values: ['true'] },
  { name: 'type', about: 'Which message.', values: ['"text"', '"ping"'] },
];

/** The completions, and the text that they replace. */
const offered = (before: string) => {
  const completion = completeFrame(before, FIELDS);
  return completion && [before.slice(completion.from), ...completion.options.map(({ insert }) => insert)];
};

describe('completeFrame', () => {
  const NAMES = ['"flush": ', '"type": '];
  const TYPES = ['"text"', '"ping"'];

  it.each<[string, string[] | null]>([
    ['{', ['', ...NAMES]],
    ['{"fl', ['"fl', ...NAMES]],
    ['{fl', ['fl', ...NAMES]],
    ['{"a": 1, ', ['', ...NAMES]],
    ['{"a": {"b": 1}, "t', ['"t', ...NAMES]],
    ['{"a": {', ['', ...NAMES]],
    ['{"type": ', ['', ...TYPES]],
    ['{"type": "te', ['"te', ...TYPES]],
    ['{"a": "x\\"{", "flush": t', ['t', 'true']],
    ['{"unknown": ', null],
    ['{"type"', null],
    ['{"type": "text"', null],
    ['{"a": {"b": 1}', null],
    ['{"type": [', null],
    ['{"type": ["', null],
    ['', null],
    ['"fl', null],
  ])('behind %j', (before, expected) => {
    expect(offered(before)).toEqual(expected);
  });

  it('returns for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'a', ' ') }),
        (before) => {
          const completion = completeFrame(before, FIELDS);
          if (completion) expect(completion.from).toBeLessThanOrEqual(before.length);
        },
      ),
    );
  });
});

const KNOWN = new Set(['flush', 'voice_settings', 'a', 'b']);

const finding = (text: string, issues: Issue[] = []) =>
  frameFindings(text, { checkFrame: () => issues }, KNOWN).map(({ span, severity, message }) => ({
    at: text.slice(span.from, span.to),
    severity,
    message,
  }));

describe('frameFindings', () => {
  it('has no findings for a valid frame', () => {
    expect(finding('{"flush": true}')).toEqual([]);
  });

  it('marks a refused value at any depth', () => {
    expect(
      finding('{"voice_settings": {"speed": 9}}', [
        { path: 'voice_settings.speed', expected: 'less', found: '9' },
      ]),
    ).toEqual([{ at: '9', severity: 'error', message: 'voice_settings.speed: expected less, got 9' }]);
  });

  it('marks the frame for a missing field', () => {
    expect(finding('{"a":1}', [{ path: 'key', expected: 'a string', found: 'nothing' }])).toEqual([
      { at: '{"a":1}', severity: 'error', message: 'key: expected a string, got nothing' },
    ]);
  });

  it('reports undocumented fields, which may be typing errors', () => {
    expect(finding('{"flsh":true}')).toEqual([
      {
        at: '"flsh"',
        severity: 'info',
        message: 'flsh: not a field that is documented here, sent as written',
      },
    ]);
  });

  it('marks a syntax error at its place and has no other findings', () => {
    const found = finding('{"a":1,}', [{ path: '', expected: 'a JSON object', found: 'text' }]);
    expect(found).toEqual([{ at: '}', severity: 'error', message: expect.stringContaining('field name') }]);
  });

  it('marks an error at the very end', () => {
    expect(finding('{"a":1')[0]?.at).toBe('1');
    expect(finding('')).toHaveLength(1);
  });

  it('reports every repeated field except the last', () => {
    expect(finding('{"a":1,"a":2,"b":1,"a":3}')).toEqual([
      { at: '"a"', severity: 'info', message: 'a: written again below, which counts' },
      { at: '"a"', severity: 'info', message: 'a: written again below, which counts' },
    ]);
  });
});
