import { describe, expect, it } from 'vitest';
import { audioFrame, ended, samplesOf, started, World } from './testing/world.ts';

const speaking = (): World => {
  const world = new World();
  world.connect();
  world.do({ type: 'speak', text: 'A story.' });
  world.socket.say(started('A story.'));
  world.socket.say(audioFrame(samplesOf(200)));
  world.advance(20);
  return world;
};

describe('the connection', () => {
  it('connects to its target, and shows the address without the key', () => {
    const world = new World();
    world.do({ type: 'connect' });
    world.advance(20);
    expect(world.socket.address).toBe(world.endpoint.address('ws://server/prefix', 'ka_canary_1234'));
    expect(world.seen.connection).toMatchObject({
      state: 'connecting',
      address: `ws://server/prefix${world.endpoint.path}`,
      handshakeMs: null,
    });
    world.advance(30);
    world.socket.open();
    world.advance(20);
    expect(world.seen.connection).toMatchObject({ state: 'open', handshakeMs: 50, framesSent: 1 });
  });

  it('marks where it begins and ends, each once', () => {
    const world = new World();
    world.do({ type: 'connect' });
    world.do({ type: 'disconnect' });
    world.connect();
    world.do({ type: 'connect' });
    world.do({ type: 'disconnect' });
    world.socket.close(1000);
    world.do({ type: 'disconnect' });
    world.advance(20);
    const marks = world.marks.filter(({ kind }) => /connected/.test(kind));
    expect(marks.map(({ kind }) => kind)).toEqual(['connected', 'disconnected']);
  });

  it('is opened once by repeated commands', () => {
    const world = new World();
    world.do({ type: 'connect' });
    world.do({ type: 'speak', text: 'a' });
    world.do({ type: 'say', text: 'b', origin: 'typed' });
    expect(world.sockets).toHaveLength(1);
  });

  it('that never came about says what may be wrong, keeps the text, and is not tried again', () => {
    const world = new World();
    world.do({ type: 'speak', text: 'Hi.' });
    world.socket.close(1006);
    world.advance(60_000);
    expect(world.sockets).toHaveLength(1);
    expect(world.seen.connection).toMatchObject({ state: 'failed', close: { code: 1006 }, retry: null });
    expect(world.turn(1)).toMatchObject({ state: 'lost', text: 'Hi.' });
    expect(world.seen.problems).toMatchObject([{ turn: 1, severity: 'error', title: 'No connection' }]);
    expect(world.timers).toBe(0);
  });

  it('to an address that is none fails in words', () => {
    const world = new World();
    world.refuseSockets = new SyntaxError('Bad URL wss://x?api_key=ka_canary_1234');
    world.do({ type: 'connect' });
    world.advance(20);
    expect(world.seen.connection?.state).toBe('failed');
    expect(JSON.stringify(world.seen)).not.toContain('canary');
    expect(world.problems[0]).toContain('No connection');
  });

  it('that is lost during a turn comes back after growing delays, and the turn is marked as lost', () => {
    const world = speaking();
    world.socket.close(1006);
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'lost', text: 'A story.' });
    expect(world.seen.problems).toMatchObject([
      { turn: 1, title: 'The connection was lost during the turn' },
    ]);
    const delaysMs = world.endpoint.reconnectDelaysMs;
    expect(world.seen.connection).toMatchObject({
      state: 'retrying',
      retry: { attempt: 1, of: delaysMs.length },
    });
    for (const [index, delayMs] of delaysMs.entries()) {
      expect(world.sockets).toHaveLength(index + 1);
      world.advance(delayMs);
      expect(world.sockets).toHaveLength(index + 2);
      world.socket.close(1006);
    }
    world.advance(60_000);
    expect(world.sockets).toHaveLength(delaysMs.length + 1);
    expect(world.seen.connection).toMatchObject({ state: 'failed', retry: null });
  });

  it('that came back sends the text that waited, and nothing of the lost turn', () => {
    const world = speaking();
    world.do({ type: 'say', text: 'More', origin: 'typed' });
    world.socket.close(1012);
    world.do({ type: 'speak', text: 'Next.' });
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    expect(world.socket.sent).toEqual([{ voice_id: 1071 }, { text: 'Next.' }, { flush: true }]);
  });

  it('that has proven itself begins with the first delay again', () => {
    const world = speaking();
    world.socket.close(1006);
    world.advance(1000);
    world.socket.close(1006);
    world.advance(2000);
    world.socket.open();
    world.do({ type: 'speak', text: 'Again.' });
    world.socket.say(ended());
    world.socket.close(1012);
    world.advance(20);
    expect(world.seen.connection?.retry?.attempt).toBe(1);
  });

  it('comes back by itself when an idle server goes away, without a complaint', () => {
    const world = new World();
    world.connect();
    world.socket.close(1012);
    world.advance(20);
    expect(world.seen.connection?.state).toBe('retrying');
    expect(world.problems).toEqual([]);
  });

  it('stays closed after a normal end', () => {
    const world = new World();
    world.connect();
    world.socket.close(1000);
    world.advance(60_000);
    expect(world.seen.connection).toMatchObject({ state: 'closed', close: { code: 1000 } });
    expect(world.sockets).toHaveLength(1);
    expect(world.problems).toEqual([]);
  });

  it.each([4001, 4003])('1.8 never comes back after %i', (code) => {
    const world = speaking();
    world.socket.close(code);
    world.advance(60_000);
    expect(world.sockets).toHaveLength(1);
    expect(world.seen.connection).toMatchObject({ state: 'failed', close: { code } });
    expect(world.turn(1).state).toBe('lost');
  });

  it('is not retried after an error frame, which is reported once', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'Hi.' });
    world.socket.say({ error: 'Rate limit exceeded', error_code: 'RATE_LIMITED', code: 429 });
    world.socket.close(4029);
    world.advance(60_000);
    expect(world.sockets).toHaveLength(1);
    expect(world.turn(1).state).toBe('failed');
    expect(world.problems).toEqual(['The server reported an error: Rate limit exceeded (RATE_LIMITED, 429)']);
    expect(world.seen.connection).toMatchObject({
      state: 'failed',
      close: { code: 4029, name: 'RATE_LIMITED' },
    });
  });

  it('2.3.14 disconnects after what is in flight has been spoken', () => {
    const world = speaking();
    world.do({ type: 'disconnect' });
    world.advance(20);
    expect(world.socket.sent.at(-1)).toEqual({ close_socket: true });
    expect(world.seen.connection?.state).toBe('closing');
    world.socket.say(ended());
    world.socket.close(1000);
    world.advance(20);
    expect(world.turn(1).state).toBe('ended');
    expect(world.seen.connection?.state).toBe('closed');
  });

  it('does not wait for a server that never closes when asked again', () => {
    const world = speaking();
    world.do({ type: 'disconnect' });
    world.do({ type: 'disconnect' });
    expect(world.socket.closedWith).toBe(1000);
  });

  it.each(['connecting', 'retrying'])('gives up at a disconnect while %s, without a complaint', (state) => {
    const world = new World();
    if (state === 'retrying') {
      world.connect();
      world.socket.close(1012);
    }
    const count = world.sockets.length;
    world.do({ type: 'say', text: 'Wait.', origin: 'typed' });
    world.do({ type: 'disconnect' });
    world.advance(60_000);
    expect(world.sockets.length).toBeLessThanOrEqual(count + 1);
    expect(world.seen.connection?.state).toBe('closed');
    expect(world.turn(1)).toMatchObject({ state: 'lost', text: 'Wait.' });
    expect(world.problems).toEqual([]);
  });

  it('comes back when an error that it survived is long past', () => {
    const world = new World();
    world.connect();
    world.socket.say({ error: 'Invalid request', error_code: 'VALIDATION_ERROR', code: 400 });
    world.advance(60_000);
    world.socket.close(1012);
    world.advance(20);
    expect(world.seen.connection?.state).toBe('retrying');
  });

  it('opens anew for text that came while it was closing', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'disconnect' });
    world.do({ type: 'speak', text: 'Wait.' });
    world.socket.close(1000);
    world.socket.open();
    expect(world.sockets).toHaveLength(2);
    expect(world.socket.sent).toContainEqual({ text: 'Wait.' });
  });

  it('to another server leaves this one, and its late frames concern nobody', () => {
    const world = speaking();
    const old = world.socket;
    world.do({
      type: 'target',
      target: { endpoint: world.endpoint.id, base: 'ws://other', key: '' },
      settings: {},
    });
    expect(old.closedWith).toBe(1000);
    old.say(audioFrame(samplesOf(200), 1));
    old.close(1000);
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ state: 'cancelled', audioFrames: 1 });
    expect(world.seen.connection).toMatchObject({ state: 'idle', framesReceived: 0 });
  });
});
