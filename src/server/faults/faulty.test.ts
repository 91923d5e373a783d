import { afterAll, describe, expect, it } from 'vitest';
import type { EndpointId, Frame } from '#protocol/core/endpoint.ts';
import { formatFault, parseFaults } from '#protocol/faults/fault-spec.ts';
import { FAULTS } from '#protocol/faults/fault-table.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { Connection, Session, SocketEnd } from '../connection.ts';
import { createFakeClock, settle } from '../fake-clock.test-helper.ts';
import { TotalOutput } from '../unread-output.ts';
import { faulty } from './faulty.ts';

const GAP_MS = 10;
const RESTART = { code: 1012, reason: 'restarting' };
const CLIENT_LEFT: SocketEnd = { code: 1000, reason: 'enough', asked: true };

const json = (fields: object): string => JSON.stringify(fields);
const samples = (fill: number): Buffer => Buffer.alloc(8, fill);

/** Frames of a turn of two chunks with three audio frames each, by the marker and its number. */
function kugelTurn(context?: string): Record<string, string> {
  const of = context === undefined ? {} : { context_id: context };
  const audio = (idx: number) =>
    json({
      audio: samples(idx).toString('base64'),
      enc: 'pcm_s16le',
      idx,
      sr: 24_000,
      samples: 4,
      chunk_id: idx < 3 ? 0 : 1,
      ...of,
    });
  const started = (chunk_id: number) => json({ generation_started: true, chunk_id, text: 'words', ...of });
  const words = (chunk_id: number) => json({ word_timestamps: [], chunk_id, ...of });
  const complete = (chunk_id: number) =>
    json({ chunk_complete: true, chunk_id, audio_seconds: 0.5, gen_ms: 3, ...of });
  return {
    start0: started(0),
    audio1: audio(0),
    words0: words(0),
    audio2: audio(1),
    audio3: audio(2),
    complete0: complete(0),
    start1: started(1),
    audio4: audio(3),
    audio5: audio(4),
    audio6: audio(5),
    words1: words(1),
    complete1: complete(1),
    final: json({ final: true, total_audio_seconds: 1, total_text_chunks: 2, total_audio_chunks: 6, ...of }),
    closed: json({
      session_closed: true,
      total_audio_seconds: 1,
      usage: { audio_seconds: 1, cost_cents: null },
    }),
  };
}

function murmrTurn(isBinary: boolean): Record<string, Frame> {
  const audio = (fill: number): Frame =>
    isBinary
      ? new Uint8Array(samples(fill))
      : json({
          type: 'audio',
          chunk: samples(fill).toString('base64'),
          sample_rate: 24_000,
          format: 'pcm_s16le',
        });
  const done = (ms: number) =>
    json({ type: 'done', total_chunks: 2, duration_ms: ms, first_chunk_latency_ms: 5 });
  return {
    audio1: audio(1),
    audio2: audio(2),
    done0: done(100),
    audio3: audio(3),
    audio4: audio(4),
    done1: done(200),
  };
}

const TURNS: Readonly<Record<string, { endpoint: EndpointId; frames: Readonly<Record<string, Frame>> }>> = {
  'kugel-stream': { endpoint: 'kugel-stream', frames: kugelTurn() },
  'kugel-multi': { endpoint: 'kugel-multi', frames: kugelTurn('a') },
  murmr: { endpoint: 'murmr', frames: murmrTurn(false) },
  'murmr, bytes': { endpoint: 'murmr', frames: murmrTurn(true) },
};

const tested = new Set<string>();
afterAll(() => {
  const untested = Object.keys(FAULTS).filter((name) => !tested.has(name));
  // A single test may run alone. Refusals come before any session: `fault-paths.test.ts`.
  if (tested.size > untested.length) expect(untested).toEqual(['refuse']);
});

