import { describe, expect, it } from 'vitest';
import type { FeedMessage } from '#recordings/messages.ts';
import { Feed } from './feed.ts';
import { Recorder } from './recorder.ts';

describe('Recorder', () => {
  it('counts frames and UTF-8 bytes each way', () => {
    const recorder = new Recorder();
    recorder.outwards('é', 1, { kind: 'say' });
    recorder.inwards('x'.repeat(200_000), 2);
    recorder.inwards(new Uint8Array(3), 3);
    expect(recorder.traffic).toEqual({
      framesSent: 1,
      framesReceived: 2,
      bytesSent: 2,
      bytesReceived: 200_003,
    });
  });

  it('hands on frames with their time and without the key', () => {
    const recorder = new Recorder();
    recorder.begin('ka_canary_1234');
    expect(recorder.inwards('{"error":"no ka_canary_1234"}', 7)).toEqual({
      atMs: 7,
      bytes: 29,
      frame: '{"error":"no [key]"}',
    });
    expect(recorder.words('wss://x?k=ka_canary_1234')).toBe('wss://x?k=[key]');
  });

  it('hides a key that continues in the next frame of the same direction and connection', () => {
    const recorder = new Recorder();
    recorder.begin('ka_canary_1234');
    expect(recorder.inwards('{"error":"no ka_ca"}', 1).frame).toBe('{"error":"no ka_ca"}');
    recorder.outwards('{"text":"Hello."}', 2, { kind: 'say' });
    expect(recorder.inwards('{"error":"nary_1234"}', 3).frame).toBe('{"error":"[key]"}');
    recorder.inwards('{"error":"no ka_ca"}', 4);
    recorder.begin('ka_canary_1234');
    expect(recorder.inwards('{"error":"nary_1234"}', 5).frame).toBe('{"error":"nary_1234"}');
  });

  it('begins again with the next connection', () => {
    const recorder = new Recorder();
    recorder.outwards('x', 1, { kind: 'say' });
    recorder.begin('');
    expect(recorder.traffic.framesSent).toBe(0);
  });
});

