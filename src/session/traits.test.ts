import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Dialect, DialectTraits } from '#protocol/core/endpoint.ts';
import { LIMITED_KEY, LOCAL_KEY } from '#protocol/core/servers.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointOf } from '#protocol/registry.ts';
import { SceneWorld } from './testing/stage.ts';
import { audioFrame, completed, ended, samplesOf, started, World } from './testing/world.ts';

/** What a session makes of the traits of a connection that no endpoint so far has. */

afterEach(() => vi.restoreAllMocks());

/** Gives all connections of an endpoint other traits, and the frames that they have. */
function give(id: 'kugel-stream' | 'kugel-multi', traits: Partial<DialectTraits>): void {
  const protocol = protocolOf(endpointOf(id));
  const { open } = protocol;
  vi.spyOn(protocol, 'open').mockImplementation((options): Dialect => {
    const dialect = open(options);
    return {
      traits: { ...dialect.traits, ...traits },
      encode: (intent) => dialect.encode(intent),
      decode: (frame) => dialect.decode(frame),
    };
  });
}

const textsOf = (world: World, at: number): unknown[] =>
  (world.sockets[at]?.sent ?? []).flatMap((frame) => {
    const { text, flush } = frame as { text?: string; flush?: true };
    return text ?? (flush ? ['flush'] : []);
  });

/** Connects, and speaks a turn to its end. */
function spoken(): World {
  const world = new World();
  world.connect();
  world.do({ type: 'speak', text: 'One.' });
  world.advance(10);
  for (const frame of [started('One.'), audioFrame(samplesOf(200)), completed(), ended()])
    world.socket.say(frame);
  world.advance(10);
  return world;
}

describe.each<[string, Partial<DialectTraits>]>([
  ['after its idle time', { idleMs: 20_000 }],
  ['of its greatest age', { maxAgeMs: 20_000 }],
])('a connection that the server may close %s', (_, traits) => {
  it('is used until a second before', () => {
    give('kugel-stream', traits);
    const world = spoken();
    world.advance(18_000);
    world.do({ type: 'speak', text: 'Two.' });
    world.advance(10);
    expect(world.sockets).toHaveLength(1);
    expect(textsOf(world, 0)).toEqual(['One.', 'flush', 'Two.', 'flush']);
  });

  it('is replaced before text goes out on it', () => {
    give('kugel-stream', traits);
    const world = spoken();
    world.advance(19_500);
    world.do({ type: 'speak', text: 'Two.' });
    world.advance(10);
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    world.advance(10);
    expect(textsOf(world, 0)).toEqual(['One.', 'flush']);
    expect(textsOf(world, 1)).toEqual(['Two.', 'flush']);
    expect(world.problems).toEqual([]);
  });

  it('is not replaced under a turn that is being spoken', () => {
    give('kugel-stream', traits);
    const world = spoken();
    world.do({ type: 'say', text: 'Two ', origin: 'typed' });
    world.advance(19_900);
    world.do({ type: 'say', text: 'words.', origin: 'typed' });
    world.advance(10);
    expect(world.sockets).toHaveLength(1);
    expect(textsOf(world, 0)).toEqual(['One.', 'flush', 'Two ', 'words.']);
  });
});

it('what exceeds a budget of characters waits, in order, and goes out as soon as there is room', () => {
  give('kugel-stream', { budgets: [{ of: 'characters', amount: 10, withinMs: 1000 }] });
  const world = new World();
  world.connect();
  for (const text of ['12345678', 'abcdefgh', 'and more than all of it'])
    world.do({ type: 'say', text, origin: 'typed' });
  world.do({ type: 'flush' });
  world.advance(998);
  expect(textsOf(world, 0)).toEqual(['12345678']);
  world.advance(10);
  expect(textsOf(world, 0)).toEqual(['12345678', 'abcdefgh']);
  world.advance(1000);
  expect(textsOf(world, 0)).toEqual(['12345678', 'abcdefgh', 'and more than all of it', 'flush']);
});

