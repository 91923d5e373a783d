import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '#protocol/registry.ts';
import { completeFrame, type FrameField, frameFields } from './frame-fields.ts';

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))(
  'the fields of %s',
  (_, endpoint) => {
    const fields = frameFields(endpoint);

    it('are each named once and explained', () => {
      expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
      for (const { about } of fields) expect(about).not.toBe('');
    });

    it('hold every setting and everything in a template', () => {
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

/** What is offered, and what it would take the place of. */
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

  it('survives anything', () => {
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
