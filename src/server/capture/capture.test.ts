import { describe, expect, it } from 'vitest';
import { Capture } from './capture.ts';
import type { CapturedConnection } from './captured-connection.ts';

let ids = 0;
const KEY = 'sk-canary-0123456789';

function begin(
  capture: Capture,
  address = 'ws://h/kugel/ws/tts/stream',
  peer = '10.0.0.1',
  endpoint = 'kugel-stream',
): CapturedConnection {
  ids += 1;
  return capture.begin({
    id: `c${ids}`,
    endpoint,
    address,
    program: 'test',
    peer: [peer],
    secrets: [],
    isPublic: (key) => key === 'local-limited',
  });
}
const all = (connection: CapturedConnection) => connection.from(0, 1000);
const MIB = 1024 * 1024;

describe('captured connections', () => {
  it('keep every frame in order, with its direction and its time', () => {
    let nowMs = 1000;
    const connection = begin(new Capture({ nowMs: () => nowMs }));
    connection.happened('opened', {});
    nowMs = 1005;
    connection.frame('out', '{"text":"Hi"}');
    nowMs = 1009;
    connection.frame('in', new Uint8Array([1, 2]));
    connection.closed(1000, 'bye', true);
    expect(
      all(connection).map(({ atMs, direction, kind, payload }) => [atMs, direction, kind, payload]),
    ).toEqual([
      [1000, 'connection', 'opening', '{"address":"ws://h/kugel/ws/tts/stream"}'],
      [1000, 'connection', 'opened', '{}'],
      [1005, 'out', '', '{"text":"Hi"}'],
      [1009, 'in', '', new Uint8Array([1, 2])],
      [1009, 'connection', 'closed', '{"code":1000,"reason":"bye","asked":true,"left":false}'],
    ]);
    expect(connection).toMatchObject({
      bytes: 15,
      end: { atMs: 1009, code: 1000, reason: 'bye' },
    });
  });

  it.each<[string, (connection: CapturedConnection) => unknown, string]>([
    ['api_key in the query', () => {}, `ws://h/kugel/ws/tts/stream?api_key=${KEY}`],
    ['token in the query', () => {}, `ws://h/kugel/ws/tts/stream?token=${KEY}`],
    ['a name with escapes in the query', () => {}, `ws://h/kugel/ws/tts/stream?api%5Fkey=${KEY}`],
    ['master_key in the query', () => {}, `ws://h/kugel/ws/tts/stream?master_key=${KEY}`],
    [
      'a first message',
      (connection) => connection.frame('out', JSON.stringify({ type: 'config', api_key: KEY })),
      'ws://h/murmr/v1/realtime',
    ],
  ])('hold no key of %s, also where the server repeats it', (_, sendKey, address) => {
    const connection = begin(new Capture({ nowMs: () => 0 }), address);
    sendKey(connection);
    connection.frame('in', JSON.stringify({ error: `The key ${KEY} is unknown.` }));
    connection.frame('in', new TextEncoder().encode(`key ${KEY}`));
    connection.closed(4001, `bad key ${KEY}`, false);
    expect(JSON.stringify([all(connection), connection])).not.toContain(KEY);
    const bytes = all(connection).flatMap(({ payload }) => (typeof payload === 'string' ? [] : [payload]));
    expect(bytes.map((payload) => new TextDecoder().decode(payload)).join()).not.toContain(KEY);
  });

  it('keep events readable with a key that occurs in their names and numbers', () => {
    const key = '"asked":';
    const connection = begin(new Capture({ nowMs: () => 0 }), `ws://h/?api_key=${encodeURIComponent(key)}`);
    connection.closed(1000, `no ${key}`, true);
    expect(all(connection).map(({ payload }) => JSON.parse(String(payload)))).toEqual([
      { address: 'ws://h/?api_key=[key]' },
      { code: 1000, reason: 'no "[key]', asked: true, left: false },
    ]);
  });

  it('keep a key that everybody knows in the words of the server', () => {
    const connection = begin(new Capture({ nowMs: () => 0 }), 'ws://h/?api_key=local-limited');
    connection.frame('in', '{"message":"local-limited has 10 connections"}');
    expect(all(connection).at(-1)?.payload).toContain('local-limited has 10');
  });
});