/** A session behind faults, its client, and everything that reaches either of them with its time. */
function createLine(spec: string, endpointId: EndpointId = 'kugel-stream') {
  const { failures, openWire } = endpointOf(endpointId);
  const read = parseFaults(spec, failures.errors);
  if ('problem' in read) throw new Error(`${spec}: ${read.problem.expected}`);
  for (const { name } of read.faults) tested.add(name);
  const clock = createFakeClock();
  const toClient: [atMs: number, what: unknown][] = [];
  const toServer: [atMs: number, what: unknown][] = [];
  const struck: [atMs: number, what: string][] = [];
  const client = { isRead: true, drained: Promise.resolve() };
  const connection: Connection = {
    clock,
    background: (work) => void work(),
    send: (message) => toClient.push([clock.nowMs(), message]),
    close: (code, reason) => toClient.push([clock.nowMs(), { code, reason }]),
    reset: () => toClient.push([clock.nowMs(), 'reset']),
    drained: () => client.drained,
    pause: () => {
      client.isRead = false;
    },
    resume: () => {
      client.isRead = true;
    },
    silence: () => {
      client.isRead = false;
    },
  };
  const session: Session = {
    text: (message) => toServer.push([clock.nowMs(), message]),
    binary: (message) => toServer.push([clock.nowMs(), message]),
    gone: (end) => toServer.push([clock.nowMs(), end]),
    goingAway: () => toServer.push([clock.nowMs(), 'going away']),
  };
  let inner: Connection | undefined;
  const outer = faulty(
    (given) => {
      inner = given;
      return session;
    },
    {
      faults: read.faults,
      wire: openWire(''),
      failures,
      restart: RESTART,
      struck: (fault) => struck.push([clock.nowMs(), formatFault(fault)]),
      total: new TotalOutput(),
    },
  )(connection);
  if (!inner || !outer) throw new Error('nothing was opened');
  return { clock, client, toClient, toServer, struck, inner, outer };
}

/** Plays a turn, a frame each 10 ms, and a close 10 ms behind it. Frames are named; those that were changed are as sent. */
async function play(spec: string, turn = 'kugel-stream') {
  const { endpoint, frames } = TURNS[turn] ?? { endpoint: 'kugel-stream', frames: {} };
  const line = createLine(spec, endpoint);
  for (const frame of Object.values(frames)) {
    line.inner.send(frame);
    await line.clock.advance(GAP_MS);
  }
  line.inner.close(1000, 'done');
  await line.clock.advance(1_000_000);
  const names = new Map(Object.entries(frames).map(([name, frame]) => [frame, name]));
  return {
    ...line,
    arrived: line.toClient.map(([atMs, what]): [number, unknown] => [atMs, names.get(what as Frame) ?? what]),
  };
}

/** The turn without faults: name and time of each frame, and the close. */
const undisturbed = (turn = 'kugel-stream'): [atMs: number, what: unknown][] => {
  const names = Object.keys(TURNS[turn]?.frames ?? {});
  const close = { code: 1000, reason: 'done' };
  return [...names, close].map((what, at) => [at * GAP_MS, what]);
};

const frameOf = (name: string, turn = 'kugel-stream'): Frame => TURNS[turn]?.frames[name] ?? '';
const placeOf = (name: string, turn = 'kugel-stream'): number =>
  Object.keys(TURNS[turn]?.frames ?? {}).indexOf(name);
/** The undisturbed turn, with another list in place of some of it. */
const changed = (name: string, count: number, others: unknown[], turn = 'kugel-stream') => {
  const all = undisturbed(turn);
  const at = placeOf(name, turn);
  return all.toSpliced(at, count, ...others.map((what): [number, unknown] => [at * GAP_MS, what]));
};
const upTo = (name: string, ...others: unknown[]) => changed(name, Number.POSITIVE_INFINITY, others);

