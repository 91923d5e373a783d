import { describe, expect, it } from 'vitest';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { type ScriptedSocket, samplesOf, World } from './testing/world.ts';

/** Barge-in where the protocol has no cancel: the connection is left and another is opened (`facts 6.3.17`). */

const RATE = 24_000;
/** The one that has no message for a cancel. */
const endpoint = endpointOf(ENDPOINTS.find(({ can }) => !can.cancel)?.id);

const KEY = 'sk_live_canary_1';
const SETTINGS = { voice_description: 'A bass', language: 'English' };
const CONFIG = { type: 'config', api_key: KEY, ...SETTINGS };
const ACK = { type: 'config_ack', session_id: 'a1b2c3d4' };
const OCCUPIED = { type: 'error', message: 'All slots occupied, try again shortly', code: 4006 };
const text = (said: string) => ({ type: 'text', text: said });
const FLUSH = { type: 'flush' };

const audio = (ms: number): object => {
  const { buffer } = samplesOf(ms, 8000, RATE);
  return {
    type: 'audio',
    chunk: Buffer.from(buffer).toString('base64'),
    sample_rate: RATE,
    format: 'pcm_s16le',
  };
};
const done = (ms: number): object => ({
  type: 'done',
  total_chunks: 1,
  duration_ms: ms,
  first_chunk_latency_ms: 120,
});

/** Without a player, where nothing is to be heard. */
function silentWorld(): World {
  const world = new World(undefined, endpoint);
  world.do({
    type: 'target',
    target: { endpoint: endpoint.id, base: 'ws://server/here', key: KEY },
    settings: SETTINGS,
  });
  return world;
}

function emptyWorld(): World {
  const world = silentWorld();
  world.attachPlayer(RATE);
  return world;
}

/** Connected and acknowledged. */
function ready(world = emptyWorld()): World {
  world.connect();
  world.socket.say(ACK);
  return world;
}

/** One turn that is heard, and of which more is to come. */
function speaking(): World {
  const world = ready();
  world.do({ type: 'speak', text: 'A long story.' });
  world.socket.say(audio(2000));
  world.advance(500);
  expect(world.turn(1)).toMatchObject({ state: 'receiving' });
  expect(world.heard.some((sample) => sample !== 0)).toBe(true);
  return world;
}

/** Whether anything is audible from now on, leaving out how long the fade takes. */
function isAudible(world: World): boolean {
  world.advance(50);
  const before = world.heard.length;
  world.advance(300);
  return world.heard.slice(before).some((sample) => sample !== 0);
}

