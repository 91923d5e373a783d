import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Connection, Session, SocketEnd } from '../connection.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.test-helper.ts';
import { createLog, type Log } from '../log.ts';
import { LoopDebt } from './loop-debt.ts';
import { serveSocket } from './web-socket.ts';

const MIB = 1024 * 1024;
/** Times that the documentation for operators states. */
const PING_EVERY_MS = 30_000;
const IDLE_MS = 600_000;
const STALLED_MS = 30_000;

let server: WebSocketServer;
let clock: FakeClock;
let logged: string[];
let log: Log;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  clock = createFakeClock();
  logged = [];
  log = createLog('info', { write: (line) => logged.push(line) });
});

afterEach(async () => {
  for (const socket of server.clients) socket.terminate();
  await new Promise((closed) => server.close(closed));
});

/** Both ends of one socket, and the session as a list of what it was told. */
async function connect({
  mayIdle = false,
  debtors = new Set<LoopDebt>(),
  cpuMs = () => clock.nowMs(),
  ...options
}: {
  autoPong?: boolean;
  mayIdle?: boolean;
  debtors?: Set<LoopDebt>;
  cpuMs?: () => number;
} = {}) {
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection');
  const client = new WebSocket(`ws://127.0.0.1:${port}`, options);
  const opened = once(client, 'open');
  const [socket] = (await accepted) as [WebSocket];
  const told: string[] = [];
  const ends: SocketEnd[] = [];
  const session: Session = {
    text: (message) => told.push(message),
    binary: () => told.push('(binary)'),
    pinged: () => told.push('(pinged)'),
    gone: (end) => {
      told.push('(gone)');
      ends.push(end);
    },
    goingAway: () => told.push('(going away)'),
  };
  const connections: Connection[] = [];
  const served = serveSocket(
    socket,
    (connection) => {
      connections.push(connection);
      return session;
    },
    { clock, cpuMs, log, mayIdle, debt: new LoopDebt(debtors, '127.0.0.1') },
  );
  await opened;
  const [connection] = connections;
  if (!connection) throw new Error('no session was opened');
  return { client, socket, served, session, connection, told, ends };
}

/** Sends and waits as a session does, until the socket is gone. Resolves `blocked` when it has to wait. */
function produce({ connection, socket, told }: Awaited<ReturnType<typeof connect>>) {
  const frame = 'x'.repeat(64 * 1024);
  const progress = { sentBytes: 0, mostUnsentBytes: 0 };
  let stopped = false;
  let onBlocked = () => {};
  const blocked = new Promise<void>((resolve) => {
    onBlocked = resolve;
  });
  const done = (async () => {
    while (!stopped && !told.includes('(gone)')) {
      connection.send(frame);
      progress.sentBytes += frame.length;
      progress.mostUnsentBytes = Math.max(progress.mostUnsentBytes, socket.bufferedAmount);
      if (socket.bufferedAmount > MIB) onBlocked();
      await connection.drained();
      await new Promise(setImmediate);
    }
  })();
  return { progress, blocked, done, stop: () => (stopped = true) };
}

describe('back-pressure', () => {
  it('a session waits for a client that stops reading, and goes on when it reads again, with nothing lost', async () => {
    const ends = await connect();
    ends.client.pause();
    const { progress, blocked, done, stop } = produce(ends);
    await blocked;
    const sentWhenBlocked = progress.sentBytes;
    let receivedBytes = 0;
    ends.client.on('message', (data: Buffer) => {
      receivedBytes += data.length;
      if (receivedBytes > sentWhenBlocked + 4 * MIB) stop();
    });
    ends.client.resume();
    await done;
    ends.connection.close(1000, '');
    await once(ends.client, 'close');
    expect(receivedBytes).toBe(progress.sentBytes);
    expect(progress.mostUnsentBytes).toBeLessThan(1.2 * MIB);
  });

  it('a client that reads nothing for 30 s is given up, and nothing waits for it any more', async () => {
    const ends = await connect();
    ends.client.pause();
    const { progress, blocked, done } = produce(ends);
    await blocked;
    await clock.advance(STALLED_MS - 1);
    expect(ends.socket.readyState).toBe(WebSocket.OPEN);
    await clock.advance(1 + 5000);
    await ends.served.closed;
    await done;
    expect(ends.told).toEqual(['(gone)']);
    expect(progress.mostUnsentBytes).toBeLessThan(1.2 * MIB);
  });

  it('output of a session that does not wait is bounded too', async () => {
    const { client, socket, connection, served } = await connect();
    client.pause();
    const frame = 'x'.repeat(MIB);
    for (let sent = 0; sent < 64 && socket.readyState === WebSocket.OPEN; sent += 1) connection.send(frame);
    expect(socket.readyState).not.toBe(WebSocket.OPEN);
    await served.closed;
    expect(logged.join('')).toContain('too much unread output');
  });
});