describe('without a fault', () => {
  it.each(Object.keys(TURNS))('%s passes unchanged and at once', async (turn) => {
    const { arrived, struck } = await play('seed=3,mark=none', turn);
    expect(arrived).toEqual(undisturbed(turn));
    expect(struck).toEqual([]);
  });

  it('messages of the client, its end and a shutdown pass at once', () => {
    const { outer, toServer } = createLine('mark=none');
    outer.text('text');
    outer.binary(new Uint8Array([1]));
    outer.goingAway();
    outer.gone(CLIENT_LEFT);
    expect(toServer.map(([, what]) => what)).toEqual([
      'text',
      new Uint8Array([1]),
      'going away',
      CLIENT_LEFT,
    ]);
  });

  it('a refused client gets its refusal and stays', async () => {
    const line = createLine('latency=100');
    line.inner.send('{"error":"no"}');
    line.inner.close(4001, 'no');
    await line.clock.advance(200);
    expect(line.toClient).toEqual([
      [100, '{"error":"no"}'],
      [100, { code: 4001, reason: 'no' }],
    ]);
  });
});

describe('latency', () => {
  const later = (ms: number) => undisturbed().map(([atMs, what]) => [atMs + ms, what]);
  const talk = async (spec: string) => {
    const { outer, clock, toServer } = createLine(spec);
    outer.text('one');
    await clock.advance(30);
    outer.text('two');
    outer.gone(CLIENT_LEFT);
    await clock.advance(1000);
    return toServer;
  };

  it('delays both ways, and strikes once', async () => {
    const { arrived, struck } = await play('latency=200');
    expect(arrived).toEqual(later(200));
    expect(struck).toEqual([[0, 'latency=200']]);
    expect(await talk('latency=200')).toEqual([
      [200, 'one'],
      [230, 'two'],
      [230, CLIENT_LEFT],
    ]);
  });

  it('latency-in delays what the server sends alone, and adds to latency', async () => {
    expect((await play('latency-in=70')).arrived).toEqual(later(70));
    expect((await play('latency=30,latency-in=70')).arrived).toEqual(later(100));
    expect((await talk('latency-in=70')).map(([atMs]) => atMs)).toEqual([0, 30, 30]);
  });

  it('latency-out delays what the client sends alone', async () => {
    expect((await play('latency-out=70')).arrived).toEqual(undisturbed());
    expect((await talk('latency-out=70')).map(([atMs]) => atMs)).toEqual([70, 100, 100]);
  });
});

describe('jitter', () => {
  const delays = async (spec: string): Promise<number[]> => {
    const { arrived } = await play(spec);
    expect(arrived.map(([, what]) => what)).toEqual(undisturbed().map(([, what]) => what));
    return arrived.map(([atMs], at) => atMs - at * GAP_MS);
  };

  it('delays by random times up to its own, which keep the order and repeat with the seed', async () => {
    const some = await delays('jitter=50,seed=7');
    expect(Math.min(...some)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...some)).toBeLessThanOrEqual(50);
    expect(new Set(some).size).toBeGreaterThan(5);
    expect(await delays('jitter=50,seed=7')).toEqual(some);
    expect(await delays('jitter=50,seed=8')).not.toEqual(some);
    expect(await delays('jitter=50')).toEqual(await delays('jitter=50,seed=1'));
  });

  it('delays the client by other numbers', async () => {
    const { outer, clock, toServer } = createLine('jitter=1000,seed=7');
    outer.text('one');
    await clock.advance(1000);
    const [[first = 0] = []] = toServer;
    expect(first).toBeGreaterThan(0);
    expect(first).not.toBe((await delays('jitter=1000,seed=7'))[0]);
  });
});

describe('bandwidth', () => {
  it('sends one message after the other at its rate, both ways', async () => {
    const line = createLine('bandwidth=80');
    const message = 'x'.repeat(1000);
    for (let count = 0; count < 3; count += 1) {
      line.inner.send(message);
      line.outer.text(message);
    }
    await line.clock.advance(1000);
    // 8000 bits at 80 bits a millisecond.
    expect(line.toClient.map(([atMs]) => atMs)).toEqual([100, 200, 300]);
    expect(line.toServer.map(([atMs]) => atMs)).toEqual([100, 200, 300]);
    expect(line.struck).toEqual([[0, 'bandwidth=80']]);
  });

  it('counts the bytes of a text, and adds to latency', async () => {
    const line = createLine('bandwidth=80,latency=40');
    line.inner.send('é'.repeat(500));
    await line.clock.advance(1000);
    expect(line.toClient.map(([atMs]) => atMs)).toEqual([140]);
  });
});

