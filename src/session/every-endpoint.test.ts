import { describe, expect, it } from 'vitest';
import { linkedPorts } from '#lib/testing/linked-ports.ts';
import { handshakeOf, keylessAddress } from '#protocol/core/address.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { placesTo, ramp, rampPlaces, ServedWorld } from './testing/served.ts';

const KEY = 'ka_canary_1234';
const DELAYS_MS = [1000, 2000, 4000, 8000, 16_000];

/** Rules of every session, with the server of every endpoint. */
describe.each(ENDPOINTS)('a session on $id', (endpoint) => {
  function quietWorld(): ServedWorld {
    const world = new ServedWorld(endpoint);
    world.attachPlayer(world.rate);
    return world;
  }

  /** 2 s of audio came, of which 500 ms have been heard, and the turn goes on. */
  function speaking(how: 'speak' | 'begin' = 'speak'): ServedWorld {
    const world = quietWorld();
    world[how]('A long story.');
    world.accept();
    for (let frame = 0; frame < 10; frame += 1) world.say(200);
    world.advance(500);
    expect(world.heard.at(-1)).not.toBe(0);
    return world;
  }

  /** A speaker's track outlives its context for a while. */
  function rest(world: ServedWorld): void {
    if (world.seen.contexts?.some(({ state }) => state === 'closed')) world.advance(30_000);
  }

  const aim = (world: ServedWorld, base: string, key = KEY): void =>
    world.do({
      type: 'target',
      target: { endpoint: endpoint.id, base, key },
      settings: world.settings,
    });

  describe('a turn', () => {
    it('is heard to its end, each sample once, with a wait that adds up, and leaves no timer', () => {
      const world = quietWorld();
      world.speak('Hello there.');
      world.advance(40);
      expect(world.turn(1)).toMatchObject({ state: 'sending', text: 'Hello there.', firstTextMs: null });
      world.accept();
      expect(world.hasSent('Hello there.')).toBe(true);
      world.advance(100);
      expect(world.turn(1).state).toBe('waiting');
      world.start('Hello there.');
      for (const from of [0, 1000, 2000]) world.say(ramp(1000, from));
      world.end();
      world.advance(2000);
      expect(rampPlaces(world.heard)).toEqual(placesTo(3000));
      const turn = world.turn(1);
      expect(turn).toMatchObject({ state: 'ended', samples: 3000, audioFrames: 3, repeatable: true });
      const [chunk] = turn.chunks;
      expect(chunk).toMatchObject({ text: 'Hello there.', samples: 3000 });
      for (const { heardFromMs, heardToMs } of [turn, chunk ?? turn]) {
        expect((heardToMs ?? 0) - (heardFromMs ?? 0)).toBeCloseTo(3_000_000 / world.rate, 3);
      }
      const waitedMs = turn.wait?.reduce((sum, { ms }) => sum + ms, 0);
      expect(waitedMs).toBeCloseTo((turn.heardFromMs ?? 0) - (turn.firstTextMs ?? 0), 6);
      expect(world.problems).toEqual([]);
      rest(world);
      expect(world.timers).toBe(0);
    });

    it('waits for a sound output, and continues on another one', () => {
      const world = new ServedWorld(endpoint);
      world.speak('Hi.');
      world.accept();
      for (let frame = 0; frame < 5; frame += 1) world.say(200);
      world.advance(500);
      expect(world.turn(1).heardFromMs).toBeNull();
      for (let outputs = 0; outputs < 2; outputs += 1) {
        world.attachPlayer(world.rate);
        world.advance(300);
      }
      world.end();
      world.advance(1000);
      expect(world.turn(1).heardToMs).not.toBeNull();
      expect(world.turn(1).underruns).toEqual([]);
    });

    it('reports an underrun where it was heard, and none where nothing followed', () => {
      const world = quietWorld();
      world.speak('Hi.');
      world.accept();
      world.say(200);
      world.advance(600);
      const atSample = world.rate / 5;
      expect(world.turn(1).underruns).toMatchObject([{ atSample, lengthMs: null }]);
      world.say(400);
      world.advance(1000);
      world.end();
      world.advance(100);
      const [underrun, ...others] = world.turn(1).underruns;
      expect(underrun).toMatchObject({ atSample });
      expect(underrun?.lengthMs).toBeGreaterThan(100);
      expect(others).toEqual([]);
      expect(world.turn(1).heardToMs).not.toBeNull();
    });

    it('gives its received samples to a port, and nothing for a turn without audio', () => {
      const world = quietWorld();
      const samplesOf = (turn: number): Int16Array | null => {
        const [near, far] = linkedPorts();
        let samples: Int16Array | null | undefined;
        far.onmessage = ({ data }) => {
          samples = data;
        };
        world.do({ type: 'takeSamples', turn, port: near as unknown as MessagePort });
        if (samples === undefined) throw new Error('no answer');
        return samples;
      };
      world.speak('Hi.');
      world.accept();
      expect(samplesOf(1)).toBeNull();
      world.say(ramp(4000));
      world.end();
      world.advance(100);
      expect(samplesOf(1)).toHaveLength(world.turn(1).samples);
      expect(samplesOf(7)).toBeNull();
    });

    it('is heard again from a sample on, which changes none of its figures, until a new one is spoken', () => {
      const world = quietWorld();
      world.speak('Hi.');
      world.accept();
      world.say(ramp(4000));
      world.end();
      world.advance(1000);
      const before = structuredClone(world.turn(1));
      world.heard = [];
      world.do({ type: 'repeat', turn: 1, fromSample: 1600 });
      world.advance(60);
      expect(world.seen.player).toMatchObject({ repeating: true, tracks: [{ turn: 1, state: 'playing' }] });
      world.advance(500);
      expect(rampPlaces(world.heard)).toEqual(placesTo(4000).slice(1600));
      expect(world.turn(1)).toEqual(before);
      expect(world.seen.player).toMatchObject({ repeating: false, state: 'idle' });
      world.do({ type: 'repeat', turn: 1, fromSample: 0 });
      world.speak('Next.');
      world.accept();
      world.say(200);
      world.end();
      world.advance(1000);
      expect(world.turn(2).heardToMs).not.toBeNull();
      expect(world.seen.player?.repeating).toBe(false);
    });
  });

  describe('a cancel', () => {
    it('silences at once, drops late audio, and the next turn is heard', () => {
      const world = speaking();
      const { samples } = world.turn(1);
      const old = world.speaking;
      world.do({ type: 'cancel' });
      world.speak('Next.');
      world.say(200, old);
      expect(world.isAudible()).toBe(false);
      expect(world.turn(1).state).toBe('cancelled');
      expect(world.turn(1).heardToMs).not.toBeNull();
      expect(world.hasSent('Next.')).toBe(world.traits.cancel === 'unconfirmed');
      world.confirmCancel();
      world.say(300, old);
      world.say(200);
      world.end();
      world.advance(1000);
      expect(world.turn(1)).toMatchObject({ state: 'cancelled', samples });
      expect(world.turn(2)).toMatchObject({ state: 'ended', lateFrames: 0, heardToMs: expect.any(Number) });
      expect(world.turns.size).toBe(2);
      expect(world.problems).toEqual([]);
      rest(world);
      expect(world.timers).toBe(0);
    });

    it('only silences a turn that the server has ended', () => {
      const world = speaking();
      world.end();
      const sent = world.socket.sent.length;
      const { length } = world.sockets;
      world.do({ type: 'cancel' });
      expect(world.isAudible()).toBe(false);
      expect(world.socket.sent).toHaveLength(sent);
      expect(world.sockets).toHaveLength(length);
      expect(world.turn(1)).toMatchObject({ state: 'ended', reconnectMs: null });
      expect(world.turn(1).heardToMs).toBeLessThanOrEqual(world.nowMs);
    });

    it('sends nothing for a turn that was not sent', () => {
      const world = quietWorld();
      world.speak('Not yet.');
      world.do({ type: 'cancel' });
      world.accept();
      world.advance(20);
      expect(world.turn(1)).toMatchObject({ state: 'cancelled', reconnectMs: null });
      expect(JSON.stringify(world.socket.sent)).not.toMatch(/Not yet|cancel/);
      expect(world.sockets).toHaveLength(1);
    });
  });

  describe('the connection', () => {
    it('is opened once, shows its address without the key, and is marked once', () => {
      const world = new ServedWorld(endpoint);
      for (let times = 0; times < 2; times += 1) world.do({ type: 'connect' });
      world.begin('Hi.');
      world.advance(50);
      const address = keylessAddress(endpoint, 'ws://server/prefix', world.settings);
      expect(world.socket.address).toBe(handshakeOf(endpoint, address, KEY).url);
      expect(world.seen.connection).toMatchObject({ state: 'connecting', address, handshakeMs: null });
      world.accept();
      world.advance(20);
      expect(world.seen.connection).toMatchObject({ state: 'open', handshakeMs: 50 });
      world.do({ type: 'disconnect' });
      world.socket.close(1000);
      world.do({ type: 'disconnect' });
      world.advance(20);
      const marks = world.marks.filter(({ kind }) => /connected/.test(kind));
      expect(marks.map(({ kind }) => kind)).toEqual(['connected', 'disconnected']);
      expect(world.sockets).toHaveLength(1);
    });

    it('that never opens fails with a problem, keeps the text, and is not tried again', () => {
      const world = new ServedWorld(endpoint);
      world.speak('Hi.');
      world.socket.close(1006);
      world.advance(60_000);
      expect(world.sockets).toHaveLength(1);
      expect(world.seen.connection).toMatchObject({ state: 'failed', close: { code: 1006 }, retry: null });
      expect(world.turn(1)).toMatchObject({ state: 'lost', text: 'Hi.' });
      expect(world.seen.problems).toMatchObject([{ turn: 1, severity: 'error', title: 'No connection' }]);
      expect(world.timers).toBe(0);
    });

    it('that is lost marks its turn, and is tried again after 1, 2, 4, 8 and 16 s', () => {
      const world = quietWorld();
      world.begin('A story.');
      world.accept();
      world.say(200);
      world.socket.close(1006);
      for (const [index, delayMs] of DELAYS_MS.entries()) {
        world.advance(delayMs - 1);
        expect(world.seen.connection).toMatchObject({
          state: 'retrying',
          retry: { attempt: index + 1, of: 5 },
        });
        expect(world.sockets).toHaveLength(index + 1);
        world.advance(1);
        expect(world.sockets).toHaveLength(index + 2);
        world.socket.open();
        world.socket.close(1006);
      }
      world.advance(40_000);
      expect(world.sockets).toHaveLength(6);
      expect(world.turn(1)).toMatchObject({ state: 'lost', text: 'A story.', reconnectMs: null });
      expect(world.seen.problems).toMatchObject([
        { turn: 1, title: 'The connection was lost during the turn' },
        { turn: null, title: 'The connection was lost' },
      ]);
      expect(world.seen.connection).toMatchObject({ state: 'failed', retry: null, close: { code: 1006 } });
      expect(world.timers).toBe(0);
    });

    it('that comes back sends what waited, nothing of the lost turn, and begins with the first delay again', () => {
      const world = speaking('begin');
      world.socket.close(1006);
      world.advance(1000);
      world.socket.close(1006);
      world.begin('Next.');
      world.accept();
      expect(JSON.stringify(world.socket.sent)).toContain('Next.');
      expect(JSON.stringify(world.socket.sent)).not.toContain('story');
      world.say(200);
      world.socket.close(1006);
      world.advance(20);
      expect(world.seen.connection?.retry?.attempt).toBe(1);
      expect([world.turn(1).state, world.turn(2).state]).toEqual(['lost', 'lost']);
    });

    it.each(['connecting', 'retrying'])(
      'is given up by a disconnect while %s, without a problem',
      (state) => {
        const world = new ServedWorld(endpoint);
        if (state === 'retrying') {
          world.connect();
          world.socket.close(1006);
        }
        const count = world.sockets.length;
        world.speak('Wait.');
        world.do({ type: 'disconnect' });
        world.advance(60_000);
        expect(world.sockets.length).toBeLessThanOrEqual(count + 1);
        expect(world.seen.connection?.state).toBe('closed');
        expect(world.turn(1)).toMatchObject({ state: 'lost', text: 'Wait.' });
        expect(world.problems).toEqual([]);
        expect(world.timers).toBe(0);
      },
    );

    it('is closed at once by a second disconnect, and opens again for text that came meanwhile', () => {
      const world = speaking('begin');
      world.do({ type: 'disconnect' });
      world.advance(20);
      expect(world.seen.connection?.state).toBe('closing');
      world.begin('Wait.');
      world.socket.close(1000);
      expect(world.sockets).toHaveLength(2);
      world.accept();
      expect(JSON.stringify(world.socket.sent)).toContain('Wait.');
      for (let times = 0; times < 2; times += 1) world.do({ type: 'disconnect' });
      expect(world.socket.closedWith).toBe(1000);
    });

    it('to another server leaves this one, with silence, and the next turn is spoken there', () => {
      const world = speaking();
      const old = world.speaking;
      aim(world, 'ws://elsewhere');
      expect(old.socket.closedWith).toBe(1000);
      world.say(200, old);
      old.socket.close(1000);
      expect(world.isAudible()).toBe(false);
      expect(world.turn(1)).toMatchObject({ state: 'cancelled', audioFrames: 10 });
      expect(world.seen.connection).toMatchObject({ state: 'idle', framesReceived: 0 });
      world.speak('There.');
      world.accept();
      expect(world.socket.address).toContain('ws://elsewhere');
      world.say(200);
      world.end();
      world.advance(1000);
      expect(world.turn(2)).toMatchObject({ state: 'ended', heardToMs: expect.any(Number) });
      expect(world.problems).toEqual([]);
    });

    it.each([KEY, 'k3y'])('shows the key %s nowhere', (key) => {
      const world = new ServedWorld(endpoint);
      aim(world, 'ws://server', key);
      world.speak('Hi.');
      world.accept();
      for (const frame of [
        { error: `Invalid API key ${key}`, error_code: 'UNAUTHORIZED', code: 401 },
        { type: 'error', message: `Invalid API key ${key}`, code: 4002 },
        { type: 'Error', description: `Invalid API key ${key}`, code: 'UNAUTHORIZED' },
        { warning: `${key}?` },
        `{"nonsense": ${key}`,
      ])
        world.socket.say(frame);
      world.socket.close(4001, `no ${key}`);
      world.advance(20);
      expect(JSON.stringify([world.seen, [...world.turns.values()]])).not.toContain(key);
      expect(world.problems.join()).toContain('Invalid API key [key]');
    });
  });

  describe('a frame that is sent by hand', () => {
    const FRAME = '{"made":"up"}';

    it('waits for the connection to be ready', () => {
      const world = new ServedWorld(endpoint);
      world.sendsNonsense = true;
      world.do({ type: 'sendFrame', frame: FRAME });
      world.do({ type: 'sendFrame', frame: '{"made":"later"}' });
      expect(world.sockets).toHaveLength(1);
      world.accept();
      expect(world.socket.sent.slice(-2)).toEqual([{ made: 'up' }, { made: 'later' }]);
    });

    it.each(['to another server', 'after a connection that did not open'])('is not sent %s', (where) => {
      const world = new ServedWorld(endpoint);
      world.do({ type: 'sendFrame', frame: FRAME });
      if (where === 'to another server') aim(world, 'ws://other');
      else world.socket.close(1006);
      world.do({ type: 'connect' });
      world.accept();
      expect(world.hasSent('made')).toBe(false);
    });
  });
});
