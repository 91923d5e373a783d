import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { type Frame, SocketClient } from './socket-client.test-helper.ts';
import { IDLE_WARNING } from './stream-session.ts';

/** Every rule of the seed for `/ws/tts/stream` once more: over a real socket, spoken by the real engine. */

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
  constructor(
    at: RunningServer = server,
    key: string | null = 'local',
    headers: Record<string, string> = {},
  ) {
    super(`${at.ws}/kugel/ws/tts/stream${key === null ? '' : `?api_key=${key}`}`, headers);
  }

  /** All samples received as PCM. */
  pcm(): Int16Array {
    const bytes = Buffer.concat(this.of('audio').map((frame) => Buffer.from(String(frame.audio), 'base64')));
    return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }
}

const CHUNK = ['generation_started', 'audio', 'chunk_complete'];
const END = ['final', 'session_closed'];
const VOICE = { voice_id: 1071, language: 'en' };

const seconds = (client: Client): number => client.pcm().length / 24_000;

describe('seed: connection and protocol', () => {
  it('the sample program of the page runs to its end', async () => {
    const client = await new Client().send({ voice_id: 1071, model_id: 'kugel-3', cfg_scale: 2.0 });
    for (const text of ['Hello, ', 'this ', 'is ', 'streaming ', 'from ', 'an ', 'LLM.'])
      await client.send({ text });
    await client.send({ flush: true }, { close_socket: true });
    const { usage } = await client.until('session_closed');
    expect(usage).toMatchObject({ characters: 37, currency: 'eur', model_id: 'kugel-3' });
    expect(
      client
        .of('generation_started')
        .map((frame) => frame.text)
        .join(' '),
    ).toBe('Hello, this is streaming from an LLM.');
    expect(seconds(client)).toBeGreaterThan(1);
    expect(await client.closed).toEqual({ code: 1000, reason: '' });
  });

  it('config is sticky for the connection, and the socket stays open for the next turn', async () => {
    const client = await new Client().send({ ...VOICE, sample_rate: 16_000 });
    await client.send({ text: 'One.' }, { flush: true });
    await client.until('session_closed');
    await client.send({ text: 'Two.' }, { flush: true });
    await client.until('session_closed', 2);
    expect(new Set(client.of('audio').map((frame) => frame.sr))).toEqual(new Set([16_000]));
    client.done();
  });

  it('a fresh config may come between turns', async () => {
    const client = await new Client().send({ ...VOICE, text: 'One.', flush: true });
    await client.until('session_closed');
    await client.send({ output_format: 'ulaw_8000' }, { text: 'Two.', flush: true });
    await client.until('session_closed', 2);
    expect(client.of('audio').at(0)).toMatchObject({ enc: 'pcm_s16le', sr: 24_000 });
    expect(client.of('audio').at(-1)).toMatchObject({ enc: 'mulaw', sr: 8000 });
    client.done();
  });

  it('2.3.26 pipelined turns end in the order they began', async () => {
    const client = await new Client().send(
      VOICE,
      { text: 'The first one.', flush: true },
      { text: 'Then the second, a little longer.', flush: true },
    );
    await client.until('session_closed', 2);
    expect(client.of('session_closed').map((frame) => (frame.usage as Frame).characters)).toEqual([14, 33]);
    client.done();
  });

  it('1.2 the key is taken from the query, a bearer or X-API-Key', async () => {
    for (const headers of [{ Authorization: 'Bearer local' }, { 'X-API-Key': 'local' }]) {
      const client = await new Client(server, null, headers).send({ ...VOICE, text: 'Hi.', flush: true });
      await client.until('session_closed');
      client.done();
    }
  });
});

describe('seed: text, flush and buffering', () => {
  it('a text frame is not a sentence boundary; tokens are joined until there is one', async () => {
    const client = await new Client().send(VOICE, { text: 'Good mor' }, { text: 'ning. ' }, { text: 'How' });
    expect(await client.until('generation_started')).toEqual({
      generation_started: true,
      chunk_id: 0,
      text: 'Good morning.',
    });
    client.done();
  });

  it('flush: true on a text message speaks a phrase without punctuation', async () => {
    const client = await new Client().send({ ...VOICE, text: 'no punctuation here', flush: true });
    await client.until('session_closed');
    expect(client.kinds()).toEqual([...CHUNK, ...END]);
    client.done();
  });

  it('flush_timeout_ms speaks what waits, and the turn stays open', async () => {
    const client = await new Client().send({ ...VOICE, text: 'Nothing follows' });
    await client.until('chunk_complete');
    expect(client.of('final')).toEqual([]);
    client.done();
  });

  it('chunk_length_schedule sets the least length of each chunk', async () => {
    const text =
      'Good morning. Your train leaves at nine. It is late. So there is time for a coffee, I think.';
    const client = await new Client().send({ ...VOICE, chunk_length_schedule: [30], text, flush: true });
    await client.until('session_closed');
    for (const frame of client.of('generation_started').slice(0, -1)) {
      expect(String(frame.text).length).toBeGreaterThanOrEqual(30);
    }
    client.done();
  });

  it('auto_mode starts at the first clean sentence boundary', async () => {
    const client = await new Client().send({
      ...VOICE,
      auto_mode: true,
      chunk_length_schedule: [500],
      text: 'Hi. And then more comes',
    });
    expect(await client.until('generation_started')).toMatchObject({ text: 'Hi.' });
    client.done();
  });

  it('max_buffer_length forces a flush', async () => {
    const client = await new Client().send({
      ...VOICE,
      max_buffer_length: 20,
      chunk_length_schedule: [500],
      text: 'words without any mark that go on',
    });
    expect(String((await client.until('generation_started')).text).length).toBeLessThanOrEqual(20);
    client.done();
  });
});