it('a budget of flushes delays no text of other turns', () => {
  give('kugel-stream', { budgets: [{ of: 'flushes', amount: 1, withinMs: 60_000 }] });
  const world = spoken();
  world.do({ type: 'speak', text: 'Two.' });
  world.advance(59_000);
  expect(textsOf(world, 0)).toEqual(['One.', 'flush', 'Two.']);
  world.advance(2000);
  expect(textsOf(world, 0)).toEqual(['One.', 'flush', 'Two.', 'flush']);
});

it('text over a budget goes out before smaller texts of other contexts that came later', () => {
  give('kugel-multi', { budgets: [{ of: 'characters', amount: 20, withinMs: 1000 }] });
  const stage = new SceneWorld();
  stage.perform(['a']);
  stage.opens('a');
  stage.perform(['b', 'a']);
  for (let passed = 0; passed < 6; passed += 1) {
    stage.advance(400);
    stage.perform(['b']);
  }
  expect(stage.frames.filter(({ context_id, text }) => context_id === 'a' && text)).toHaveLength(2);
});

it('a budget of flushes that is spent for long delays no text of a budget that is free soon', () => {
  give('kugel-stream', {
    budgets: [
      { of: 'flushes', amount: 1, withinMs: 60_000 },
      { of: 'characters', amount: 4, withinMs: 1000 },
    ],
  });
  const world = new World();
  world.connect();
  world.do({ type: 'speak', text: 'One.' });
  world.do({ type: 'speak', text: 'Two.' });
  world.do({ type: 'speak', text: 'Six.' });
  world.advance(2500);
  expect(textsOf(world, 0)).toEqual(['One.', 'flush', 'Two.']);
  world.advance(60_000);
  expect(textsOf(world, 0).slice(3)).toEqual(['flush', 'Six.']);
});

it('where no cancel is confirmed, the next text goes out at once, and the end of the cancelled turn makes way for it', () => {
  give('kugel-stream', { cancel: 'unconfirmed' });
  const world = new World();
  world.attachPlayer();
  world.connect();
  world.do({ type: 'speak', text: 'One.' });
  world.socket.say(started('One.'));
  world.do({ type: 'cancel' });
  world.do({ type: 'speak', text: 'Two.' });
  world.advance(30);
  expect(textsOf(world, 0)).toEqual(['One.', 'flush', 'Two.', 'flush']);
  const speech = (text: string, value: number): object[] => [
    started(text),
    audioFrame(samplesOf(200, value)),
    completed(),
    ended(),
  ];
  for (const frame of [...speech('One.', 1000).slice(1), ...speech('Two.', 9000)]) world.socket.say(frame);
  world.advance(3000);
  expect([world.turn(1), world.turn(2)]).toMatchObject([
    { state: 'cancelled', lateFrames: 1, samples: 0 },
    { state: 'ended', audioFrames: 1, lateFrames: 0 },
  ]);
  expect(world.turns.size).toBe(2);
  expect(world.problems).toEqual([]);
});

it('where no opening is confirmed, the flush follows its text at once', () => {
  give('kugel-multi', { confirmsOpening: false });
  const stage = new SceneWorld();
  stage.perform(['a']);
  expect(stage.frames.slice(1)).toEqual([{ flush: true, context_id: 'a' }]);
});

it.each([
  ['sends at once on the local server', 'ws://127.0.0.1:4173/deepgram', LOCAL_KEY, 25],
  ['sends at once on the local server with faults', 'ws://h/faults/jitter=5/deepgram', LOCAL_KEY, 25],
  ['waits there with the key under limits', 'ws://127.0.0.1:4173/deepgram', LIMITED_KEY, 20],
  ['waits behind the relay', 'ws://127.0.0.1:4173/relay/deepgram', 'dg', 20],
  ['waits on the vendor’s cloud', 'wss://api.deepgram.com', 'dg', 20],
])('a page that flushes often %s', (_, base, key, flushes) => {
  const world = new World(undefined, endpointOf('deepgram'));
  world.do({ type: 'target', target: { endpoint: 'deepgram', base, key }, settings: world.settings });
  world.connect();
  for (let turn = 0; turn < 25; turn += 1) world.do({ type: 'speak', text: 'Hi.' });
  world.advance(1000);
  const isFlush = (frame: unknown) => (frame as { type?: string }).type === 'Flush';
  expect(world.sockets[0]?.sent.filter(isFlush)).toHaveLength(flushes);
});
