import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audioFrame, completed, ended, finished, samplesOf, started, World } from './testing/world.ts';

const markers = [
  'generation_started',
  'audio',
  'word_timestamps',
  'chunk_complete',
  'interrupted',
  'final',
  'session_closed',
  'warning',
  'settings_updated',
  'error',
  'context_id',
  'chunk_id',
  'idx',
  'sr',
  'samples',
  'enc',
  'usage',
  'text',
  'code',
];
const anyValue = fc.oneof(
  fc.constantFrom(
    true,
    null,
    '',
    0,
    -1,
    2 ** 53,
    1e308,
    'pcm_s16le',
    'mulaw',
    'alaw',
    400,
    500,
    24_000,
    8000,
  ),
  fc.base64String(),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Frames that are nearly right, frames that are right at the wrong time, and frames that are nothing at all. */
const anyFrame: fc.Arbitrary<unknown> = fc.oneof(
  fc.dictionary(fc.constantFrom(...markers), anyValue, { maxKeys: 8 }),
  fc.constantFrom<unknown>(
    started('x'),
    completed(),
    finished,
    ended(),
    { interrupted: true },
    { warning: 'w' },
    { error: 'e', code: 400 },
    { error: 'e', code: 500 },
    { error: 'e' },
    audioFrame(samplesOf(20)),
    audioFrame(samplesOf(20), 3, 1, 8000),
    { ...audioFrame(samplesOf(20)), audio: '====' },
    { ...audioFrame(samplesOf(20)), audio: 'AAA=' },
    { ...audioFrame(samplesOf(20)), enc: 'mulaw' },
    { word_timestamps: [{ word: 'x', start_ms: 9, end_ms: 1, char_start: 5, char_end: 2 }], chunk_id: 4 },
  ),
  fc.string(),
  fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
);

type Step = (world: World) => void;
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: anyFrame.map(
      (frame): Step =>
        (world) =>
          world.sockets.at(-1)?.say(frame),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        { type: 'speak', text: 'Hi.' } as const,
        { type: 'say', text: 'a b', origin: 'typed' } as const,
        { type: 'flush' } as const,
        { type: 'endTurn' } as const,
        { type: 'cancel' } as const,
        { type: 'connect' } as const,
        { type: 'disconnect' } as const,
        { type: 'settings', settings: { voice_id: 2 } } as const,
        { type: 'settings', settings: {} } as const,
        { type: 'replay', turn: 1, fromSample: 7 } as const,
        { type: 'replay', turn: 99, fromSample: -7 } as const,
        { type: 'stopReplay' } as const,
        { type: 'detachPlayer' } as const,
      )
      .map(
        (command): Step =>
          (world) =>
            world.do(command),
      ),
  },
  { weight: 2, arbitrary: fc.constantFrom<Step>((world) => world.sockets.at(-1)?.open()) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1000, 1006, 1012, 4001, 4500).map(
      (code): Step =>
        (world) =>
          world.sockets.at(-1)?.close(code),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>((world) => world.attachPlayer()) },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 3000 }).map(
      (ms): Step =>
        (world) =>
          world.advance(ms),
    ),
  },
);

describe('the session', () => {
  it('takes any frames, commands and closes in any order, and the turn after them works', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
        const world = new World();
        world.attachPlayer();
        world.connect();
        for (const step of steps) step(world);

        // Another server, so that nothing of the old one is in the way.
        world.attachPlayer();
        world.do({
          type: 'target',
          target: { endpoint: world.endpoint.id, base: 'ws://fresh', key: '' },
          settings: {},
        });
        const before = Math.max(0, ...world.turns.keys());
        world.do({ type: 'speak', text: 'Fine.' });
        world.socket.open();
        for (const frame of [started('Fine.'), audioFrame(samplesOf(200)), completed(), finished, ended()]) {
          world.socket.say(frame);
        }
        world.advance(1500);
        const last = world.turn(Math.max(...world.turns.keys()));
        expect(last.id).toBeGreaterThan(before);
        expect(last).toMatchObject({ state: 'ended', text: 'Fine.', samples: 3200 });
        expect(last.heardToMs).not.toBeNull();
      }),
      { numRuns: 300, seed: 20_261_121 },
    );
  }, 30_000);

  it('says of every frame that it cannot use what was wrong with it', () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        const world = new World();
        world.connect();
        world.do({ type: 'speak', text: 'Hi.' });
        world.socket.say(frame);
        world.advance(20);
        for (const problem of world.seen.problems ?? []) {
          expect(problem.title).not.toBe('');
          expect(problem.detail).not.toBe('');
        }
        const understood = world.endpoint
          .openWire('')
          .decode(
            typeof frame === 'string' || frame instanceof Uint8Array
              ? (frame as string)
              : JSON.stringify(frame),
          );
        const needsTelling = understood.some(
          ({ type }) => type === 'unknown' || type === 'malformed' || type === 'error',
        );
        if (needsTelling) expect(world.problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 300, seed: 20_261_121 },
    );
  });
});
