import fc from 'fast-check';
import { expect, it } from 'vitest';
import { murmr } from '#protocol/murmr/realtime.ts';
import { settle } from '../fake-clock.test-helper.ts';
import { LintedWire } from '../linted-wire.test-helper.ts';
import type { Frame } from '../socket-client.test-helper.ts';
import {
  CLONED_VOICE,
  CONFIG,
  createTestAccess,
  createWorld,
  FLUSH,
  PING,
  text,
} from './session-world.test-helper.ts';
import { promptOf } from './voice-prompt.ts';

/** One step of a session: a message, a wait in ms, or an event at the server. */
type Step = Frame | number | 'engine fails' | 'going away';

const BINARY_MODE = { type: 'binary_mode' };
const CLONED = { type: 'config', api_key: 'local', voice_clone_prompt: promptOf(CLONED_VOICE) };
const LONG =
  'Good morning to all of you. The train at nine is late, so there is time for a coffee; take your time! ';

/** The wire of a session over a network with this latency. */
async function played(latencyMs: number, steps: readonly Step[]): Promise<LintedWire> {
  const world = createWorld(createTestAccess(), {
    sent: (payload) => wire.receives(payload),
    closed: (code) => wire.closes(code),
  });
  const wire = new LintedWire(murmr.id, world.clock, latencyMs);
  for (const step of [...steps, 60_000]) {
    if (step === 'engine fails') world.engine.failNext();
    else if (step === 'going away') world.session.goingAway();
    else if (typeof step === 'number') {
      await world.clock.advance(step);
      wire.passes();
    } else {
      const payload = JSON.stringify(step);
      wire.sends(payload, () => world.session.text(payload));
      await settle();
    }
  }
  return wire;
}

const TURN = [text(LONG), FLUSH];
const TOKENS = LONG.repeat(3)
  .split(/(?<= )/)
  .flatMap((token) => [text(token), 30]);

it.each<[string, Step[]]>([
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
  const message = fc.constantFrom<Step>(...texts, FLUSH, PING, BINARY_MODE, CONFIG);
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
