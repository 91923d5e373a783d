import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cartesia } from '#protocol/cartesia/endpoints.ts';
import type { Version } from '#protocol/cartesia/wire/settings.ts';
import { type LintedStep, LintedWire } from '../linted-wire.test-helper.ts';
import { createWorld, end, say, VOICE } from './session-world.test-helper.ts';

/** The wire of a session over a network with this latency. */
async function played(
  latencyMs: number,
  steps: readonly LintedStep[],
  version: Version = '2026-08-14',
): Promise<LintedWire> {
  const address = `ws://host.test${cartesia.path}?cartesia_version=${version}`;
  const wire = new LintedWire(cartesia.id, latencyMs, address);
  return wire.play(await createWorld({ version, client: wire }), [...steps, 60_000]);
}

const LONG =
  'Good morning to all of you. The train at nine is late, so there is time for a coffee; take it! ';
const TIMES = { add_timestamps: true };
const AT_ONCE = { ...TIMES, max_buffer_delay_ms: 0, voice: { mode: 'id', id: VOICE } };
const tokens = (id: string, more: object = {}) =>
  LONG.repeat(3)
    .split(/(?<= )/)
    .flatMap((token): LintedStep[] => [say(id, token, more), 30]);
/** Waits of a client, which are no fault of the server. */
const WAITS: readonly string[] = ['context-idle', 'buffer-waits'];
const cancel = (context_id: string) => ({ context_id, cancel: true });

it.each<[string, LintedStep[], Version?]>([
  ['tokens of a model', [...tokens('a', TIMES), end('a', TIMES)]],
  ['the end with the last text', [say('a', LONG, { ...TIMES, continue: false })]],
  [
    'flushes',
    [say('a', LONG), say('a', '', { flush: true }), say('a', LONG), say('a', '', { flush: true }), end('a')],
  ],
  ['sentences at once', [say('a', LONG, AT_ONCE), say('a', LONG, AT_ONCE), end('a', AT_ONCE)], '2025-04-16'],
  ['turns', [say('a', LONG), end('a'), 1000, say('b', LONG), end('b')]],
  ['contexts at once', ['a', 'b', 'c'].flatMap((id) => [say(id, LONG), end(id)])],
  ['a barge-in', [...tokens('a'), cancel('a'), say('b', LONG), end('b')]],
  ['numbers and signs', [say('a', 'It costs $25 on 3/4, and 2 + 2 is 4. ', TIMES), end('a', TIMES)]],
  [
    'Chinese',
    [
      say('a', '你好，世界。今天天气很好。', { ...TIMES, language: 'zh' }),
      end('a', { ...TIMES, language: 'zh' }),
    ],
  ],
  ['generation fails', ['engine fails', say('a', LONG), end('a')]],
  ['the server goes away', [say('a', LONG, { continue: false }), 'going away']],
])('lints clean, with or without latency: %s', async (_, steps, version) => {
  for (const latencyMs of [0, 40, 400]) {
    const wire = await played(latencyMs, steps, version);
    expect(wire.wrong).toEqual([]);
    expect(wire.misread).toEqual([]);
  }
});

it('the server breaks no rule for any messages in any order', async () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const text = fc.constantFrom('', ' ', 'Hi. ', LONG, '… ', 'no end ', '$5. ');
  const settings = fc.constantFrom({}, TIMES, { max_buffer_delay_ms: 0 }, { language: 'gu' });
  const message = fc
    .tuple(id, text, fc.boolean(), fc.boolean(), settings)
    .map(([context, words, flush, more, given]) => say(context, words, { ...given, flush, continue: more }));
  const wait = fc.oneof({ weight: 4, arbitrary: fc.nat(3000) }, fc.nat(310_000));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 30, 300),
      fc.array(fc.oneof({ weight: 6, arbitrary: message }, id.map(cancel), wait), { maxLength: 16 }),
      async (latencyMs, steps) => {
        const wire = await played(latencyMs, steps);
        expect(wire.wrongOfServer.filter(({ id: rule }) => !WAITS.includes(rule))).toEqual([]);
        expect(wire.misread).toEqual([]);
      },
    ),
    { numRuns: 30 },
  );
});
