import fc from 'fast-check';
import { expect, it } from 'vitest';
import { murmr } from '#protocol/murmr/endpoints.ts';
import { type LintedStep, LintedWire } from '../linted-wire.test-helper.ts';
import {
  CLONED_VOICE,
  CONFIG,
  createTestAccess,
  createWorld,
  FLUSH,
  PING,
  text,
} from './session-world.test-helper.ts';
import { promptOf } from './voice-choice.ts';

const BINARY_MODE = { type: 'binary_mode' };
const CLONED = { type: 'config', api_key: 'local', voice_clone_prompt: promptOf(CLONED_VOICE) };
const LONG =
  'Good morning to all of you. The train at nine is late, so there is time for a coffee; take your time! ';

/** The wire of a session over a network with this latency. */
function played(latencyMs: number, steps: readonly LintedStep[]): Promise<LintedWire> {
  const wire = new LintedWire(murmr.id, latencyMs);
  return wire.play(createWorld(createTestAccess(), wire), [...steps, 60_000]);
}

const TURN = [text(LONG), FLUSH];
const TOKENS = LONG.repeat(3)
  .split(/(?<= )/)
  .flatMap((token) => [text(token), 30]);

it.each<[string, LintedStep[]]>([
  ['tokens of a model, in binary mode', [CONFIG, 1000, BINARY_MODE, ...TOKENS, FLUSH]],
  ['turns pipelined', [CONFIG, ...TURN, ...TURN, ...TURN]],
  ['a saved voice, then another config', [CLONED, ...TURN, CONFIG, text('Another voice.'), FLUSH]],
  ['flush with nothing, and pings', [CONFIG, FLUSH, PING, text('One'), FLUSH, FLUSH, PING, PING]],
  ['a wrong key', [{ ...CONFIG, api_key: 'wrong' }, ...TURN]],
  ['no slot free', [{ ...CONFIG, api_key: 'local-busy' }, text('One'), FLUSH, text('Two'), FLUSH]],
  ['generation fails', ['engine fails', CONFIG, text('One'), FLUSH]],
  ['text that is never flushed', [CONFIG, text('One')]],
  ['the server goes away while speaking', [CONFIG, ...TURN, 210, 'going away']],
])('lints clean, with or without latency: %s', async (_, steps) => {
  for (const latencyMs of [0, 40, 400]) expect((await played(latencyMs, steps)).wrong).toEqual([]);
});

it('the server breaks no rule for any messages in any order', async () => {
  const texts = [LONG, 'no end', ' ', 'a'.repeat(500), 'a, b. c! ', 'b'.repeat(4000)].map(text);
  const message = fc.constantFrom<LintedStep>(...texts, FLUSH, PING, BINARY_MODE, CONFIG);
  const step = fc.oneof({ weight: 5, arbitrary: message }, { weight: 1, arbitrary: fc.nat(3000) });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 30, 300),
      fc.array(step, { maxLength: 16 }),
      async (latencyMs, steps) => {
        const wire = await played(latencyMs, [CONFIG, ...steps]);
        expect(wire.wrongOfServer).toEqual([]);
        expect(wire.misread).toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
});
