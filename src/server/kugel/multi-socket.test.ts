import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningServer } from '../running-server.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { type Frame, kindsOf, SocketClient } from './socket-client.test-helper.ts';

/** Every rule of the seed for `/ws/tts/multi` once more: over a real socket, spoken by the real engine. */

let server: RunningServer;
/** The same with a clock that runs twenty times as fast, for the rules of seconds. */
let hasty: RunningServer;

beforeAll(async () => {
  server = await startTestServer();
  hasty = await startTestServer({ timesFaster: 20 });
}, 60_000);

afterAll(async () => {
  await server.stop();
  await hasty.stop();
});

class Client extends SocketClient {
  constructor(at: RunningServer = server, key = 'local') {
    super(`${at.ws}/kugel/ws/tts/multi?api_key=${key}`);
  }

  ofContext(id: string): Frame[] {
    return this.frames.filter((frame) => frame.context_id === id);
  }

  kindsOf(id: string): string[] {
    return kindsOf(this.ofContext(id));
  }

  /** Samples of a context that have arrived. */
  samples(id: string): number {
    return this.ofContext(id).reduce((sum, frame) => sum + Number(frame.samples ?? 0), 0);
  }
}

const CHUNK = ['generation_started', 'audio', 'chunk_complete'];
const create = (id: string, voice: number | string = 1071, more: Frame = {}): Frame => ({
  text: ' ',
  context_id: id,
  voice_settings: { voice_id: voice },
  ...more,
});
const close = (id: string, more: Frame = {}): Frame => ({ close_context: true, context_id: id, ...more });