describe('What a recorder keeps', () => {
  /** A recorder whose feed posts when the function is called. */
  function recording() {
    const posted: FeedMessage[] = [];
    const tasks: (() => void)[] = [];
    const feed = new Feed({
      after: (_, task) => {
        tasks.push(task);
        return () => {};
      },
    });
    feed.attach({ postMessage: (message) => posted.push(structuredClone(message)) });
    const recorder = new Recorder(feed);
    recorder.aim('kugel-stream', 'wss://host/ws?api_key=typed-into-the-address');
    recorder.begin('ka_canary_1234');
    const post = () => {
      for (const task of tasks.splice(0)) task();
      return posted;
    };
    const entries = () => post().flatMap((message) => (message.type === 'entries' ? message.entries : []));
    return { recorder, post, entries };
  }

  it('begins with the first thing that happens, and counts microseconds from there', () => {
    const { recorder, post } = recording();
    expect(post()).toEqual([]);
    recorder.happened('opening', { address: 'wss://host/ws' }, 1000);
    recorder.inwards('{"a":1}', 1000.0625);
    expect(post()).toEqual([
      {
        type: 'begin',
        start: { endpoint: 'kugel-stream', address: 'wss://host/ws?api_key=[key]', startedAtMs: 1000 },
      },
      {
        type: 'entries',
        first: 0,
        entries: [
          {
            atUs: 0,
            direction: 'connection',
            connection: 1,
            opcode: 'none',
            bytes: 27,
            kind: 'opening',
            turn: null,
            context: null,
            chunk: null,
            audioMs: null,
            payload: '{"address":"wss://host/ws"}',
          },
          {
            atUs: 63,
            direction: 'in',
            connection: 1,
            opcode: 'text',
            bytes: 7,
            kind: 'unread',
            turn: null,
            context: null,
            chunk: null,
            audioMs: null,
            payload: '{"a":1}',
          },
        ],
      },
    ]);
  });

  it('names a frame by what it turned out to be', () => {
    const { recorder, entries } = recording();
    recorder.inwards('{}', 1);
    recorder.understood({ kind: 'audio', turn: 2, context: 'ctx', chunk: 3, audioMs: 40 });
    recorder.inwards(new Uint8Array(2), 2);
    expect(entries()).toMatchObject([
      { kind: 'audio', turn: 2, context: 'ctx', chunk: 3, audioMs: 40 },
      { kind: 'unread', turn: null, opcode: 'binary', bytes: 2 },
    ]);
  });

  it('numbers connections, and begins another recording where the target is another', () => {
    const { recorder, post } = recording();
    for (const atMs of [1, 2]) recorder.happened('opening', {}, atMs);
    recorder.aim('kugel-multi', 'wss://other');
    recorder.happened('opening', {}, 3);
    const seen = post().map((message) =>
      message.type === 'begin'
        ? message.start.address
        : message.type === 'entries' && message.entries.map(({ connection, atUs }) => [connection, atUs]),
    );
    expect(seen).toEqual([
      'wss://host/ws?api_key=[key]',
      [
        [1, 0],
        [2, 1000],
      ],
      'wss://other',
      [[1, 0]],
    ]);
  });

  it('numbers entries from one recording to the next, and returns the number of the last', () => {
    const { recorder, post } = recording();
    expect(recorder.lastNumber).toBeUndefined();
    recorder.happened('opening', {}, 1);
    recorder.outwards('a', 2, { kind: 'sent' });
    expect(recorder.lastNumber).toBe(1);
    recorder.aim('kugel-multi', 'wss://other');
    recorder.happened('opening', {}, 3);
    recorder.inwards('b', 4);
    expect(recorder.lastNumber).toBe(3);
    post();
    recorder.inwards('c', 5);
    const first = post().flatMap((message) => (message.type === 'entries' ? [message.first] : []));
    expect(first).toEqual([0, 2, 4]);
  });

  it('never goes back in time', () => {
    const { recorder, entries } = recording();
    for (const atMs of [10, 12, 11]) recorder.inwards('', atMs);
    expect(entries().map(({ atUs }) => atUs)).toEqual([0, 2000, 2000]);
  });

  it('keeps no key and no field that carries one by its name', () => {
    const { recorder, entries } = recording();
    recorder.outwards('{"text":"hi","deep":[{"authorization":{"bearer":"other-secret"}}]}', 1, {
      kind: 'sent',
    });
    recorder.outwards('{"token":"other-secret"}', 2, { kind: 'sent', context: 'ka_canary_1234' });
    recorder.inwards('{"error":"wss://host?api_key=other-secret"}', 3);
    recorder.outwards(new TextEncoder().encode('x ka_canary_1234'), 4, { kind: 'sent' });
    recorder.outwards('{"api_key":"ka_canary_1234"}', 4, { kind: 'open' });
    recorder.happened('failed', { reason: 'bad key ka_canary_1234' }, 5);
    recorder.outwards('{"xi_api_key":"other-secret","single_use_token":["other-secret"]}', 6, {
      kind: 'sent',
    });
    const kept = entries();
    const decoded = kept.map(({ payload }) =>
      typeof payload === 'string' ? payload : new TextDecoder().decode(payload),
    );
    expect(JSON.stringify([kept, decoded])).not.toMatch(/canary|other-secret/);
    expect(decoded.slice(0, 2)).toEqual([
      '{"text":"hi","deep":[{"authorization":"[key]"}]}',
      '{"token":"[key]"}',
    ]);
  });

  it('keeps events of a connection readable with a key of one character', () => {
    const { recorder, entries } = recording();
    recorder.begin('1');
    recorder.happened('closed', { code: 1011, reason: 'no key 1' }, 1);
    recorder.begin('code');
    recorder.happened('closed', { code: 4001, reason: 'no code' }, 2);
    expect(entries().map(({ payload }) => JSON.parse(String(payload)))).toEqual([
      { code: 1011, reason: 'no key [key]' },
      { code: 4001, reason: 'no [key]' },
    ]);
  });

  it('costs nothing where nobody takes it', () => {
    const feed = new Feed({ after: () => expect.unreachable('Nothing is posted.') });
    const recorder = new Recorder(feed);
    recorder.aim('kugel-stream', 'wss://host');
    expect(recorder.inwards('x', 1).frame).toBe('x');
    expect(recorder.lastNumber).toBeUndefined();
  });
});