describe('seed: the end of a turn', () => {
  it('an idle turn is ended after 5 s with the warning, its audio, final and session_closed', async () => {
    const client = await new Client(hasty).send({ ...VOICE, flush_timeout_ms: 60_000, text: 'Left alone' });
    expect(await client.until('warning')).toEqual({ warning: IDLE_WARNING });
    await client.until('session_closed');
    expect(client.kinds()).toEqual(['warning', ...CHUNK, ...END]);
    await client.send({ text: 'Next turn', flush: true });
    await client.until('session_closed', 2);
    client.done();
  });

  it.each(['close', 'end_session'])('%s ends the session, the socket stays open', async (key) => {
    const client = await new Client().send({ ...VOICE, text: 'Good bye' }, { [key]: true });
    await client.until('session_closed');
    await client.send({ text: 'Still there', flush: true });
    await client.until('session_closed', 2);
    client.done();
  });

  it('decision 2 (1, 3): flush and close with no turn are answered with zeros', async () => {
    const client = await new Client().send({ flush: true }, { close: true });
    await client.until('session_closed', 2);
    expect(client.kinds()).toEqual([...END, ...END]);
    expect(client.of('session_closed')[0]).toMatchObject({
      total_audio_seconds: 0,
      usage: { audio_seconds: 0, cost_cents: 0 },
    });
    client.done();
  });

  it('final precedes session_closed, nothing of the turn follows, and totals and usage hold', async () => {
    const client = await new Client().send({
      ...VOICE,
      text: 'Five point four seconds it is not.',
      flush: true,
    });
    const closed = await client.until('session_closed');
    expect(client.kinds().slice(-2)).toEqual(END);
    const { session_closed: _, usage, ...totals } = closed;
    expect(client.of('final')).toEqual([{ final: true, ...totals }]);
    expect(totals).toEqual({
      total_audio_seconds: Math.round(seconds(client) * 1000) / 1000,
      total_text_chunks: client.of('generation_started').length,
      total_audio_chunks: client.of('audio').length,
    });
    expect(usage).toEqual({
      audio_seconds: totals.total_audio_seconds,
      characters: 34,
      cost_cents: Math.round(Number(totals.total_audio_seconds) * 9) / 100,
      currency: 'eur',
      model_id: 'kugel-3',
    });
    client.done();
  });

  it('cost_cents is null with cost_unavailable for local-unpriced', async () => {
    const client = await new Client(server, 'local-unpriced').send({ ...VOICE, text: 'Free?', flush: true });
    expect((await client.until('session_closed')).usage).toMatchObject({
      cost_cents: null,
      cost_unavailable: true,
    });
    client.done();
  });

  it('close_socket ends the session and the connection', async () => {
    const client = await new Client().send({ ...VOICE, text: 'And out' }, { close_socket: true });
    expect((await client.closed).code).toBe(1000);
    expect(client.kinds()).toEqual([...CHUNK, ...END]);
  });
});

describe('seed: cancel', () => {
  it('stops at once, is acknowledged with interrupted, and the next turn is a fresh one', async () => {
    const client = await new Client().send({ ...VOICE, text: 'A long story it was, and so on. '.repeat(60) });
    await client.until('audio', 3);
    await client.send({ cancel: true });
    await client.until('interrupted');
    const before = client.frames.length;
    await client.send({ text: 'Fresh', flush: true });
    await client.until('session_closed');
    const after = client.frames.slice(before);
    expect(after[0]).toEqual({ generation_started: true, chunk_id: 0, text: 'Fresh' });
    expect(client.of('final')).toHaveLength(1);
    expect(client.of('session_closed')).toMatchObject([{ usage: { characters: 5 } }]);
    client.done();
  });

  it('2.3.23 with nothing running is acknowledged', async () => {
    const client = await new Client().send({ cancel: true });
    await client.until('interrupted');
    expect(client.frames).toEqual([{ interrupted: true }]);
    client.done();
  });
});