/** The example program of the seed, line by line; only its address is another. */
async function multiSpeaker(uri: string, print: (line: string) => void): Promise<void> {
  const ws = new WebSocket(uri);
  await new Promise((opened, failed) => ws.once('open', opened).once('error', failed));
  const messages: string[] = [];
  let wake = () => {};
  ws.on('message', (data) => {
    messages.push(String(data));
    wake();
  });

  // Create narrator context, then character context.
  ws.send(JSON.stringify({ text: ' ', context_id: 'narrator', voice_settings: { voice_id: 1071 } }));
  ws.send(JSON.stringify({ text: ' ', context_id: 'character', voice_settings: { voice_id: 1072 } }));

  // Send text to different speakers.
  ws.send(JSON.stringify({ text: 'The story begins.', context_id: 'narrator', flush: true }));
  ws.send(JSON.stringify({ text: "Hello, I'm the main character!", context_id: 'character', flush: true }));

  // Receive audio from both contexts.
  for (;;) {
    while (messages.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    const data = JSON.parse(messages.shift() ?? '') as Frame;
    if ('audio' in data) {
      const bytes = Buffer.from(String(data.audio), 'base64').length;
      print(`[${data.context_id}] Chunk ${data.idx}: ${bytes} bytes`);
    }
    if (data.context_closed) {
      const { audio_seconds, cost_cents } = (data.usage ?? {}) as Frame;
      print(`[${data.context_id}] usage: ${audio_seconds}s, ${cost_cents} ct`);
    }
    if (data.session_closed) break;
  }

  // Close when done.
  ws.send(JSON.stringify({ close_socket: true }));
  const code = await new Promise((closed) => ws.once('close', closed));
  print(`closed ${code}`);
}

describe('seed: the example program', () => {
  it('runs to its end, with only its address changed', async () => {
    const lines: string[] = [];
    await multiSpeaker(`${hasty.ws}/kugel/ws/tts/multi?api_key=local`, (line) => lines.push(line));
    for (const speaker of ['narrator', 'character']) {
      expect(lines).toContainEqual(expect.stringMatching(`^\\[${speaker}\\] Chunk 0: \\d+ bytes$`));
      expect(lines).toContainEqual(
        expect.stringMatching(`^\\[${speaker}\\] usage: \\d[.\\d]*s, 0\\.\\d+ ct$`),
      );
    }
    expect(lines.at(-1)).toBe('closed 1000');
  });
});

describe('seed: messages', () => {
  it('a context is created with its voice, context_created comes first, and a blank speaks nothing', async () => {
    const client = await new Client().send(create('ctx1'), close('ctx1'));
    await client.until('context_closed');
    expect(client.frames).toEqual([
      { context_created: true, context_id: 'ctx1' },
      { final: true, context_id: 'ctx1' },
      { context_closed: true, context_id: 'ctx1' },
    ]);
    client.done();
  });

  it('text may bring its flush; every frame carries context_id, and final ends the audio of the flush', async () => {
    const client = await new Client().send(create('ctx1', 1071, { word_timestamps: true }), {
      text: 'Good morning.',
      context_id: 'ctx1',
      flush: true,
    });
    expect(await client.until('final')).toEqual({ final: true, context_id: 'ctx1' });
    expect(client.kinds()).toEqual([
      'context_created',
      'generation_started',
      'audio',
      'word_timestamps',
      'chunk_complete',
      'final',
    ]);
    expect(client.ofContext('ctx1')).toHaveLength(client.frames.length);
    client.of('audio').forEach((frame, index) => {
      expect(frame).toMatchObject({ enc: 'pcm_s16le', idx: index, sr: 24_000, chunk_id: 0 });
      expect(Buffer.from(String(frame.audio), 'base64').length).toBe(2 * Number(frame.samples));
    });
    expect(client.of('chunk_complete')[0]).toMatchObject({
      audio_seconds: Math.round(client.samples('ctx1') / 24) / 1000,
      gen_ms: expect.any(Number),
    });
    client.done();
  });

  it('flush alone; the same id is used again over turns', async () => {
    const client = await new Client().send(
      create('ctx1'),
      { text: 'One', context_id: 'ctx1' },
      { flush: true, context_id: 'ctx1' },
      { text: 'Two', context_id: 'ctx1' },
      { flush: true, context_id: 'ctx1' },
    );
    await client.until('final', 2);
    expect(client.kinds()).toEqual(['context_created', ...CHUNK, 'final', ...CHUNK, 'final']);
    client.done();
  });

  it('a flush with nothing buffered is answered', async () => {
    const client = await new Client().send(create('a'), { flush: true, context_id: 'a' });
    await client.until('final');
    client.done();
  });

  it('close lets queued sentences finish, then final, then context_closed with usage', async () => {
    const client = await new Client().send(
      create('ctx1'),
      { text: 'The first sentence. And here is the second one', context_id: 'ctx1' },
      close('ctx1'),
    );
    const { usage } = await client.until('context_closed');
    expect(client.kinds().slice(-3)).toEqual(['chunk_complete', 'final', 'context_closed']);
    const seconds = Math.round(client.samples('ctx1') / 24) / 1000;
    expect(usage).toEqual({
      audio_seconds: seconds,
      characters: 46,
      cost_cents: Math.round(Number((seconds * 9).toFixed(4))) / 100,
      currency: 'eur',
      model_id: 'kugel-3',
    });
    client.done();
  });

  it('immediate close: generation stops, no final, context_closed follows, and others stream on', async () => {
    const client = await new Client().send(create('a'), create('b', 1072), {
      text: 'A long story it was, and so on. '.repeat(200),
      context_id: 'a',
    });
    await client.until('audio', 2);
    await client.send(
      { text: 'Undisturbed.', context_id: 'b', flush: true },
      close('a', { immediate: true }),
    );
    const closed = await client.until('context_closed');
    expect(closed).toMatchObject({ context_id: 'a', usage: { currency: 'eur' } });
    const heard = client.samples('a');
    await client.until('final');
    expect(client.kindsOf('a').at(-1)).toBe('context_closed');
    expect(client.kindsOf('a')).not.toContain('final');
    expect(client.samples('a')).toBe(heard);
    expect(client.kindsOf('b')).toEqual(['context_created', ...CHUNK, 'final']);
    expect((closed.usage as Frame).audio_seconds).toBeCloseTo(heard / 24_000, 3);
    client.done();
  });

  it('close_socket closes all contexts, then session_closed with the sum, then the connection', async () => {
    const client = await new Client().send(
      create('a'),
      create('b', 1072),
      { text: 'One for a.', context_id: 'a', flush: true },
      { text: 'And one for b', context_id: 'b' },
      { close_socket: true },
    );
    expect((await client.closed).code).toBe(1000);
    for (const id of ['a', 'b']) expect(client.kindsOf(id).slice(-2)).toEqual(['final', 'context_closed']);
    const total = (client.samples('a') + client.samples('b')) / 24_000;
    expect(client.frames.at(-1)).toEqual({
      session_closed: true,
      total_audio_seconds: Math.round(total * 1000) / 1000,
    });
  });

  it('cost_cents is null with cost_unavailable for local-unpriced', async () => {
    const client = await new Client(server, 'local-unpriced').send(
      create('a'),
      { text: 'Free?', context_id: 'a' },
      close('a'),
    );
    expect((await client.until('context_closed')).usage).toMatchObject({
      cost_cents: null,
      cost_unavailable: true,
    });
    client.done();
  });
});

describe('seed: settings', () => {
  it('session-level ones hold for all contexts, at the top level or inside voice_settings', async () => {
    const client = await new Client().send(
      {
        context_id: 'call-42',
        text: 'Hello, how can I help you today?',
        output_format: 'ulaw_8000',
        voice_settings: { voice_id: 1071, cfg_scale: 2.0 },
        flush: true,
      },
      create('other', 1072, { voice_settings: { voice_id: 1072, word_timestamps: true, language: 'en' } }),
      { text: 'Me too.', context_id: 'other', flush: true },
    );
    await client.until('final', 2);
    expect(new Set(client.of('audio').map((frame) => `${frame.enc} ${frame.sr}`))).toEqual(
      new Set(['mulaw 8000']),
    );
    expect(client.of('word_timestamps').some((frame) => frame.context_id === 'other')).toBe(true);
    client.done();
  });

  it('output_format is set once per session', async () => {
    const client = await new Client().send(
      create('a', 1071, { output_format: 'pcm_16000' }),
      create('b', 1071, { output_format: 'ulaw_8000' }),
      { text: 'Still so.', context_id: 'a', flush: true },
    );
    await client.until('final');
    expect(client.of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', context_id: 'b' }]);
    expect(client.of('audio')[0]).toMatchObject({ enc: 'pcm_s16le', sr: 16_000 });
    client.done();
  });

  it('sample_rate, language, normalize, dictionary_ids and the voice are heard', async () => {
    const text = 'The SQL server has 12 tables and 34 rows.';
    const lengthWith = async (settings: Frame, voice: number | string = 1071): Promise<number> => {
      const client = await new Client().send(create('a', voice, settings), {
        text,
        context_id: 'a',
        flush: true,
      });
      await client.until('final');
      client.done();
      return client.samples('a') / Number(client.of('audio')[0]?.sr);
    };
    const plain = await lengthWith({});
    expect(await lengthWith({ sample_rate: 8000 })).toBeCloseTo(plain, 0);
    for (const settings of [{ language: 'de' }, { normalize: false }, { dictionary_ids: [] }]) {
      expect(Math.abs((await lengthWith(settings)) - plain), JSON.stringify(settings)).toBeGreaterThan(0.05);
    }
    // Without a language it is the voice's own: German.
    expect(Math.abs((await lengthWith({}, 'hans')) - plain)).toBeGreaterThan(0.05);
  });

  it('model_id is what usage reports', async () => {
    const client = await new Client().send(
      create('a', 1071, { model_id: 'kugel-2-turbo' }),
      { text: 'Hi.', context_id: 'a' },
      close('a'),
    );
    expect((await client.until('context_closed')).usage).toMatchObject({ model_id: 'kugel-2-turbo' });
    client.done();
  });
});

describe('seed: limits', () => {
  it('20 contexts at a time; one more is an error of its own, and there is room after a close', async () => {
    const client = new Client();
    for (let at = 0; at < 21; at += 1) await client.send(create(`c${at}`));
    expect(await client.until('error')).toMatchObject({
      error_code: 'TOO_MANY_CONTEXTS',
      code: 429,
      context_id: 'c20',
    });
    await client.send({ text: 'Unharmed.', context_id: 'c19', flush: true });
    await client.until('final');
    await client.send(close('c3'), create('c20'));
    await client.until('context_created', 21);
    expect(client.of('error')).toHaveLength(1);
    client.done();
  });

  it('20 s of inactivity close a context, a keep-alive begins them anew', async () => {
    const client = await new Client(hasty).send(create('kept'), create('left', 1072), {
      text: 'And then it was silent.',
      context_id: 'left',
      flush: true,
    });
    const keepAlive = setInterval(() => void client.send({ text: '', context_id: 'kept' }), 250);
    expect(await client.until('context_closed')).toMatchObject({
      context_id: 'left',
      usage: { currency: 'eur' },
    });
    expect(client.kindsOf('left')).toEqual(['context_created', ...CHUNK, 'final', 'context_closed']);
    expect(client.of('session_closed')).toEqual([]);
    clearInterval(keepAlive);
    await client.until('session_closed');
    expect(client.kindsOf('kept')).toEqual(['context_created', 'context_closed']);
    // The socket stays, and so does the way back.
    await client.send(create('kept'));
    await client.until('context_created', 3);
    client.done();
  });

  it('3.3.15 twenty contexts that speak at once interleave: all are heard before the first is done', async () => {
    const client = new Client();
    const ids = Array.from({ length: 20 }, (_, at) => `c${at}`);
    const text = 'The quick brown fox jumps over the lazy dog and runs along the river. '.repeat(2);
    for (const id of ids) await client.send(create(id));
    for (const id of ids) await client.send({ text, context_id: id, flush: true });
    await client.until('final', 20);
    const firstAudio = ids.map((id) =>
      client.frames.findIndex((frame) => 'audio' in frame && frame.context_id === id),
    );
    expect(Math.max(...firstAudio)).toBeLessThan(client.frames.findIndex((frame) => 'final' in frame));
    client.done();
  }, 30_000);
});

describe('3.3.22 cancel', () => {
  it('of one context stops it at once and leaves it open; the others go on', async () => {
    const client = await new Client().send(create('a'), create('b', 1072), {
      text: 'A long story it was, and so on. '.repeat(200),
      context_id: 'a',
    });
    await client.until('audio', 2);
    await client.send({ cancel: true, context_id: 'a' }, { text: 'Fine.', context_id: 'b', flush: true });
    expect(await client.until('interrupted')).toEqual({ interrupted: true, context_id: 'a' });
    const before = client.ofContext('a').length;
    await client.until('final');
    expect(client.ofContext('a')).toHaveLength(before);
    await client.send({ text: 'Fresh.', context_id: 'a', flush: true });
    await client.until('final', 2);
    expect(client.ofContext('a')[before]).toEqual({
      generation_started: true,
      chunk_id: 0,
      text: 'Fresh.',
      context_id: 'a',
    });
    client.done();
  });

  it('without a context it stops all of them', async () => {
    const text = 'A long story it was, and so on. '.repeat(200);
    const client = await new Client().send(
      create('a'),
      create('b', 1072),
      { text, context_id: 'a', flush: true },
      { text, context_id: 'b', flush: true },
    );
    await client.until('audio', 2);
    await client.send({ cancel: true });
    expect(await client.until('interrupted')).toEqual({ interrupted: true });
    const before = client.of('audio').length;
    await client.send({ flush: true, context_id: 'a' });
    await client.until('final');
    expect(client.of('audio')).toHaveLength(before);
    expect(client.of('final')).toHaveLength(1);
    client.done();
  });
});

describe('errors', () => {
  const refused: [string, Frame | string | Buffer, string, number][] = [
    ['3.3.8 text without a voice', { text: 'Hi', context_id: 'x' }, 'MISSING_VOICE_ID', 400],
    ['1.4 an unknown voice', create('x', 4_000_000), 'NOT_FOUND', 404],
    ['text without a context', { text: 'Hi' }, 'VALIDATION_ERROR', 400],
    ['decision 8: a value out of range', { speed: 2, context_id: 'x' }, 'VALIDATION_ERROR', 400],
    ['decision 5: no JSON', '{"text"', 'VALIDATION_ERROR', 400],
    ['decision 5: a binary message', Buffer.from([1, 2, 3]), 'VALIDATION_ERROR', 400],
  ];
  it.each(refused)('%s: error frame, and the socket goes on', async (_, message, name, code) => {
    const client = await new Client().send(message);
    const error = await client.until('error');
    expect(error).toMatchObject({ error_code: name, code, request_id: expect.any(String) });
    expect('context_id' in error).toBe(
      typeof message === 'object' && !Buffer.isBuffer(message) && 'context_id' in message,
    );
    await client.send(create('fine'), { text: 'Fine.', context_id: 'fine', flush: true });
    await client.until('final');
    client.done();
  });

  it('3.3.21 a frame without a context sets the session up, creates nothing and is no error', async () => {
    const client = await new Client().send(
      { text: '', voice_id: 1071, model_id: 'kugel-3' },
      { update_settings: {} },
    );
    await client.until('settings_updated');
    expect(client.frames).toHaveLength(1);
    client.done();
  });

  const refusedKeys: [string, string, number, number][] = [
    ['wrong', 'UNAUTHORIZED', 401, 4001],
    ['local-no-credits', 'INSUFFICIENT_CREDITS', 402, 4003],
    ['local-rate-limited', 'RATE_LIMITED', 429, 4029],
    ['local-busy', 'MODEL_UNAVAILABLE', 503, 4500],
  ];
  it.each(refusedKeys)(
    'decision 3: key %s: error frame, then the close',
    async (key, name, code, closeCode) => {
      const client = new Client(server, key);
      expect((await client.closed).code).toBe(closeCode);
      expect(client.frames).toMatchObject([{ error_code: name, code }]);
    },
  );

  it('2.3.33 a server that goes away lets contexts finish, then closes with 1012', async () => {
    const leaving = await startTestServer();
    const client = await new Client(leaving).send(create('a'), {
      text: 'The last words of this server.',
      context_id: 'a',
    });
    await client.until('context_created');
    await leaving.stop();
    expect((await client.closed).code).toBe(1012);
    expect(client.kindsOf('a').slice(-2)).toEqual(['final', 'context_closed']);
    expect(client.kinds().at(-1)).toBe('session_closed');
    // An engine of its own takes a while to start.
  }, 30_000);
});

describe('hostile messages', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  /** Each is refused with one error, and changes nothing. */
  const refused = fc.oneof(
    fc.constantFrom<string | Buffer>(
      '',
      '[]',
      'null',
      deep(20_000),
      `{"context_id":"a","text":${deep(20_000)}}`,
      `{"context_id":${deep(20_000)},"text":"x"}`,
      `{"voice_settings":${deep(20_000)}}`,
      `{"context_id":"${'x'.repeat(100_000)}","text":"x"}`,
      '{"context_id":"","text":"x"}',
      '{"context_id":null,"text":"x"}',
      '{"context_id":"a","text":"x","voice_settings":{"voice_id":"constructor"}}',
      '{"context_id":"a","text":"x","voice_settings":{"voice_id":{"toString":1}}}',
      '{"context_id":"__proto__","text":"x"}',
      '{"context_id":"constructor","flush":true}',
      '{"inactivity_timeout":1e999}',
      '{"inactivity_timeout":0}',
      '{"speed":1e999}',
      '{"close_context":true}',
      '{"cancel":"all"}',
      '{"update_settings":{"voice_id":1072}}',
      Buffer.alloc(0),
      Buffer.from('{"cancel":true}'),
    ),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  );
  /** Each is taken, and answered with nothing. */
  const ignored = fc.constantFrom(
    '{}',
    '{"__proto__":{"close_socket":true},"constructor":{"prototype":{"cancel":true}}}',
    `{"unknown":${deep(20_000)}}`,
    '{"context_id":"__proto__","text":""}',
    '{"context_id":"nobody"}',
    '{"immediate":true,"context_id":"nobody"}',
    '{"voice_settings":{"speed":1e999,"temperature":[]}}',
  );

  it('each refused one has one error, each ignored one none, and a context works afterwards', async () => {
    const messages = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: refused.map((message) => ({ message, errors: 1 })) },
        { weight: 1, arbitrary: ignored.map((message) => ({ message, errors: 0 })) },
      ),
      { minLength: 1, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(messages, async (sent) => {
        const client = await new Client().send(...sent.map(({ message }) => message), create('fine'), {
          text: 'Fine.',
          context_id: 'fine',
          flush: true,
        });
        await client.until('final');
        expect(client.of('error')).toHaveLength(sent.reduce((sum, { errors }) => sum + errors, 0));
        expect(client.kinds().filter((kind) => kind !== 'error')).toEqual([
          'context_created',
          ...CHUNK,
          'final',
        ]);
        client.done();
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('ids that are names of JavaScript are ids like any other', async () => {
    const client = new Client();
    for (const id of ['__proto__', 'constructor', 'toString']) {
      await client.send(create(id), { text: 'Hi.', context_id: id, flush: true });
    }
    await client.until('final', 3);
    expect(client.of('context_created').map((frame) => frame.context_id)).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ]);
    client.done();
  });
});
