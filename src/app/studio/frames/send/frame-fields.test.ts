import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Issue } from '#protocol/core/issue.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { completeFrame, type FrameField, frameFields, frameFindings } from './frame-fields.ts';

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))(
  'the fields of %s',
  (_, endpoint) => {
    const fields = frameFields(endpoint, protocolOf(endpoint));

    it('are each named once and explained', () => {
      expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
      for (const { about } of fields) expect(about).not.toBe('');
    });

    it('include every setting and every field of the templates', () => {
      const names = new Set(fields.map(({ name }) => name));
      for (const { field } of endpoint.settings) expect(names).toContain(field);
      for (const { frame } of protocolOf(endpoint).templates)
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

it.each<[string, string, Issue[], unknown[]]>([
  ['nothing in a valid frame', '{"flush": true}', [], []],
  [
    'a refused value at any depth',
    '{"voice_settings": {"speed": 9}}',
    [{ path: 'voice_settings.speed', expected: 'less', found: '9' }],
    [['9', 'error', 'voice_settings.speed: expected less, got 9']],
  ],
  [
    'the frame for a missing field',
    '{"a":1}',
    [{ path: 'key', expected: 'a string', found: 'nothing' }],
    [['{"a":1}', 'error', 'key: expected a string, got nothing']],
  ],
  [
    'undocumented fields, which may be typing errors',
    '{"flsh":true}',
    [],
    [['"flsh"', 'info', 'flsh: not a field that is documented here, sent as written']],
  ],
  [
    'a syntax error at its place, and no other findings',
    '{"a":1,}',
    [{ path: '', expected: 'a JSON object', found: 'text' }],
    [['}', 'error', expect.stringContaining('field name')]],
  ],
  ['an error at the very end', '{"a":1', [], [['1', 'error', expect.any(String)]]],
  [
    'the first half of a character, also as an escape',
    '{"a":"\\ud83d😀\ude00"}',
    [],
    [['\\ud83d', 'error', 'half a character, which no frame can hold; sent as U+FFFD']],
  ],
  ['an empty text', '', [], [['', 'error', expect.any(String)]]],
  [
    'every repeated field except the last',
    '{"a":1,"a":2,"b":1,"a":3}',
    [],
    [
      ['"a"', 'info', 'a: written again below, which counts'],
      ['"a"', 'info', 'a: written again below, which counts'],
    ],
  ],
])('marks %s', (_, text, issues, expected) => {
  const known = new Set(['flush', 'voice_settings', 'a', 'b']);
  const found = frameFindings(text, { checkFrame: () => issues }, known);
  expect(
    found.map(({ span, severity, message }) => [text.slice(span.from, span.to), severity, message]),
  ).toEqual(expected);
});