describe('stall', () => {
  it('lets nothing through before its audio frame, then everything at once', async () => {
    const { arrived, struck } = await play('stall=3000@2');
    const at = placeOf('audio2');
    expect(arrived).toEqual(
      undisturbed().map(([atMs, what], place) => [place < at ? atMs : at * GAP_MS + 3000, what]),
    );
    expect(struck).toEqual([[at * GAP_MS, 'stall=3000@2']]);
  });

  it('ends before what the server sends later', async () => {
    const { arrived } = await play('stall=15@2');
    const at = placeOf('audio2');
    expect(arrived[at]?.[0]).toBe(at * GAP_MS + 15);
    expect(arrived.slice(at + 2)).toEqual(undisturbed().slice(at + 2));
  });

  it('does not hold the client', async () => {
    const { inner, outer, toServer } = createLine('stall=3000@1');
    inner.send(frameOf('audio1'));
    outer.text('cancel');
    expect(toServer).toEqual([[0, 'cancel']]);
  });
});

describe('an end in place of an audio frame', () => {
  it.each([
    ['close=4500@2', { code: 4500, reason: 'a fault on purpose' }],
    ['close=1005@2', { code: 1005, reason: 'a fault on purpose' }],
    ['going-away@2', RESTART],
    ['reset@2', 'reset'],
  ])('%s', async (spec, end) => {
    const { arrived, struck } = await play(spec);
    expect(arrived).toEqual(upTo('audio2', end));
    expect(struck).toEqual([[placeOf('audio2') * GAP_MS, spec]]);
  });

  it('half-open@2 sends and reads nothing more, and does not close', async () => {
    const { arrived, struck, client, inner } = await play('half-open@2');
    expect(arrived).toEqual(upTo('audio2'));
    expect(struck).toEqual([[placeOf('audio2') * GAP_MS, 'half-open@2']]);
    inner.resume();
    expect(client.isRead).toBe(false);
  });

  it.each(['', ',latency=5'])('half-open@2 holds late words as well%s', async (more) => {
    const { toClient } = await play(`half-open@2,late-words=50${more}`);
    expect(toClient.map(([, what]) => what)).toEqual([frameOf('start0'), frameOf('audio1')]);
  });

  it('the first of several counts, and comes behind what is on its way', async () => {
    const { arrived } = await play('latency=100,reset@2,close=4500@2');
    expect(arrived).toEqual(upTo('audio2', 'reset').map(([atMs, what]) => [atMs + 100, what]));
  });
});

