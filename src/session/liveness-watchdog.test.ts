import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { audioFrame, completed, ended, samplesOf, started, World } from './testing/world.ts';

const NOTICE = 'No frame from the server for 15 s';

const notices = ({ seen }: World) => (seen.problems ?? []).filter(({ title }) => title === NOTICE);

function speaking(): World {
  const world = new World();
  world.connect();
  world.do({ type: 'speak', text: 'Hi. Ho.' });
  return world;
}

describe('a connection that is half open', () => {
  it('is named 15 s after the last frame of a turn, beside the turn', () => {
    const world = speaking();
    world.socket.say(started('Hi.'));
    world.advance(9000);
    world.socket.say(audioFrame(samplesOf(100)));
    world.advance(14_900);
    expect(notices(world)).toEqual([]);
    world.advance(200);
    expect(notices(world)).toMatchObject([{ turn: 1, severity: 'warning' }]);
    world.advance(100_000);
    expect(notices(world)).toHaveLength(1);
    expect(world.turn(1).state).toBe('receiving');
  });

  it.each(['cancel', 'disconnect'] as const)('is left by %s, and the next turn gets another one', (type) => {
    const world = speaking();
    world.advance(16_000);
    world.do({ type });
    world.do({ type: 'speak', text: 'Again.' });
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    world.advance(100);
    expect(world.turn(1).state).toBe(type === 'cancel' ? 'cancelled' : 'lost');
    expect(world.socket.sent).toContainEqual(expect.objectContaining({ text: 'Again.' }));
    // The reason of the loss stays, and is no reason for the next turn.
    expect(notices(world)).toMatchObject([{ turn: 1 }]);
  });

  it('is named while a chunk is under way in a text that goes on', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'say', origin: 'typed', text: 'One. ' });
    world.socket.say(started('One.'));
    for (let second = 0; second < 16; second += 1) {
      world.do({ type: 'say', origin: 'typed', text: 'and ' });
      world.advance(1000);
    }
    expect(notices(world)).toMatchObject([{ turn: 1 }]);
  });

  it('is named before the server has accepted the configuration', () => {
    const world = new World(undefined, endpointOf('murmr'));
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    world.advance(16_000);
    expect(notices(world)).toMatchObject([{ turn: null }]);
  });

  it('is left where the server does not close it, and text that waits is sent on the next one', () => {
    const world = speaking();
    world.do({ type: 'disconnect' });
    world.advance(14_000);
    world.do({ type: 'speak', text: 'Later.' });
    expect(world.sockets).toHaveLength(1);
    world.advance(2000);
    expect(notices(world)).toMatchObject([{ turn: null, detail: expect.stringContaining('did not close') }]);
    expect(world.turn(1).state).toBe('lost');
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    expect(world.socket.sent).toContainEqual({ text: 'Later.' });
  });
});

describe('a server that is only slow', () => {
  it('is no longer named once it continues, and named again at a further pause', () => {
    const world = speaking();
    for (let pauses = 0; pauses < 2; pauses += 1) {
      world.advance(16_000);
      expect(notices(world)).toHaveLength(1);
      world.socket.say(started('Hi.'));
      world.advance(100);
      expect(notices(world)).toEqual([]);
    }
  });

  it('is not named where any frame comes within 15 s', () => {
    const world = speaking();
    for (let at = 0; at < 5; at += 1) {
      world.advance(14_000);
      world.socket.say({ pong: true });
    }
    world.socket.say(ended());
    world.advance(60_000);
    expect(notices(world)).toEqual([]);
    expect(world.timers).toBe(0);
  });

  it('is not named because the connection was quiet before, and a later turn does not extend the wait', () => {
    const world = new World();
    world.connect();
    world.advance(14_000);
    world.do({ type: 'speak', text: 'Hi.' });
    world.advance(14_000);
    expect(notices(world)).toEqual([]);
    world.do({ type: 'speak', text: 'Ho.' });
    world.advance(1100);
    expect(notices(world)).toMatchObject([{ turn: 1 }]);
  });

  it('is not named while the person pauses', () => {
    const world = new World();
    world.connect();
    world.advance(60_000);
    world.do({ type: 'say', origin: 'typed', text: 'One. Two' });
    world.advance(60_000);
    for (const frame of [started('One.'), audioFrame(samplesOf(100)), completed()]) world.socket.say(frame);
    world.advance(60_000);
    expect(notices(world)).toEqual([]);
  });
});