describe('a turn over this protocol', () => {
  it('text waits for config_ack, and is heard to its end', () => {
    const world = emptyWorld();
    world.do({ type: 'speak', text: 'Hello there.' });
    world.socket.open();
    expect(world.socket.sent).toEqual([CONFIG]);
    world.advance(30);
    world.socket.say(ACK);
    expect(world.socket.sent).toEqual([CONFIG, text('Hello there.'), FLUSH]);
    world.socket.say(audio(200));
    world.socket.say(done(200));
    world.advance(800);
    const turn = world.turn(1);
    expect(turn).toMatchObject({
      state: 'ended',
      samples: 4800,
      reconnectMs: null,
      billing: 'none',
      usage: { audioSeconds: 0.2, characters: 12, costCents: null },
    });
    expect(turn.chunks).toMatchObject([
      {
        text: 'Hello there.',
        startedMs: null,
        wordsAreEstimated: true,
        figures: { firstAudioMs: 120, audioMs: 200, audioFrames: 1 },
      },
    ]);
    expect(turn.chunks[0]?.words?.map(({ word }) => word)).toEqual(['Hello', 'there']);
    expect((turn.heardToMs ?? 0) - (turn.heardFromMs ?? 0)).toBeCloseTo(200, 3);
    expect(world.problems).toEqual([]);
  });

  it('binary mode is requested before the text, and binary frames are heard', () => {
    const world = emptyWorld();
    world.do({ type: 'settings', settings: { ...SETTINGS, binary_mode: true } });
    world.do({ type: 'speak', text: 'Hi.' });
    world.socket.open();
    world.socket.say(ACK);
    expect(world.socket.sent).toEqual([CONFIG, { type: 'binary_mode' }, text('Hi.'), FLUSH]);
    const bytes = new Uint8Array(samplesOf(200, 8000, RATE).buffer);
    // A frame that ends within a sample is made whole by the next.
    world.socket.say(bytes.slice(0, 1001));
    world.socket.say(bytes.slice(1001));
    world.socket.say(done(200));
    world.advance(800);
    expect(world.turn(1)).toMatchObject({ state: 'ended', samples: 4800, audioBytes: 9600 });
    expect(world.turn(1).heardToMs).not.toBeNull();
    expect(world.problems).toEqual([]);
  });

  it('the key is in the config alone: not in the address, and nowhere that is shown', () => {
    const world = speaking();
    world.socket.close(4002, `bad key ${KEY}`);
    world.advance(20);
    expect(world.socket.address).toBe(`ws://server/here${endpoint.path}`);
    expect(JSON.stringify([world.seen, [...world.turns]])).not.toContain('canary');
  });

  it('6.3.8 a refused generation is reported, and the rest of the turn is heard', () => {
    const world = ready();
    const sentence = 'This sentence is just long enough to be spoken alone.';
    world.do({ type: 'speak', text: `${sentence} The rest.` });
    world.socket.say(OCCUPIED);
    world.socket.say(audio(200));
    world.socket.say(done(200));
    world.advance(800);
    expect(world.turn(1)).toMatchObject({ state: 'ended' });
    expect(world.turn(1).chunks.map((chunk) => chunk.text)).toEqual(['The rest.']);
    expect(world.seen.problems).toMatchObject([
      { turn: 1, title: 'A piece of the text was not spoken', remedy: expect.stringMatching(/slot/) },
    ]);
  });

  it('one of which nothing was spoken has failed', () => {
    const world = ready();
    world.do({ type: 'speak', text: 'Hi.' });
    world.do({ type: 'speak', text: 'Next.' });
    world.socket.say(OCCUPIED);
    world.socket.say(audio(200));
    world.socket.say(done(200));
    world.advance(800);
    expect([world.turn(1).state, world.turn(2).state]).toEqual(['failed', 'ended']);
    expect(world.sockets).toHaveLength(1);
  });
});

