import fc from 'fast-check';
import { expect, it } from 'vitest';
import { elevenLabsMulti, elevenLabsStream } from '#protocol/elevenlabs/endpoints.ts';
import { type LintedStep, LintedWire } from '../linted-wire.test-helper.ts';
import { nonsense } from '../session-world.test-helper.ts';
import { createWorld } from './session-world.test-helper.ts';

const ENDPOINTS = { stream: elevenLabsStream, multi: elevenLabsMulti };
const QUERY = 'output_format=pcm_24000&inactivity_timeout=120';

/** The wire of a session over a network with this latency. */
async function played(
  kind: keyof typeof ENDPOINTS,
  latencyMs: number,
  steps: readonly LintedStep[],
  { query = QUERY, key = 'local' } = {},
): Promise<LintedWire> {
  const { id, path } = ENDPOINTS[kind];
  const wire = new LintedWire(id, latencyMs, `ws://host.test${path.replace(/\{\w+\}/, 'a')}?${query}`);
  return wire.play(createWorld(kind, { query, key, client: wire }), [...steps, 60_000]);
}

const VOICE = { voice_settings: { stability: 0.5 } };
const FIRST = { text: ' ', ...VOICE };
const END = { text: '' };
const FLUSH = { text: '', flush: true };
const text = (words: string, more: object = {}) => ({ text: words, ...more });
const LONG =
  'Good morning to all of you. The train at nine is late, so there is time for a coffee; take your time! ';
const TOKENS = LONG.repeat(3)
  .split(/(?<= )/)
  .flatMap((token) => [text(token), 30]);
const inA = (fields: object) => ({ ...fields, context_id: 'a' });
const CLOSE = { close_context: true };
const turnIn = (id: string) => [text(LONG), FLUSH, CLOSE].map((fields) => ({ ...fields, context_id: id }));

it.each<[string, keyof typeof ENDPOINTS, LintedStep[], { query?: string; key?: string }?]>([
  ['tokens of a model', 'stream', [FIRST, ...TOKENS, END]],
  [
    'flushes, a pause and keep-alives',
    'stream',
    [FIRST, text(LONG), FLUSH, 5000, text(' '), text('Hi. '), FLUSH, END],
  ],
  ['no text', 'stream', [FIRST, END]],
  ['numbers, which are spoken in words', 'stream', [FIRST, text('It costs $25 on 3/4. '), END]],
  [
    'auto mode',
    'stream',
    [FIRST, text('One. '), text('Two and three. '), END],
    { query: `${QUERY}&auto_mode=true` },
  ],
  ['aligned frames', 'stream', [FIRST, text(LONG), END], { query: `${QUERY}&sync_alignment=true` }],
  ['µ-law', 'stream', [FIRST, text(LONG), END], { query: 'output_format=ulaw_8000' }],
  ['a wrong key', 'stream', [FIRST, text(LONG), END], { key: 'wrong' }],
  ['generation fails', 'stream', ['engine fails', FIRST, text(LONG), END]],
  ['the server goes away', 'stream', [FIRST, text(LONG), FLUSH, 'going away']],
  ['turns', 'multi', [...turnIn('a'), 1000, ...turnIn('a'), ...turnIn('b'), { close_socket: true }]],
  ['five contexts', 'multi', ['a', 'b', 'c', 'd', 'e'].flatMap(turnIn)],
  ['the default context', 'multi', [text(LONG), FLUSH, CLOSE]],
  ['a barge-in', 'multi', [inA(FIRST), inA(text(LONG)), inA(FLUSH), 210, inA(CLOSE), ...turnIn('b')]],
  [
    'keep-alives',
    'multi',
    [inA(FIRST), inA(text(LONG)), 5000, inA(END), 5000, inA(END), inA(FLUSH), inA(CLOSE)],
  ],
])('lints clean, with or without latency: %s, %s', async (_, kind, steps, options) => {
  for (const latencyMs of [0, 40, 400]) {
    expect((await played(kind, latencyMs, steps, options)).wrong).toEqual([]);
  }
});

it('reports a final without audio for an account without credits', async () => {
  const wire = await played('multi', 40, turnIn('a'), { key: 'local-no-credits' });
  expect(wire.wrong.map(({ id }) => id)).toEqual(['final-without-audio']);
});

it('the server breaks no rule for any messages in any order', async () => {
  const texts = [LONG, 'no end', ' ', '', 'a'.repeat(130), 'a, b. c! ', '$5. '].map((words) => text(words));
  const message = fc.constantFrom<object>(...texts, FLUSH, VOICE, FIRST, text('Hi. ', { flush: true }), {});
  const inContext = fc
    .tuple(fc.constantFrom<object>(CLOSE, CLOSE, ...texts, FLUSH, FIRST), fc.constantFrom('a', 'b', 'c'))
    .map(([fields, context_id]) => ({ ...fields, context_id }));
  const wait = fc.oneof({ weight: 4, arbitrary: fc.nat(3000) }, fc.nat(130_000));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('stream' as const, 'multi' as const),
      fc.constantFrom('', '&auto_mode=true', '&sync_alignment=true'),
      fc.constantFrom(0, 30, 300),
      fc.array(fc.oneof({ weight: 3, arbitrary: message }, { weight: 4, arbitrary: inContext }, wait), {
        maxLength: 16,
      }),
      async (kind, more, latencyMs, steps) => {
        // A stream ignores the context of a message.
        const sent = steps.map((step) =>
          kind === 'stream' && typeof step === 'object' && 'context_id' in step ? nonsense(step) : step,
        );
        const wire = await played(kind, latencyMs, [FIRST, ...sent], { query: `${QUERY}${more}` });
        expect(wire.wrongOfServer).toEqual([]);
        expect(wire.misread).toEqual([]);
      },
    ),
    { numRuns: 30 },
  );
});
