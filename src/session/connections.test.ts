import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { ServedWorld } from './testing/served.ts';
import { audioFrame, ended, samplesOf, World } from './testing/world.ts';

/** Rules of connections that are not the same on every endpoint, and their cases at length. */

const speaking = (): World => {
  const world = new World();
  world.connect();
  world.do({ type: 'speak', text: 'A story.' });
  world.socket.say(audioFrame(samplesOf(200)));
  return world;
};

describe('a connection', () => {
  it('to an invalid address fails with a problem', () => {
    const world = new World();
    world.refuseSockets = new SyntaxError('Bad URL wss://x?api_key=ka_canary_1234');
    world.do({ type: 'connect' });
    world.advance(20);
    expect(world.seen.connection?.state).toBe('failed');
    expect(JSON.stringify(world.seen)).not.toContain('canary');
    expect(world.problems[0]).toContain('No connection');
  });

  it('to an invalid address fails all lines of a scene with one problem', () => {
    const world = new World(undefined, endpointOf('kugel-multi'));
    world.refuseSockets = new SyntaxError('Bad URL');
    const lines = ['a', 'b', 'a'].map((speaker, line) => ({ speaker, text: 'Hi.', line }));
    world.do({ type: 'perform', lines, source: { kind: 'whole' }, closeAfter: true });
    world.advance(20);
    expect([...world.turns.values()].map(({ state }) => state)).toEqual(['lost', 'lost', 'lost']);
    expect(world.problems).toHaveLength(1);
  });

  it.each<[string, number, string]>([
    ['is tried again without a problem when an idle server goes away', 1012, 'retrying'],
    ['stays closed after a normal end', 1000, 'closed'],
  ])('%s', (_, code, state) => {
    const world = new World();
    world.connect();
    world.socket.close(code);
    world.advance(20);
    expect(world.seen.connection).toMatchObject({ state });
    expect(world.problems).toEqual([]);
    world.advance(60_000);
    expect(world.sockets).toHaveLength(state === 'closed' ? 1 : 2);
  });

  it('begins with the first delay again after a turn on it has ended', () => {
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

  it.each([
    [9999, 2],
    [10_000, 1],
  ])('that is lost after %i ms is tried again as attempt %i', (openMs, attempt) => {
    const world = new World();
    world.connect().close(1006);
    world.advance(1000);
    world.socket.open();
    world.advance(openMs);
    world.socket.close(1006);
    world.advance(20);
    expect(world.seen.connection?.retry?.attempt).toBe(attempt);
  });

  it('is not tried again after an error frame, which is reported once, unless it is long past', () => {
    const world = speaking();
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
    const other = new World();
    other.connect();
    other.socket.say({ error: 'Invalid request', error_code: 'VALIDATION_ERROR', code: 400 });
    other.advance(60_000);
    other.socket.close(1012);
    other.advance(20);
    expect(other.seen.connection?.state).toBe('retrying');
  });

  it('is closed after all that is in flight has been spoken', () => {
    const world = speaking();
    world.do({ type: 'disconnect' });
    expect(world.socket.sent.at(-1)).toEqual({ close_socket: true });
    world.socket.say(ended());
    world.socket.close(1000);
    world.advance(20);
    expect(world.turn(1).state).toBe('ended');
    expect(world.seen.connection?.state).toBe('closed');
  });

  it('sends no text behind a disconnect, also where its socket reports the opening twice', () => {
    const world = speaking();
    world.do({ type: 'disconnect' });
    world.do({ type: 'speak', text: 'Another.' });
    world.socket.open();
    world.advance(20);
    expect(world.socket.sent.at(-1)).toEqual({ close_socket: true });
    expect(world.seen.connection?.state).toBe('closing');
    world.socket.close(1000);
    world.socket.open();
    expect(world.socket.sent).toContainEqual(expect.objectContaining({ text: 'Another.' }));
  });
});

describe('a connection that the server closes', () => {
  const error = (code: number): object => ({ type: 'error', message: 'It ends here', code });

  /** On murmr, an error frame may come before the close. */
  const cases = (
    [
      ['kugel-stream', [4001, 4003], false, [false]],
      ['murmr', [1001, 4004, 4005], true, [false, true]],
      ['murmr', [4001, 4002, 4003], false, [false, true]],
    ] as const
  ).flatMap(([endpoint, codes, isRetried, explained]) =>
    codes.flatMap((code) => explained.map((isExplained) => ({ endpoint, code, isRetried, isExplained }))),
  );
  it.each(cases)('on $endpoint with $code, explained: $isExplained, is retried: $isRetried', (row) => {
    const { endpoint, code, isExplained, isRetried } = row;
    const world = new ServedWorld(endpointOf(endpoint));
    world.do({ type: 'connect' });
    world.accept();
    const { socket } = world;
    if (isExplained) socket.say(error(code));
    socket.close(code);
    world.advance(20);
    expect(world.seen.connection).toMatchObject({
      state: isRetried ? 'retrying' : 'failed',
      close: { code },
      retry: isRetried ? { attempt: 1 } : null,
    });
    if (!isRetried) {
      expect(world.seen.problems).toMatchObject([{ remedy: expect.stringMatching(/\.$/) }]);
    }
    world.advance(120_000);
    expect(world.sockets).toHaveLength(isRetried ? 2 : 1);
  });
});