it('tells the session of a ping, and answers it', async () => {
  const { client, told } = await connect();
  const pong = once(client, 'pong');
  client.ping();
  await pong;
  expect(told).toEqual(['(pinged)']);
});

describe('peers that are gone', () => {
  it('one that does not answer a ping is cut off before the next', async () => {
    const { client, served, told } = await connect({ autoPong: false });
    const pinged = once(client, 'ping');
    await clock.advance(PING_EVERY_MS);
    await pinged;
    expect(told).toEqual([]);
    await clock.advance(PING_EVERY_MS);
    await served.closed;
    expect(told).toEqual(['(gone)']);
  });

  it.each([false, true])(
    'one that answers stays for 10 minutes without a message, or (%s) longer',
    async (mayIdle) => {
      const { client, socket } = await connect({ mayIdle });
      const closed = once(client, 'close');
      for (let atMs = 0; atMs < IDLE_MS - PING_EVERY_MS; atMs += PING_EVERY_MS) {
        const pong = once(socket, 'pong');
        await clock.advance(PING_EVERY_MS);
        await pong;
      }
      expect(socket.readyState).toBe(WebSocket.OPEN);
      const pong = once(socket, 'pong');
      await clock.advance(PING_EVERY_MS);
      if (mayIdle) await pong;
      else expect((await closed).map(String)).toEqual(['1008', 'no message for 10 minutes']);
    },
  );

  it('one that does not answer a close is cut off', async () => {
    const { client, served } = await connect();
    client.pause();
    served.close(1012, 'restarting');
    await clock.advance(5000);
    await served.closed;
    expect(logged.join('')).toContain('no answer to close');
  });
});

describe('the end of a connection', () => {
  it.each([
    ['a code', (client: WebSocket) => client.close(1001, 'bye'), { code: 1001, reason: 'bye', asked: true }],
    ['no code', (client: WebSocket) => client.close(), { code: 1005, reason: '', asked: true }],
    ['no close frame', (client: WebSocket) => client.terminate(), { code: 1006, reason: '', asked: true }],
  ])('by the client with %s reaches the session as it is', async (_, end, expected) => {
    const { client, served, ends } = await connect();
    end(client);
    expect(await served.closed).toEqual(expected);
    expect(ends).toEqual([expected]);
  });

  it('by the session may have no code', async () => {
    const { client, connection } = await connect();
    connection.close(1005, '');
    const [code] = await once(client, 'close');
    expect(code).toBe(1005);
  });

  it('by a reset comes behind everything that was sent, and has no close frame', async () => {
    const { client, socket, connection, served } = await connect();
    client.pause();
    let sent = 0;
    for (; socket.bufferedAmount < MIB; sent += 1) {
      connection.send('x'.repeat(64 * 1024));
      await new Promise(setImmediate);
    }
    let received = 0;
    client.on('message', () => {
      received += 1;
    });
    connection.reset();
    connection.send('never sent');
    client.resume();
    const [code] = await once(client, 'close');
    expect([received, code]).toEqual([sent, 1006]);
    expect(await served.closed).toEqual({ code: 1006, reason: '', asked: false });
  });
});