describe('6.3.17 barge-in', () => {
  it('silences at once, leaves the connection and opens another', () => {
    const world = speaking();
    const [old] = world.sockets;
    world.do({ type: 'cancel' });
    expect(old?.closedWith).toBe(1000);
    expect(world.sockets).toHaveLength(2);
    expect(world.socket.address).toBe(old?.address);
    expect(isAudible(world)).toBe(false);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled' });
    expect(world.seen.connection?.state).toBe('connecting');
    expect(world.problems).toEqual([]);
  });

  it('sends nothing that the protocol does not have', () => {
    const world = speaking();
    const [old] = world.sockets;
    world.do({ type: 'cancel' });
    expect(old?.sent).toEqual([CONFIG, text('A long story.'), FLUSH]);
  });

  it('measures what it cost until the next turn can start: the acknowledgement, not the handshake', () => {
    const world = speaking();
    world.do({ type: 'cancel' });
    world.advance(80);
    world.socket.open();
    world.advance(25);
    expect(world.turn(1).reconnectMs).toBeNull();
    world.socket.say(ACK);
    world.advance(20);
    expect(world.turn(1).reconnectMs).toBeCloseTo(105, 6);
    expect(world.socket.sent).toEqual([CONFIG]);
  });

  it('drops what the old connection still says', () => {
    const world = speaking();
    const old = world.socket;
    const before = world.turn(1);
    world.do({ type: 'cancel' });
    old.say(audio(500));
    old.say(done(2500));
    old.close(1000);
    world.socket.open();
    world.socket.say(ACK);
    old.say(audio(500));
    expect(isAudible(world)).toBe(false);
    expect(world.turns.size).toBe(1);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled', samples: before.samples, lateFrames: 0 });
    expect(world.seen.connection?.state).toBe('open');
    expect(world.problems).toEqual([]);
  });

  it('text said meanwhile is spoken on the new connection', () => {
    const world = speaking();
    world.do({ type: 'cancel' });
    world.do({ type: 'speak', text: 'Another one.' });
    world.advance(40);
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    expect(world.socket.sent).toEqual([CONFIG]);
    world.socket.say(ACK);
    expect(world.socket.sent).toEqual([CONFIG, text('Another one.'), FLUSH]);
    world.socket.say(audio(200));
    world.socket.say(done(200));
    world.advance(800);
    expect(world.turn(2)).toMatchObject({ state: 'ended', samples: 4800, reconnectMs: null });
    expect(world.turn(2).chunks.map((chunk) => chunk.text)).toEqual(['Another one.']);
    expect(world.turn(2).heardToMs).not.toBeNull();
  });

  it('a turn that was received whole is only silenced, without a new connection', () => {
    const world = speaking();
    world.socket.say(done(2000));
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'ended', heardToMs: null });
    world.do({ type: 'cancel' });
    expect(isAudible(world)).toBe(false);
    expect(world.sockets).toHaveLength(1);
    expect(world.socket.closedWith).toBeNull();
    expect(world.turn(1)).toMatchObject({ state: 'ended', reconnectMs: null });
  });

  it('ends every turn that was sent; each shows the cost', () => {
    const world = speaking();
    world.do({ type: 'speak', text: 'And another.' });
    world.do({ type: 'cancel' });
    world.socket.open();
    world.socket.say(ACK);
    world.advance(20);
    expect([1, 2].map((id) => world.turn(id).state)).toEqual(['cancelled', 'cancelled']);
    expect([1, 2].map((id) => world.turn(id).reconnectMs)).toEqual([0, 0]);
    expect(world.socket.sent).toEqual([CONFIG]);
  });

  it('a turn of which nothing has left costs no connection', () => {
    const world = emptyWorld();
    world.connect();
    world.do({ type: 'speak', text: 'Not yet.' });
    world.do({ type: 'cancel' });
    world.socket.say(ACK);
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled', reconnectMs: null });
    expect(world.sockets).toHaveLength(1);
    expect(world.socket.sent).toEqual([CONFIG]);
  });

  it('text of the turn that comes after it is another turn', () => {
    const world = ready();
    world.do({ type: 'say', text: 'Typed so far', origin: 'typed' });
    world.do({ type: 'cancel' });
    world.socket.open();
    world.socket.say(ACK);
    world.do({ type: 'say', text: 'Anew', origin: 'typed' });
    world.do({ type: 'flush' });
    expect(world.socket.sent).toEqual([CONFIG, text('Anew'), FLUSH]);
  });

  it('again and again: each with a cost of its own, on one connection at a time', () => {
    const world = speaking();
    for (let id = 1; id <= 3; id += 1) {
      world.do({ type: 'cancel' });
      world.do({ type: 'cancel' });
      world.do({ type: 'speak', text: `Turn ${id + 1}.` });
      world.advance(10 * id);
      world.socket.open();
      world.socket.say(ACK);
      world.socket.say(audio(100));
      world.advance(20);
      expect(world.turn(id)).toMatchObject({ state: 'cancelled' });
      expect(world.turn(id).reconnectMs).toBeCloseTo(10 * id, 6);
    }
    expect(world.sockets).toHaveLength(4);
    expect(world.sockets.map(({ closedWith }) => closedWith)).toEqual([1000, 1000, 1000, null]);
  });

  it('a connection that does not come about is tried again, and text said meanwhile is kept', () => {
    const world = speaking();
    world.do({ type: 'cancel' });
    world.do({ type: 'speak', text: 'Next.' });
    world.socket.close(1006);
    world.advance(20);
    expect(world.seen.connection?.state).toBe('retrying');
    world.advance(1000);
    world.socket.open();
    world.socket.say(ACK);
    expect(world.socket.sent).toEqual([CONFIG, text('Next.'), FLUSH]);
    expect(world.problems).toEqual([]);
  });

  it('Disconnect means also what waits: nothing is spoken on another connection', () => {
    const world = emptyWorld();
    world.do({ type: 'speak', text: 'Hi.' });
    world.socket.open();
    world.do({ type: 'disconnect' });
    world.socket.close(1000);
    world.advance(20_000);
    expect(world.sockets).toHaveLength(1);
    expect(world.turn(1).state).toBe('cancelled');
  });

  it('does not open a connection that is being closed', () => {
    const world = speaking();
    world.do({ type: 'disconnect' });
    world.do({ type: 'cancel' });
    world.socket.close(1000);
    world.advance(20_000);
    expect(isAudible(world)).toBe(false);
    expect(world.sockets).toHaveLength(1);
    expect(world.seen.connection?.state).toBe('closed');
  });

  it('leaves no timer behind', () => {
    const world = speaking();
    world.do({ type: 'cancel' });
    world.socket.open();
    world.socket.say(ACK);
    world.advance(2000);
    expect(world.timers).toBe(0);
  });
});