describe('error', () => {
  const errorFrame = (fields: object) => json(fields);

  it('stands in place of a chunk, and the turn goes on', async () => {
    const { arrived, struck } = await play('error=NOT_FOUND@1');
    const error = { error: 'NOT_FOUND, a fault on purpose', error_code: 'NOT_FOUND', code: 404 };
    expect(arrived).toEqual(changed('start0', placeOf('start1'), [errorFrame(error)]));
    expect(struck).toEqual([[0, 'error=NOT_FOUND@1']]);
  });

  it('is followed by the close of the vendor', async () => {
    const { arrived } = await play('error=RATE_LIMITED@2');
    const error = { error: 'RATE_LIMITED, a fault on purpose', error_code: 'RATE_LIMITED', code: 429 };
    expect(arrived).toEqual(upTo('start1', errorFrame(error), { code: 4029, reason: 'RATE_LIMITED' }));
  });

  it('names its context', async () => {
    const { arrived } = await play('error=NOT_FOUND@1', 'kugel-multi');
    expect(arrived[0]?.[1]).toContain('"context_id":"a"');
  });

  it.each(['murmr', 'murmr, bytes'])('of %s skips the generation', async (turn) => {
    const { arrived } = await play('error=ALL_SLOTS_OCCUPIED@1', turn);
    const error = { type: 'error', message: 'ALL_SLOTS_OCCUPIED, a fault on purpose', code: 4006 };
    expect(arrived).toEqual(changed('audio1', placeOf('audio3', turn), [json(error)], turn));
  });

  it('of murmr is followed by its code', async () => {
    const { arrived } = await play('error=SERVER_ERROR@2', 'murmr');
    expect(arrived.slice(-2).map(([, what]) => what)).toEqual([
      json({ type: 'error', message: 'SERVER_ERROR, a fault on purpose', code: 4005 }),
      { code: 4005, reason: 'SERVER_ERROR' },
    ]);
  });

  it('drops nothing of a later turn with the same numbers', () => {
    const { inner, toClient } = createLine('error=NOT_FOUND@1');
    inner.send(frameOf('start0'));
    inner.send('{"interrupted":true}');
    inner.send(frameOf('start0'));
    inner.send(frameOf('audio1'));
    expect(toClient.slice(1).map(([, what]) => what)).toEqual([
      '{"interrupted":true}',
      frameOf('start0'),
      frameOf('audio1'),
    ]);
  });
});

describe('slow-start', () => {
  it('starts each chunk later, and keeps the order', async () => {
    const { arrived, struck } = await play('slow-start=500');
    const second = placeOf('start1');
    expect(arrived.map(([atMs]) => atMs)).toEqual(undisturbed().map((_, at) => (at < second ? 500 : 1000)));
    expect(arrived.map(([, what]) => what)).toEqual(undisturbed().map(([, what]) => what));
    expect(struck).toEqual([
      [0, 'slow-start=500'],
      [500, 'slow-start=500'],
    ]);
  });

  it('counts the generations of murmr', async () => {
    const { arrived } = await play('slow-start=500', 'murmr');
    expect(arrived.map(([atMs]) => atMs)).toEqual([500, 500, 500, 1000, 1000, 1000, 1000]);
  });
});

describe('words', () => {
  it('lose-words drops them alone', async () => {
    const { arrived, struck } = await play('lose-words');
    expect(arrived).toEqual(undisturbed().filter(([, what]) => !String(what).startsWith('words')));
    expect(struck.map(([atMs]) => atMs)).toEqual(
      [placeOf('words0'), placeOf('words1')].map((at) => at * GAP_MS),
    );
  });

  it('late-words lets other frames overtake them', async () => {
    const { arrived, struck } = await play('late-words=35');
    const late = undisturbed().map(([atMs, what]): [number, unknown] =>
      String(what).startsWith('words') ? [atMs + 35, what] : [atMs, what],
    );
    expect(arrived).toEqual(late.sort(([a], [b]) => a - b));
    expect(struck.map(([atMs]) => atMs)).toEqual([
      placeOf('words0') * GAP_MS + 35,
      placeOf('words1') * GAP_MS + 35,
    ]);
  });
});

describe('wrong-totals', () => {
  it('changes all totals and nothing else', async () => {
    const { arrived, struck } = await play('wrong-totals');
    const wrong: Record<string, object> = {
      complete0: { chunk_complete: true, chunk_id: 0, audio_seconds: 2, gen_ms: 3 },
      complete1: { chunk_complete: true, chunk_id: 1, audio_seconds: 2, gen_ms: 3 },
      final: { final: true, total_audio_seconds: 3, total_text_chunks: 5, total_audio_chunks: 13 },
      closed: { session_closed: true, total_audio_seconds: 3, usage: { audio_seconds: 3, cost_cents: null } },
    };
    expect(arrived).toEqual(
      undisturbed().map(([atMs, what]) => [
        atMs,
        String(what) in wrong ? json(wrong[String(what)] ?? {}) : what,
      ]),
    );
    expect(struck).toHaveLength(4);
  });

  it('changes those of murmr', async () => {
    const { arrived } = await play('wrong-totals', 'murmr');
    expect(arrived[2]?.[1]).toBe(
      json({ type: 'done', total_chunks: 5, duration_ms: 201, first_chunk_latency_ms: 5 }),
    );
  });
});