describe('the turns of a connection', () => {
  const beginMurmr = (capture: Capture) => begin(capture, 'ws://h/murmr/v1/realtime', undefined, 'murmr');
  const turnsOf = (capture: Capture, connection: CapturedConnection): number => {
    const figures = capture.figuresOf(connection);
    while (figures.readOn());
    return figures.turns;
  };

  it('are counted by what was sent, where a turn has several answers that name none', () => {
    const capture = new Capture({ nowMs: () => 0 });
    const connection = beginMurmr(capture);
    const text = 'This sentence is just long enough to be spoken alone. ';
    connection.frame('out', JSON.stringify({ type: 'text', text: text + text }));
    connection.frame('out', '{"type":"flush"}');
    for (let answer = 0; answer < 2; answer += 1) {
      connection.frame('in', new Uint8Array(100));
      connection.frame('in', '{"type":"done","total_chunks":1,"duration_ms":2}');
    }
    expect(turnsOf(capture, connection)).toBe(1);
  });

  it('are counted to a limit where nothing answers, and on with the next answer', () => {
    const capture = new Capture({ nowMs: () => 0 });
    const connection = beginMurmr(capture);
    const text = JSON.stringify({ type: 'text', text: 'a'.repeat(1000) });
    const send = () => {
      connection.frame('out', text);
      connection.frame('out', '{"type":"flush"}');
    };
    for (let turn = 0; turn < 1000; turn += 1) send();
    const turns = turnsOf(capture, connection);
    expect(turns).toBeGreaterThan(100);
    expect(turns).toBeLessThan(300);
    connection.frame('in', '{"type":"pong"}');
    // The first text joins the turn whose flush was not followed.
    for (let turn = 0; turn < 3; turn += 1) send();
    expect(turnsOf(capture, connection)).toBe(turns + 2);
  });
});

describe('the memory of the capture', () => {
  it('is given back by ended connections first, the oldest before others', () => {
    const capture = new Capture({ nowMs: () => 0 }, { maxBytes: 3 * MIB });
    const [open, first, second] = [begin(capture), begin(capture), begin(capture)];
    for (const connection of [open, first, second]) connection.frame('in', 'a'.repeat(MIB * 0.9));
    first.closed(1000, '', true);
    second.closed(1000, '', true);
    open.frame('in', 'a'.repeat(MIB * 0.9));
    expect([...capture.connections.keys()]).toEqual([open.id, second.id]);
    expect(open.lost).toBe(0);
  });

  it('is given back by the older half of an open connection otherwise', () => {
    const capture = new Capture({ nowMs: () => 0 }, { maxBytes: MIB });
    const open = begin(capture);
    for (let i = 0; i < 100; i += 1) open.frame('in', `${i} `.padEnd(50_000, '-'));
    const kept = all(open);
    expect(open.lost).toBeGreaterThan(0);
    expect(open.length).toBe(open.lost + kept.length);
    expect(kept.at(-1)?.payload).toMatch(/^99 /);
    expect(kept.reduce((sum, { payload }) => sum + payload.length, 0)).toBeLessThanOrEqual(MIB);
  });

  it('is given back by the address that holds most, and by its ended connections first', () => {
    const capture = new Capture({ nowMs: () => 0 }, { maxBytes: 3 * MIB, maxConnections: 10 });
    const mine = begin(capture, undefined, '10.0.0.2');
    mine.frame('in', 'a'.repeat(MIB / 2));
    mine.closed(1000, '', true);
    const open = begin(capture);
    for (let at = 0; at < 20; at += 1) {
      const other = begin(capture);
      other.frame('in', 'a'.repeat(MIB / 2));
      other.closed(1000, '', true);
      open.frame('in', 'a'.repeat(MIB / 4));
    }
    expect(capture.connections.get(mine.id)).toMatchObject({ lost: 0 });
    expect(capture.keptBytes).toBeLessThanOrEqual(3 * MIB);
    for (let at = 0; at < 20; at += 1) begin(capture).closed(1000, '', true);
    expect(capture.connections.has(mine.id)).toBe(true);
    expect(capture.connections.size).toBeLessThanOrEqual(10);
  });

  it('counts two bytes for each character beyond ASCII', () => {
    const capture = new Capture({ nowMs: () => 0 }, { maxBytes: MIB });
    const open = begin(capture);
    for (let i = 0; i < 30; i += 1) open.frame('in', '语'.repeat(20_000));
    expect(all(open).reduce((sum, { payload }) => sum + 2 * payload.length, 0)).toBeLessThanOrEqual(MIB);
    expect(open.lost).toBeGreaterThan(0);
    expect(capture.keptBytes).toBe(open.keptBytes);
  });

  it('keeps every frame of more open connections than are kept of ended ones', () => {
    const capture = new Capture({ nowMs: () => 0 }, { maxConnections: 2 });
    const open = [begin(capture), begin(capture), begin(capture)];
    for (const connection of open) connection.frame('in', 'frame');
    expect(open.map(({ lost }) => lost)).toEqual([0, 0, 0]);
    open[0]?.closed(1000, '', true);
    begin(capture);
    expect(capture.connections.has(open[0]?.id ?? '')).toBe(false);
  });

  it('bounds the number of ended connections', () => {
    const capture = new Capture({ nowMs: () => 0 }, { maxConnections: 10 });
    for (let i = 0; i < 50; i += 1) begin(capture).closed(1000, '', true);
    expect(capture.connections.size).toBe(10);
  });
});
