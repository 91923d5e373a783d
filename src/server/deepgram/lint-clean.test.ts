import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type LintedStep, LintedWire } from '../linted-wire.test-helper.ts';
import { nonsense } from '../session-world.test-helper.ts';
import {
  CLEAR,
  CLOSE,
  createWorld,
  FLUSH,
  INTERRUPT,
  interruptAt,
  speak,
} from './session-world.test-helper.ts';

const OF = {
  aura: { id: 'deepgram', address: '/v1/speak?model=aura-2-thalia-en' },
  flux: { id: 'deepgram-flux', address: '/v2/speak?model=flux-alexis-en' },
} as const;
const FORMAT = 'encoding=linear16&sample_rate=24000';

/** The wire of a session over a network with this latency. */
function played(
  family: keyof typeof OF,
  latencyMs: number,
  steps: readonly LintedStep[],
  format = FORMAT,
): Promise<LintedWire> {
  const { id, address } = OF[family];
  const wire = new LintedWire(id, latencyMs, `ws://host.test/deepgram${address}&${format}`);
  const query = `${address.slice(address.indexOf('?') + 1)}&${format}`;
  return wire.play(createWorld(family, { query, client: wire }), [...steps, CLOSE, 30_000]);
}

const LONG = 'Good morning to all of you. The train at nine is late, so there is time for a coffee. ';
const TOKENS = LONG.repeat(2)
  .split(/(?<= )/)
  .flatMap((token) => [speak(token), 30]);
const TURN = [speak(LONG), FLUSH];
const configure = (speed: number) => ({ type: 'Configure', speed });

it.each<[string, keyof typeof OF, LintedStep[], string?]>([
  ['tokens of a model', 'aura', [...TOKENS, FLUSH]],
  ['turns', 'aura', [...TURN, 1000, ...TURN, ...TURN]],
  ['a barge-in', 'aura', [...TURN, 50, CLEAR, 500, ...TURN]],
  ['an empty flush', 'aura', [...TURN, 1000, FLUSH]],
  ['µ-law', 'aura', TURN, 'encoding=mulaw&sample_rate=8000'],
  ['generation fails', 'aura', ['engine fails', ...TURN]],
  ['the server goes away', 'aura', [...TURN, 'going away']],
  ['tokens of a model', 'flux', [...TOKENS, FLUSH]],
  ['turns that wait', 'flux', [...TURN, ...TURN, 1000, ...TURN]],
  ['a barge-in', 'flux', [speak(LONG), 50, INTERRUPT, 500, ...TURN]],
  ['a barge-in at a place', 'flux', [speak(LONG), 1000, interruptAt(300), 1000, ...TURN]],
  ['another pace', 'flux', [configure(1.05), ...TURN, configure(0.9), ...TURN]],
  ['A-law', 'flux', TURN, 'encoding=alaw&sample_rate=16000'],
  ['generation fails', 'flux', ['engine fails', ...TURN]],
  ['the server goes away', 'flux', [...TURN, 'going away']],
])('lints clean, with or without latency: %s, %s', async (_, family, steps, format) => {
  for (const latencyMs of [0, 40, 400]) {
    expect((await played(family, latencyMs, steps, format)).wrong).toEqual([]);
  }
});

it('the server breaks no rule for any messages in any order', async () => {
  const texts = [LONG, 'no end', 'a, b. c! ', '$5. ', '<break/>Hi. '].map(speak);
  const messages = {
    aura: fc.constantFrom<object[]>(
      ...[...texts, FLUSH, FLUSH, CLEAR, speak(''), speak(' '), nonsense({ type: 'Reset' })].map((each) => [
        each,
      ]),
    ),
    // A flush without a turn is answered as an interrupt without one is, and a reader cannot tell them apart.
    flux: fc.constantFrom<object[]>(
      ...texts.flatMap((each) => [[each], [each, FLUSH]]),
      ...[INTERRUPT, interruptAt(100), interruptAt(700), configure(0.9), configure(3)].map((each) => [each]),
    ),
  };
  const wait = fc.oneof({ weight: 4, arbitrary: fc.nat(3000) }, fc.nat(70_000));
  const session = fc.constantFrom('aura' as const, 'flux' as const).chain((family) =>
    fc.tuple(
      fc.constant(family),
      fc.array(
        fc.oneof(
          { weight: 4, arbitrary: messages[family] },
          wait.map((ms) => [ms]),
        ),
        { maxLength: 16 },
      ),
    ),
  );
  // An interrupt is refused, so the text behind it is of the same turn; it ends before the interrupt behind its flush.
  const refused = [speak('no end'), interruptAt(700), speak('a, b. c! '), FLUSH, interruptAt(700)];
  await fc.assert(
    fc.asyncProperty(session, fc.constantFrom(0, 30, 300), async ([family, steps], latencyMs) => {
      const wire = await played(family, latencyMs, steps.flat());
      expect(wire.wrongOfServer).toEqual([]);
      expect(wire.misread).toEqual([]);
    }),
    { numRuns: 30, examples: [[['flux', [refused, [10_001]]], 300]] },
  );
});
