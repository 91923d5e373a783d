import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { LintedWire } from '../linted-wire.test-helper.ts';
import { createWorld, VOICE } from './session-world.test-helper.ts';

/** One step of a session: a message, a wait in ms, or an event at the server. */
type Step = object | number | 'engine fails' | 'going away';

interface Played {
  kind: 'stream' | 'multi';
  query?: string;
  key?: string;
  latencyMs?: number;
}

/** The wire of a session over a network with this latency. */
async function played({ kind, query = '', key = 'local', latencyMs = 0 }: Played, steps: readonly Step[]) {
  const address = `output_format=pcm_24000&inactivity_timeout=180${query}`;
  const world = createWorld(kind, {
    query: address,
    key,
    watch: { sent: (message) => wire.receives(message), closed: (code) => wire.closes(code) },
  });
  const path = `wss://h/v1/text-to-speech/${VOICE}/${kind === 'stream' ? '' : 'multi-'}stream-input?${address}`;
  const wire = new LintedWire(`elevenlabs-${kind}`, world.clock, latencyMs, path);
  for (const step of [...steps, 60_000]) {
    if (step === 'engine fails') world.engine.failNext();
    else if (step === 'going away') world.session.goingAway();
    else if (typeof step === 'number') {
      await world.clock.advance(step);
      wire.passes();
    } else if (world.closes.length === 0) {
      const payload = JSON.stringify(step);
      wire.sends(payload, () => world.session.text(payload));
      await settle();
    }
  }
  return wire;
}

/** Rules of order that only a client breaks. */
const OF_CLIENT = ['first-without-text', 'text-after-end'];

const FIRST = { text: ' ', voice_settings: { stability: 0.5 }, xi_api_key: 'local' };
const LONG = 'Good morning to all of you. The train at nine is late, so there is time for a coffee. ';
const END = { text: '' };
const TOKENS = LONG.repeat(3)
  .split(/(?<= )/)
  .flatMap((text) => [{ text }, 30]);
const say = (context_id: string, text: string, more = {}) => ({ text, context_id, ...more });
const end = (context_id: string) => [
  { context_id, flush: true },
  { context_id, close_context: true },
];

it.each<[string, Played, Step[]]>([
  ['tokens of a model', { kind: 'stream' }, [FIRST, ...TOKENS, END]],
  ['with sync_alignment', { kind: 'stream', query: '&sync_alignment=true' }, [FIRST, { text: LONG }, END]],
  [
    'sentences in auto mode',
    { kind: 'stream', query: '&auto_mode=true' },
    [FIRST, { text: 'One. ' }, { text: 'Two. ' }, END],
  ],
  ['a flush, then the end', { kind: 'stream' }, [FIRST, { text: LONG, flush: true }, END]],
  ['nothing to speak', { kind: 'stream' }, [FIRST, END]],
  ['a wrong key', { kind: 'stream', key: '' }, [{ text: ' ', xi_api_key: 'wrong' }]],
  ['the engine fails', { kind: 'stream' }, ['engine fails', FIRST, { text: LONG }, END]],
  ['the server goes away', { kind: 'stream' }, [FIRST, { text: LONG, flush: true }, 'going away']],
  ['turns in contexts', { kind: 'multi' }, [say('a', LONG), ...end('a'), say('b', LONG), ...end('b')]],
  [
    'a barge-in',
    { kind: 'multi' },
    [say('a', LONG, { flush: true }), { context_id: 'a', close_context: true }, say('b', LONG), ...end('b')],
  ],
  [
    'an id that is used again',
    { kind: 'multi' },
    [say('a', LONG), ...end('a'), 1000, say('a', LONG), ...end('a')],
  ],
  ['a goodbye', { kind: 'multi' }, [say('a', LONG), say('b', LONG), { close_socket: true }]],
])('lints clean, with or without latency: %s', async (_, options, steps) => {
  for (const latencyMs of [0, 40, 400]) {
    expect((await played({ ...options, latencyMs }, steps)).wrongOfServer).toEqual([]);
  }
});

describe('the server breaks no rule for any messages in any order', () => {
  const texts = [LONG, 'no end', ' ', '', 'a, b. c! ', 'Hel', 'word '.repeat(60)];
  const ids = ['a', 'b', undefined];
  const STREAM = [
    ...texts.map((text) => ({ text })),
    { text: 'x. ', flush: true },
    { text: LONG, try_trigger_generation: true },
    FIRST,
    {},
  ];
  const MULTI = ids.flatMap((context_id) => [
    ...texts.map((text) => ({ text, context_id })),
    { context_id, flush: true },
    { context_id, close_context: true },
    { text: 'x. ', context_id, flush: true },
  ]);
  it.each([
    ['stream', STREAM],
    ['multi', MULTI],
  ] as const)('%s', async (kind, messages) => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom<Step>(...messages) },
      { weight: 1, arbitrary: fc.nat(3000) },
    );
    const options = fc.record({
      // With latency, a client uses an id again before it knows of the end.
      latencyMs: fc.constantFrom(...(kind === 'multi' ? [0] : [0, 30, 300])),
      query: fc.constantFrom('', '&auto_mode=true', '&sync_alignment=true'),
    });
    await fc.assert(
      fc.asyncProperty(options, fc.array(step, { maxLength: 14 }), async (chosen, steps) => {
        const wire = await played({ kind, ...chosen }, steps);
        expect(wire.wrongOfServer.filter(({ id }) => !OF_CLIENT.includes(id))).toEqual([]);
        expect(wire.misread).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});
