import { describe, expect, it } from 'vitest';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointOf } from '#protocol/registry.ts';
import { ServedWorld } from './testing/served.ts';
import { samplesOf } from './testing/world.ts';

/** An endpoint without a message for a cancel, whose connection is replaced instead (wire-cancel-2). */

const KEY = 'ka_canary_1234';
const SETTINGS = { voice_description: 'A bass', language: 'English' };
const CONFIG = { type: 'config', api_key: KEY, ...SETTINGS };
const OCCUPIED = { type: 'error', message: 'All slots occupied, try again shortly', code: 4006 };
const FLUSH = { type: 'flush' };
const text = (said: string) => ({ type: 'text', text: said });

function worldOf(settings: object = SETTINGS): ServedWorld {
  const world = new ServedWorld(endpointOf('murmr'));
  world.do({ type: 'settings', settings: { ...settings } });
  world.attachPlayer(world.rate);
  return world;
}

/** Turns are sent, of which the first has audio for 2 s. */
function speaking(...texts: string[]): ServedWorld {
  const world = worldOf();
  for (const said of texts) world.speak(said);
  world.accept();
  world.say(2000);
  world.advance(500);
  return world;
}

const states = ({ turns }: ServedWorld) => [...turns.values()].map(({ state }) => state);

describe('a turn', () => {
  it('waits for config_ack with the key in config alone, and has figures for its chunk and no charge', () => {
    const world = worldOf();
    world.speak('Hello there.');
    world.socket.open();
    expect(world.socket.sent).toEqual([CONFIG]);
    world.socket.say({ type: 'config_ack', session_id: 'a1b2c3d4' });
    expect(world.socket.sent).toEqual([CONFIG, text('Hello there.'), FLUSH]);
    expect(world.socket.address).not.toContain(KEY);
    world.say(200);
    world.end();
    world.advance(800);
    const turn = world.turn(1);
    expect(turn).toMatchObject({
      billing: 'none',
      usage: { audioSeconds: 0.2, characters: 12, costCents: null },
      chunks: [
        {
          startedMs: null,
          wordSource: 'estimated',
          words: [{ word: 'Hello' }, { word: 'there' }],
          figures: { firstAudioMs: 20, audioMs: 200, audioFrames: 1 },
        },
      ],
    });
    expect(world.seen.totals).toMatchObject({ costCents: 0, unreportedCosts: 1, planCharacters: 12 });
  });

  it('requests binary mode before its text, and completes a sample over two binary frames', () => {
    const world = worldOf({ ...SETTINGS, binary_mode: true });
    world.speak('Hi.');
    world.accept();
    expect(world.socket.sent).toEqual([CONFIG, { type: 'binary_mode' }, text('Hi.'), FLUSH]);
    const bytes = new Uint8Array(samplesOf(200, 8000, world.rate).buffer);
    world.socket.say(bytes.slice(0, 1001));
    world.socket.say(bytes.slice(1001));
    world.end();
    world.advance(800);
    expect(world.turn(1)).toMatchObject({ state: 'ended', samples: 4800, audioBytes: 9600 });
    expect(world.turn(1).heardToMs).not.toBeNull();
    expect(world.problems).toEqual([]);
  });

  it('reports a refused generation, and the rest is heard', () => {
    const world = worldOf();
    world.speak('This sentence is just long enough to be spoken alone. The rest.');
    world.accept();
    world.socket.say(OCCUPIED);
    world.say(200);
    world.end();
    world.advance(800);
    expect(world.turn(1)).toMatchObject({ state: 'ended', chunks: [{ text: 'The rest.' }] });
    expect(world.seen.problems).toMatchObject([
      { turn: 1, title: 'A piece of the text was not spoken', remedy: expect.stringMatching(/slot/) },
    ]);
  });

  it('fails where nothing of it was spoken', () => {
    const world = worldOf();
    for (const said of ['Hi.', 'Next.']) world.speak(said);
    world.accept();
    world.socket.say(OCCUPIED);
    world.say(200);
    world.end();
    world.advance(800);
    expect(states(world)).toEqual(['failed', 'ended']);
    expect(world.sockets).toHaveLength(1);
  });
});