describe('seed: frames of a chunk', () => {
  it('come in order with one chunk_id; audio is base64 with enc, idx, sr and samples that agree', async () => {
    const client = await new Client().send({
      ...VOICE,
      word_timestamps: true,
      text: 'Good morning, all. And this is the second one, which is to be a good deal longer than the first.',
      flush: true,
    });
    await client.until('session_closed');
    const chunk = ['generation_started', 'audio', 'word_timestamps', 'chunk_complete'];
    expect(client.kinds()).toEqual([...chunk, ...chunk, ...END]);
    client.of('audio').forEach((frame, index) => {
      expect(frame).toMatchObject({ enc: 'pcm_s16le', idx: index, sr: 24_000 });
      expect(Buffer.from(String(frame.audio), 'base64').length).toBe(2 * Number(frame.samples));
    });
    for (const [id, complete] of client.of('chunk_complete').entries()) {
      const samples = client
        .of('audio')
        .filter((frame) => frame.chunk_id === id)
        .reduce((sum, frame) => sum + Number(frame.samples), 0);
      expect(complete).toMatchObject({ chunk_id: id, audio_seconds: Math.round(samples / 24) / 1000 });
      expect(Number(complete.gen_ms)).toBeGreaterThanOrEqual(0);
    }
    client.done();
  });

  it('decision 6: word timestamps cover every word as written, in order, within the audio', async () => {
    const text = "It's 12.50 at “Café Mozart”, 9:42 sharp 🙂 — don't wait.";
    const client = await new Client().send({
      ...VOICE,
      word_timestamps: true,
      chunk_length_schedule: [500],
      text,
      flush: true,
    });
    await client.until('session_closed');
    const words = client.of('word_timestamps')[0]?.word_timestamps as Frame[];
    expect(words.map((word) => word.word)).toEqual([
      "It's",
      '12.50',
      'at',
      'Café',
      'Mozart',
      '9:42',
      'sharp',
      ...words.slice(7, -2).map((word) => word.word),
      "don't",
      'wait',
    ]);
    let endMs = 0;
    for (const word of words) {
      expect(text.slice(Number(word.char_start), Number(word.char_end))).toBe(word.word);
      expect(Number(word.start_ms)).toBeGreaterThanOrEqual(endMs);
      endMs = Number(word.end_ms);
    }
    expect(endMs).toBeLessThanOrEqual(seconds(client) * 1000);
    client.done();
  });
});

describe('seed: settings are heard', () => {
  const TEXT = 'The quick brown fox jumps over the lazy dog.';
  const lengthWith = async (config: Frame): Promise<number> => {
    const client = await new Client().send({ ...VOICE, text: TEXT, flush: true, ...config });
    await client.until('session_closed');
    client.done();
    return seconds(client);
  };

  it('speed', async () => {
    expect(await lengthWith({ speed: 1.2 })).toBeLessThan((await lengthWith({ speed: 0.8 })) * 0.8);
  });

  it('language', async () => {
    expect(await lengthWith({ language: 'de' })).not.toBeCloseTo(await lengthWith({ language: 'en' }), 2);
  });

  it('dictionary_ids', async () => {
    const text = 'SQL and SQL and SQL and SQL.';
    const read = await lengthWith({ text, dictionary_ids: [1] });
    expect(Math.abs(read - (await lengthWith({ text, dictionary_ids: [] })))).toBeGreaterThan(0.1);
  });

  it('2.3.27 update_settings applies from the next turn', async () => {
    const client = await new Client().send(VOICE, { update_settings: { speed: 0.8 } });
    expect(await client.until('settings_updated')).toMatchObject({
      settings: { speed: 0.8, temperature: 0.4 },
    });
    await client.send({ text: TEXT, flush: true });
    await client.until('session_closed');
    expect(seconds(client)).toBeGreaterThan((await lengthWith({ speed: 1.2 })) * 1.2);
    client.done();
  });
});