describe('changed audio', () => {
  const at = (name: string) => placeOf(name) * GAP_MS;

  it('duplicate@2 sends it twice', async () => {
    const { arrived, struck } = await play('duplicate@2');
    expect(arrived).toEqual(changed('audio2', 1, ['audio2', 'audio2']));
    expect(struck).toEqual([[at('audio2'), 'duplicate@2']]);
  });

  it('reorder@2 sends it behind the next one', async () => {
    const { arrived, struck } = await play('reorder@2');
    expect(arrived.filter(([, what]) => what !== 'audio2' && what !== 'audio3')).toEqual(
      undisturbed().filter(([, what]) => what !== 'audio2' && what !== 'audio3'),
    );
    expect(arrived.filter(([, what]) => what === 'audio2' || what === 'audio3')).toEqual([
      [at('audio3'), 'audio3'],
      [at('audio3'), 'audio2'],
    ]);
    expect(struck).toEqual([[at('audio3'), 'reorder@2']]);
  });

  it('reorder@1 lets words pass', async () => {
    const { arrived } = await play('reorder@1');
    expect(arrived.slice(0, 4).map(([, what]) => what)).toEqual(['start0', 'words0', 'audio2', 'audio1']);
  });

  it('reorder@3 changes nothing where the chunk ends with it', async () => {
    const { arrived, struck } = await play('reorder@3');
    expect(arrived.map(([, what]) => what)).toEqual(undisturbed().map(([, what]) => what));
    expect(struck).toEqual([]);
  });

  it('reorder@2 loses nothing where the server ends first', () => {
    const { inner, toClient } = createLine('reorder@1');
    inner.send(frameOf('audio1'));
    inner.close(1000, '');
    expect(toClient.map(([, what]) => what)).toEqual([frameOf('audio1'), { code: 1000, reason: '' }]);
  });

  it('odd-byte@2 cuts off the last byte of its audio', async () => {
    const { arrived, struck } = await play('odd-byte@2');
    const sent = arrived[placeOf('audio2')]?.[1];
    expect(Buffer.from(JSON.parse(String(sent)).audio, 'base64')).toEqual(samples(1).subarray(1));
    expect(arrived).toEqual(changed('audio2', 1, [sent]));
    expect({ ...JSON.parse(String(sent)), audio: '' }).toEqual({
      ...JSON.parse(String(frameOf('audio2'))),
      audio: '',
    });
    expect(struck).toEqual([[at('audio2'), 'odd-byte@2']]);
  });

  it('odd-byte@1 cuts off the last byte of a message of bytes', async () => {
    const { arrived } = await play('odd-byte@1', 'murmr, bytes');
    expect(arrived).toEqual(changed('audio1', 1, [new Uint8Array(7).fill(1)], 'murmr, bytes'));
  });

  it.each(['kugel-stream', 'murmr'])('invalid-json@2 cuts a frame of %s in half', async (turn) => {
    const { arrived, struck } = await play('invalid-json@2', turn);
    const whole = String(frameOf('audio2', turn));
    expect(arrived).toEqual(changed('audio2', 1, [whole.slice(0, whole.length / 2)], turn));
    expect(() => JSON.parse(String(arrived[placeOf('audio2', turn)]?.[1]))).toThrow();
    expect(struck).toHaveLength(1);
  });

  it('invalid-json@2 sends a text in place of bytes', async () => {
    const { arrived } = await play('invalid-json@2', 'murmr, bytes');
    expect(arrived).toEqual(changed('audio2', 1, ['{'], 'murmr, bytes'));
  });

  it('several faults strike one frame', async () => {
    const { arrived, struck } = await play('stall=500@2,duplicate@2,invalid-json@2');
    const half = String(frameOf('audio2')).slice(0, String(frameOf('audio2')).length / 2);
    expect(arrived.filter(([, what]) => what === half).map(([atMs]) => atMs)).toEqual([530, 530]);
    expect(struck).toEqual([
      [30, 'stall=500@2'],
      [530, 'invalid-json@2'],
      [530, 'duplicate@2'],
    ]);
  });
});

