import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { protocolOf } from '../protocols.ts';
import { ENDPOINTS, endpointOf } from '../registry.ts';
import type { Settings } from './endpoint.ts';
import { describeIssue } from './issue.ts';
import type { Setting } from './settings.ts';

const issues = (endpoint: string, frame: unknown): string[] =>
  protocolOf(endpointOf(endpoint))
    .checkFrame(typeof frame === 'string' ? frame : JSON.stringify(frame))
    .map(describeIssue);

const defaultsOf = (settings: readonly Setting[]): Settings =>
  Object.fromEntries(
    settings.flatMap(({ field, fallback }) => (fallback === undefined ? [] : [[field, fallback]])),
  );

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
  it.each(protocolOf(endpoint).templates.map((template) => [template.title, template] as const))(
    'template %s breaks no rule of its own endpoint',
    (title, { about, frame }) => {
      expect(protocolOf(endpoint).checkFrame(JSON.stringify(frame))).toEqual([]);
      expect(title).not.toBe('');
      expect(about).toMatch(/\.$/);
    },
  );

  it('names every template differently', () => {
    const { templates } = protocolOf(endpoint);
    expect(new Set(templates.map(({ title }) => title)).size).toBe(templates.length);
  });

  it('has a template for every frame of the page', () => {
    const wire = protocolOf(endpoint).open({ settings: {}, key: '[key]' });
    const context = endpoint.contexts ? 'narrator' : '';
    const inMessages = endpoint.settings.filter(({ place }) => place === undefined);
    const ofContext = endpoint.contexts?.settings.filter(({ place }) => place === undefined) ?? [];
    const sent = [
      ...wire.encode({ kind: 'open', settings: { ...endpoint.initialSettings, ...defaultsOf(inMessages) } }),
      ...wire.encode({ kind: 'openContext', context, settings: defaultsOf(ofContext) }),
      ...wire.encode({ kind: 'say', context, text: 'Hello.' }),
      ...wire.encode({ kind: 'flush', context }),
      ...wire.encode({ kind: 'cancel', context: endpoint.contexts ? context : null }),
      ...wire.encode({ kind: 'closeContext', context, immediate: false }),
      ...wire.encode({ kind: 'endTurn', context }),
      ...wire.encode({ kind: 'disconnect' }),
    ].map((frame) => JSON.parse(String(frame)) as Record<string, unknown>);
    // Settings may stand in any frame; what is left says which message it is.
    const settings = new Set([...inMessages, ...ofContext, ...endpoint.settings].map(({ field }) => field));
    const shapeOf = (frame: Readonly<Record<string, unknown>>): string =>
      JSON.stringify([
        frame.type,
        Object.keys(frame)
          .filter((key) => !settings.has(key))
          .sort(),
      ]);
    const shapes = protocolOf(endpoint).templates.map(({ frame }) => shapeOf(frame));
    for (const frame of sent) expect(shapes).toContain(shapeOf(frame));
  });

  it('reports the issues of any text, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        for (const { expected, found } of protocolOf(endpoint).checkFrame(text)) {
          expect(expected).not.toBe('');
          expect(found).not.toBe('');
        }
      }),
    );
  });

  it.each([
    ['', 'the frame: expected a JSON object, got nothing'],
    ['{"text":', 'the frame: expected a JSON object, got text that is no JSON'],
    ['[1]', 'the frame: expected a JSON object, got an array'],
    ['null', 'the frame: expected a JSON object, got null'],
    ['"x"', 'the frame: expected a JSON object, got a string'],
  ])('%j is no frame', (text, said) => {
    expect(issues(endpoint.id, text)).toEqual([said]);
  });
});

describe('checkFrame', () => {
  it.each<[string, unknown, RegExp[]]>([
    ['kugel-stream', { output_format: 'ulaw_8000', sample_rate: 16_000 }, [/^sample_rate: expected 8000/]],
    ['kugel-multi', { context_id: '', close_context: 'yes' }, [/^context_id/, /^close_context/]],
    ['murmr', { type: 'hello' }, [/^type: expected one of config, text, flush/]],
    ['murmr', { type: 'config', api_key: '[key]', voice: 'v' }, [/^voice_clone_prompt: expected the prompt/]],
  ])('on %s finds the issues of %j', (endpoint, frame, said) => {
    const found = issues(endpoint, frame);
    expect(found).toHaveLength(said.length);
    for (const [at, pattern] of said.entries()) expect(found[at]).toMatch(pattern);
  });
});