describe('seed: errors', () => {
  const refused: [string, Frame | string | Buffer, string, number][] = [
    ['2.3.29 text without a voice', { text: 'Hi', flush: true }, 'MISSING_VOICE_ID', 400],
    ['1.4 an unknown voice', { voice_id: 4_000_000 }, 'NOT_FOUND', 404],
    ['decision 8: a value out of range', { speed: 2 }, 'VALIDATION_ERROR', 400],
    ['decision 13: text over 10,000 characters', { text: 'x'.repeat(10_001) }, 'VALIDATION_ERROR', 400],
    ['decision 5: no JSON', '{"text"', 'VALIDATION_ERROR', 400],
    ['decision 5: a binary message', Buffer.from([1, 2, 3]), 'VALIDATION_ERROR', 400],
  ];
  it.each(refused)('%s: error frame, and the socket goes on', async (_, message, name, code) => {
    const client = await new Client().send(message);
    const error = await client.until('error');
    expect(error).toMatchObject({ error_code: name, code });
    expect(error.request_id).toEqual(expect.any(String));
    await client.send({ ...VOICE, text: 'Fine.', flush: true });
    await client.until('session_closed');
    client.done();
  });

  const refusedKeys: [string | null, string, number, number][] = [
    ['wrong', 'UNAUTHORIZED', 401, 4001],
    [null, 'UNAUTHORIZED', 401, 4001],
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
      expect(JSON.stringify(client.frames)).not.toContain(`${key}`);
    },
  );

  it('decision 5: a message over 1 MiB closes with 1009', async () => {
    const client = await new Client().send({ text: 'x'.repeat(1024 * 1024) });
    expect((await client.closed).code).toBe(1009);
  });
});

describe('hostile messages', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  /** Each is refused with one error, and changes nothing. */
  const refused = fc.oneof(
    fc.constantFrom<string | Buffer>(
      '',
      '{"text":',
      '[]',
      'null',
      '-0',
      '"text"',
      deep(20_000),
      `{"text":${deep(20_000)}}`,
      `{"voice_id":${deep(20_000)}}`,
      '{"speed":1e999}',
      '{"sample_rate":9007199254740993}',
      '{"max_new_tokens":-1e308}',
      '{"voice_id":1e308}',
      '{"flush":"yes"}',
      '{"cancel":1}',
      '{"chunk_length_schedule":[]}',
      '{"dictionary_ids":[9007199254740991]}',
      '{"update_settings":[]}',
      '{"update_settings":{"voice_id":1072}}',
      `{"text":"${'x'.repeat(10_001)}"}`,
      Buffer.alloc(0),
      Buffer.from('{"flush":true}'),
    ),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc
      .jsonValue()
      .filter((value) => typeof value !== 'object' || value === null || Array.isArray(value))
      .map((value) => JSON.stringify(value)),
  );
  /** Each is taken, and answered with nothing. */
  const ignored = fc.constantFrom(
    '{}',
    '{"__proto__":{"flush":true},"constructor":{"prototype":{"cancel":true}}}',
    '{"toString":1,"hasOwnProperty":null}',
    `{"unknown":${deep(20_000)}}`,
    '{"flush":false,"text":""}',
    '{"cfg_scale":-1e308}',
    '{"text":"  "}',
  );

  it('each refused one has one error, each ignored one none, and a turn works afterwards', async () => {
    const messages = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: refused.map((message) => ({ message, errors: 1 })) },
        { weight: 1, arbitrary: ignored.map((message) => ({ message, errors: 0 })) },
      ),
      { minLength: 1, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(messages, async (sent) => {
        const client = await new Client().send(...sent.map(({ message }) => message), {
          ...VOICE,
          text: 'Fine.',
          flush: true,
        });
        await client.until('session_closed');
        expect(client.of('error')).toHaveLength(sent.reduce((sum, { errors }) => sum + errors, 0));
        expect(client.kinds().filter((kind) => kind !== 'error')).toEqual([...CHUNK, ...END]);
        client.done();
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('messages after close_socket are refused while the turn drains, and do not disturb it', async () => {
    const client = await new Client().send(
      { ...VOICE, text: 'One more sentence, and a little longer than the others.', flush: true },
      { close_socket: true },
      { text: 'Too late.', flush: true },
      { close_socket: true },
      '{"text"',
    );
    expect((await client.closed).code).toBe(1000);
    expect(client.of('error')).toHaveLength(3);
    expect(client.of('session_closed')).toHaveLength(1);
    expect(client.frames.at(-1)).toHaveProperty('session_closed');
  });

  const broken: [string, Buffer, number][] = [
    ['text that is no UTF-8', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]), 1007],
    ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ['a reserved opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
    ['a message of 2^62 bytes', Buffer.from([0x81, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 1009],
  ];
  it.each(broken)('%s closes its own connection alone', async (_, bytes, code) => {
    const other = await new Client().send({ ...VOICE, text: 'Undisturbed.' });
    const client = new Client();
    await client.sendRaw(bytes);
    expect((await client.closed).code).toBe(code);
    await other.send({ flush: true });
    await other.until('session_closed');
    other.done();
  });

  it('text that is no UTF-8 closes in order, with messages waiting before it and behind it', async () => {
    const client = new Client();
    const empty = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]);
    const notUtf8 = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]);
    // Each part is read by itself, while the messages of the first wait for their rounds.
    for (const part of [Buffer.concat(Array<Buffer>(1500).fill(empty)), notUtf8, empty]) {
      await client.sendRaw(part);
      await settle();
    }
    expect((await client.closed).code).toBe(1007);
  });
});