describe('a session that has enough', () => {
  it('reads nothing more until it goes on, and then gets all of it in order', async () => {
    const { client, connection, told, served, socket } = await connect();
    connection.pause();
    const sent = Array.from({ length: 100 }, (_, at) => String(at));
    for (const message of sent) client.send(message);
    client.close();
    // An answer from the other side says that what was sent before it has arrived here.
    const heard = once(client, 'message');
    connection.send('still there');
    await heard;
    expect([socket.isPaused, told]).toEqual([true, []]);
    connection.resume();
    await served.closed;
    expect(told).toEqual([...sent, '(gone)']);
  });

  it('is not cut off for a ping that it could not hear the answer to', async () => {
    const { client, connection, socket } = await connect({ autoPong: false });
    connection.pause();
    await clock.advance(3 * PING_EVERY_MS);
    expect([socket.readyState, client.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
  });

  it('hears the answer to its close all the same', async () => {
    const { client, connection, served } = await connect();
    connection.pause();
    for (let at = 0; at < 100; at += 1) client.send('unread');
    connection.close(1012, 'restarting');
    await served.closed;
    expect(logged.join('')).not.toContain('socket cut');
  });
});

describe('messages', () => {
  it('text and binary reach the session as what they are; after the end nothing is sent', async () => {
    const { client, connection, served, told } = await connect();
    client.send('{"text":"é"}');
    client.send(Buffer.from([1, 2]));
    client.close();
    await served.closed;
    connection.send('too late');
    await connection.drained();
    expect(told).toEqual(['{"text":"é"}', '(binary)', '(gone)']);
  });
});

describe('a fault of a session', () => {
  const fault = () => {
    throw new RangeError('a text to speak');
  };

  it.each<[string, (ends: Awaited<ReturnType<typeof connect>>) => unknown]>([
    ['in a timer', ({ connection }) => connection.clock.after(1000, fault)],
    ['in work that nothing awaits', ({ connection }) => connection.background(async () => fault())],
    [
      'in a task that follows such work',
      ({ connection }) => connection.background(() => Promise.resolve().finally(fault)),
    ],
  ])('%s closes its connection with 1011 and serves the others', async (_, cause) => {
    const faulty = await connect();
    const other = await connect();
    const closed = once(faulty.client, 'close');
    cause(faulty);
    await clock.advance(1000);
    const [code] = await closed;
    expect(code).toBe(1011);
    expect(faulty.told).toEqual(['(gone)']);
    expect(logged.join()).toContain('RangeError');
    expect(logged.join()).not.toContain('a text to speak');
    const received = once(other.client, 'message');
    const told = once(other.socket, 'message');
    other.client.send('still here');
    await told;
    expect(other.told).toEqual(['still here']);
    other.connection.send('served');
    expect(String((await received)[0])).toBe('served');
  });

  it('while it opens closes the socket with 1011, and the socket counts until then', async () => {
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, 'connection');
    const client = new WebSocket(`ws://127.0.0.1:${port}`);
    const closed = once(client, 'close');
    const [socket] = (await accepted) as [WebSocket];
    const served = serveSocket(socket, fault, { clock, log });
    expect((await closed)[0]).toBe(1011);
    await served.closed;
    expect(logged.join()).toContain('web-socket.test.ts');
  });

  it('while the server shuts down does not keep the other sessions from ending', async () => {
    const ends = await connect();
    ends.session.goingAway = fault;
    const closed = once(ends.client, 'close');
    ends.served.goingAway();
    expect((await closed)[0]).toBe(1011);
  });
});

describe('a client that floods and does not read', () => {
  const REPLY = 'x'.repeat(2000);

  it('is not read until it has read, and closed with 1013 after 30 s without', async () => {
    const { client, socket, session, connection } = await connect();
    session.text = () => connection.send(REPLY);
    const received: string[] = [];
    client.on('message', (data) => received.push(String(data)));
    const floodUntilPaused = async () => {
      client.pause();
      while (!socket.isPaused) {
        for (let count = 0; count < 100 && client.bufferedAmount < MIB; count += 1) client.send('{}');
        await new Promise(setImmediate);
      }
    };
    await floodUntilPaused();
    client.resume();
    while (socket.isPaused) await new Promise(setImmediate);
    await floodUntilPaused();
    await clock.advance(STALLED_MS);
    const closed = once(client, 'close');
    client.resume();
    expect((await closed)[0]).toBe(1013);
    expect(new Set(received)).toEqual(new Set([REPLY]));
  });
});

describe('a client whose messages take long', () => {
  it('waits as long as its message took, beside others for their shares as well, and not for little', () => {
    const all = new Set<LoopDebt>();
    const [a1, a2, b] = [new LoopDebt(all, 'a'), new LoopDebt(all, 'a'), new LoopDebt(all, 'b')];
    expect(a1.charge(300, 300)).toBe(300);
    // Two sockets of an address have half of its share each.
    expect(a2.charge(100, 400)).toBe(300);
    // Two addresses have half of the share of all each. The sockets of the first still owe.
    expect(b.charge(50, 450)).toBe(150);
    expect(b.charge(4, 10_004)).toBe(0);
    expect(b.charge(4, 10_008)).toBe(8);
    a1.charge(400, 30_000);
    a1.cancel();
    expect(a2.charge(100, 30_000)).toBe(100);
  });

  it('waits 1 s at most, for a long message beside many that owe little', () => {
    const all = new Set<LoopDebt>();
    for (let count = 0; count < 100; count += 1) new LoopDebt(all, 'a').charge(1, 1000);
    const late = new LoopDebt(all, 'a');
    expect(late.charge(50, 1000)).toBe(1000);
    expect(late.charge(50, 1050)).toBe(1000);
  });

  it('has half of the loop at most, with as many sockets as it likes', () => {
    const all = new Set<LoopDebt>();
    const sockets = Array.from({ length: 50 }, () => ({ debt: new LoopDebt(all, 'a'), readableMs: 0 }));
    let nowMs = 0;
    let busyMs = 0;
    while (nowMs < 100_000) {
      const next = sockets.reduce((first, each) => (each.readableMs < first.readableMs ? each : first));
      nowMs = Math.max(nowMs, next.readableMs);
      if (nowMs > 50_000) busyMs += 3;
      next.readableMs = nowMs + 3 + next.debt.charge(3, nowMs + 3);
      nowMs += 3;
    }
    expect(busyMs / 50_000).toBeCloseTo(0.5, 2);
  });

  it.each([['message'], ['timer']])('is read again after that time, where a %s took it', async (what) => {
    const { client, socket, session, connection, told } = await connect();
    const work = () => clock.spend(300);
    session.text = (message) => {
      told.push(message);
      if (message !== 'long') return;
      if (what === 'timer') connection.clock.after(0, work);
      else work();
    };
    client.send('long');
    while (told.length === 0) await new Promise(setImmediate);
    await clock.advance(0);
    expect(socket.isPaused).toBe(true);
    client.send('next');
    await clock.advance(299);
    expect(told).toEqual(['long']);
    await clock.advance(1);
    while (told.length === 1) await new Promise(setImmediate);
    expect(told).toEqual(['long', 'next']);
  });

  it('does not wait for the time in which the processor did something else', async () => {
    let cpuMs = 0;
    const { client, socket, session, told } = await connect({ cpuMs: () => cpuMs });
    session.text = (message) => {
      told.push(message);
      clock.spend(300);
      cpuMs += message === 'busy' ? 20 : 4;
    };
    for (const [at, message] of ['idle', 'busy'].entries()) {
      client.send(message);
      while (told.length === at) await new Promise(setImmediate);
      expect(socket.isPaused).toBe(message === 'busy');
    }
    await clock.advance(20);
    expect(socket.isPaused).toBe(false);
  });

  it('owes nothing once it is gone, also where its session takes time afterwards', async () => {
    const debtors = new Set<LoopDebt>();
    const { client, session, connection, served } = await connect({ debtors });
    const work = () => clock.spend(300);
    session.text = work;
    session.gone = () => {
      work();
      connection.clock.after(1, work);
    };
    client.send('long');
    while (debtors.size === 0) await new Promise(setImmediate);
    await clock.advance(300);
    client.close();
    await served.closed;
    expect(debtors.size).toBe(0);
    await clock.advance(1);
    expect(debtors.size).toBe(0);
  });

  it('is not read at all once its session is over', async () => {
    const { client, connection, session, served, told } = await connect();
    session.text = (message) => {
      told.push(message);
      connection.close(1000, '');
    };
    for (const message of ['last', 'more', 'and more']) client.send(message);
    await served.closed;
    expect(told).toEqual(['last', '(gone)']);
  });
});