describe('bounds', () => {
  const MIB = 1024 * 1024;
  const frame = 'x'.repeat(64 * 1024);

  /** Sends as a session does, until it has to wait. */
  async function fill(line: ReturnType<typeof createLine>): Promise<{ bytes: number; wait: Promise<void> }> {
    for (let bytes = frame.length; ; bytes += frame.length) {
      line.inner.send(frame);
      const wait = line.inner.drained();
      const isFull = await Promise.race([wait.then(() => false), settle().then(() => true)]);
      if (isFull) return { bytes, wait };
    }
  }

  it('a session waits while much is on its way, and everything arrives', async () => {
    const line = createLine('latency=10000');
    const { bytes, wait } = await fill(line);
    expect(bytes).toBeGreaterThan(MIB / 2);
    expect(bytes).toBeLessThan(1.2 * MIB);
    await line.clock.advance(10_000);
    await wait;
    expect(line.toClient).toHaveLength(bytes / frame.length);
  });

  it('a slow line queues two seconds, so that a cancel is answered', async () => {
    const line = createLine('bandwidth=1000');
    const { bytes } = await fill(line);
    expect(bytes).toBeLessThan(250_000 + 2 * frame.length);
  });

  it('a session waits for a client that does not read, too', async () => {
    const line = createLine('latency=10');
    let read = () => {};
    line.client.drained = new Promise((resolve) => {
      read = resolve;
    });
    let isDrained = false;
    const wait = line.inner.drained().then(() => {
      isDrained = true;
    });
    await settle();
    expect(isDrained).toBe(false);
    read();
    await wait;
  });

  it('a client is not read while many of its messages are on their way', async () => {
    const line = createLine('latency=5000');
    for (let sent = 0; sent <= MIB; sent += frame.length) line.outer.text(frame);
    expect(line.client.isRead).toBe(false);
    line.inner.pause();
    line.inner.resume();
    expect(line.client.isRead).toBe(false);
    await line.clock.advance(5000);
    expect(line.client.isRead).toBe(true);
    expect(line.toServer).toHaveLength(17);
  });

  it('a client whose answers fill the line is not read', async () => {
    const line = createLine('latency=5000');
    for (let sent = 0; sent <= 2 * MIB; sent += frame.length) line.inner.send(frame);
    expect(line.client.isRead).toBe(false);
    await line.clock.advance(5000);
    expect(line.client.isRead).toBe(true);
  });

  it('a session that never waits is cut off', () => {
    const line = createLine('latency=5000');
    for (let sent = 0; sent <= 5 * MIB; sent += frame.length) line.inner.send(frame);
    expect(line.toClient).toContainEqual([0, 'reset']);
  });

  it('a client that leaves is sent nothing more, and nobody waits for it', async () => {
    const line = createLine('latency=5000,late-words=8000');
    const { wait } = await fill(line);
    line.inner.send(frameOf('words0'));
    line.outer.gone(CLIENT_LEFT);
    await wait;
    await line.clock.advance(20_000);
    expect(line.toClient).toEqual([]);
    expect(line.toServer).toEqual([[5000, CLIENT_LEFT]]);
  });

  it('no timer keeps the late words of a client that has left', () => {
    const line = createLine('late-words=3600000');
    line.inner.send(frameOf('words0'));
    line.outer.gone(CLIENT_LEFT);
    expect(line.clock.timers).toBe(0);
  });
});