describe('a cancel', () => {
  it('replaces the connection, and measures the time until the next turn could start', () => {
    const world = speaking('A long story.');
    const old = world.socket;
    world.do({ type: 'cancel' });
    expect(old.sent).toEqual([CONFIG, text('A long story.'), FLUSH]);
    expect(old.closedWith).toBe(1000);
    expect(world.sockets).toHaveLength(2);
    expect(world.socket.address).toBe(old.address);
    world.advance(80);
    expect(world.seen.connection?.state).toBe('connecting');
    world.socket.open();
    world.advance(25);
    expect(world.turn(1).reconnectMs).toBeNull();
    world.socket.say({ type: 'config_ack', session_id: 'a1b2c3d4' });
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled', lateFrames: 0 });
    expect(world.turn(1).reconnectMs).toBeCloseTo(105, 6);
    expect(world.socket.sent).toEqual([CONFIG]);
    // Later turns leave the time of the first.
    world.speak('Next.');
    world.advance(20);
    expect(world.turn(1).reconnectMs).toBeCloseTo(105, 6);
  });

  it('ends every turn that was sent, and each has the time of the reconnection', () => {
    const world = speaking('A long story.', 'And another.');
    world.do({ type: 'cancel' });
    world.accept();
    world.advance(20);
    expect(states(world)).toEqual(['cancelled', 'cancelled']);
    expect([1, 2].map((id) => world.turn(id).reconnectMs)).toEqual([0, 0]);
    expect(world.socket.sent).toEqual([CONFIG]);
  });

  it('separates typed text into two turns', () => {
    const world = worldOf();
    world.connect();
    world.socket.say({ type: 'config_ack', session_id: 'a1b2c3d4' });
    world.do({ type: 'say', text: 'Typed so far', origin: 'typed' });
    world.do({ type: 'cancel' });
    world.accept();
    world.do({ type: 'say', text: 'Anew', origin: 'typed' });
    world.do({ type: 'flush' });
    expect(world.socket.sent).toEqual([CONFIG, text('Anew'), FLUSH]);
  });

  it('may come again and again, with one connection at a time', () => {
    const world = speaking('Turn 1.');
    for (let id = 1; id <= 3; id += 1) {
      for (let presses = 0; presses < 2; presses += 1) world.do({ type: 'cancel' });
      world.speak(`Turn ${id + 1}.`);
      world.advance(10 * id);
      world.accept();
      world.say(100);
      world.advance(20);
      expect(world.turn(id).state).toBe('cancelled');
      expect(world.turn(id).reconnectMs).toBeCloseTo(10 * id, 6);
    }
    expect(world.sockets.map(({ closedWith }) => closedWith)).toEqual([1000, 1000, 1000, null]);
  });

  it('retries a connection that does not open, and keeps the text that waits', () => {
    const world = speaking('A long story.');
    world.do({ type: 'cancel' });
    world.speak('Next.');
    world.socket.close(1006);
    world.advance(20);
    expect(world.seen.connection?.state).toBe('retrying');
    world.advance(1000);
    world.accept();
    expect(world.socket.sent).toEqual([CONFIG, text('Next.'), FLUSH]);
    expect(world.problems).toEqual([]);
  });

  it('opens no connection while one is being closed', () => {
    const world = speaking('A long story.');
    world.do({ type: 'disconnect' });
    world.do({ type: 'cancel' });
    world.socket.close(1000);
    world.advance(20_000);
    expect(world.isAudible()).toBe(false);
    expect(world.sockets).toHaveLength(1);
    expect(world.seen.connection?.state).toBe('closed');
  });
});

it('a disconnect before the acknowledgement cancels the text that waits', () => {
  const world = worldOf();
  world.speak('Hi.');
  world.socket.open();
  world.do({ type: 'disconnect' });
  world.socket.close(1000);
  world.advance(20_000);
  expect(world.sockets).toHaveLength(1);
  expect(states(world)).toEqual(['cancelled']);
});

it('a cancelled turn is over with its end, also where its connection has not reported the opening', () => {
  const endpoint = endpointOf('elevenlabs-stream');
  const world = new ServedWorld(endpoint);
  world.speak('Hi.');
  world.accept();
  const ahead = world.sockets.at(-1);
  const [speech, ...rest] = protocolOf(endpoint).exampleTurn('Hi.', '');
  ahead?.say(speech);
  world.do({ type: 'cancel' });
  for (const frame of [...rest, speech]) ahead?.say(frame);
  world.advance(20);
  expect(states(world)).toEqual(['cancelled', 'cancelled', 'receiving']);
});