describe('6.3.19 a connection that is lost', () => {
  const DELAYS_MS = [1000, 2000, 4000, 8000, 16_000];

  const error = (code: number): object => ({ type: 'error', message: 'It ends here', code });
  const lose = (socket: ScriptedSocket, code: number, explained: boolean): void => {
    if (explained) socket.say(error(code));
    socket.close(code);
  };

  it.each([
    [1001, false],
    [1006, false],
    [4004, false],
    [4005, false],
    [4004, true],
    [4005, true],
  ])('with %i (after an error frame: %s) is tried for after 1, 2, 4, 8 and 16 s', (code, explained) => {
    const world = ready(silentWorld());
    lose(world.socket, code, explained);
    for (const [index, delayMs] of DELAYS_MS.entries()) {
      world.advance(delayMs - 1);
      expect(world.seen.connection).toMatchObject({
        state: 'retrying',
        retry: { attempt: index + 1, of: DELAYS_MS.length },
      });
      expect(world.sockets).toHaveLength(index + 1);
      world.advance(1);
      expect(world.sockets).toHaveLength(index + 2);
      world.socket.open();
      lose(world.socket, code, explained);
    }
    world.advance(120_000);
    expect(world.sockets).toHaveLength(DELAYS_MS.length + 1);
    expect(world.seen.connection).toMatchObject({ state: 'failed', retry: null, close: { code } });
    expect(world.timers).toBe(0);
  });

  it.each([4001, 4002, 4003])('with %i is not tried for, and what to do is told once', (code) => {
    for (const explained of [true, false]) {
      const world = ready(silentWorld());
      lose(world.socket, code, explained);
      world.advance(120_000);
      expect(world.sockets).toHaveLength(1);
      expect(world.seen.connection).toMatchObject({ state: 'failed', retry: null, close: { code } });
      expect(world.seen.problems).toHaveLength(1);
      expect(world.seen.problems?.[0]?.remedy).toMatch(/\.$/);
    }
  });

  it('takes its turn with it, and speaks what was not yet sent when it is back', () => {
    const world = speaking();
    world.socket.close(1001);
    world.do({ type: 'speak', text: 'Later.' });
    world.socket.open();
    world.socket.say(ACK);
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'lost', reconnectMs: null });
    expect(world.turn(2)).toMatchObject({ state: 'waiting' });
    expect(world.socket.sent).toEqual([CONFIG, text('Later.'), FLUSH]);
  });

  it('begins with 1 s again once it has spoken', () => {
    const world = ready(silentWorld());
    world.socket.close(1006);
    world.advance(1000);
    world.socket.open();
    world.socket.close(1006);
    world.advance(2000);
    world.socket.open();
    world.socket.say(ACK);
    world.do({ type: 'speak', text: 'Hi.' });
    world.socket.say(audio(100));
    world.socket.close(1006);
    world.advance(20);
    expect(world.seen.connection?.retry?.attempt).toBe(1);
  });
});
