import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_BUFFER_CHARS } from '#protocol/murmr/wire/generation-buffer.ts';
import { settle } from '../fake-clock.test-helper.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { MAX_CONNECTIONS_PER_KEY, MAX_GENERATIONS_PER_MINUTE } from './access.ts';
import { MAX_WAITING_CHARS, MAX_WAITING_GENERATIONS } from './generation-queue.ts';
import { AUTHENTICATION_MS, CONFIG_WITHIN_MS } from './realtime-session.ts';
import { firstVoices } from './saved-voices.ts';
import { createTestAccess, createWorld, type Frame, type World } from './session-world.test-helper.ts';
import { promptOf } from './voice-prompt.ts';

const FIRST_VOICES = firstVoices(LOCAL_CATALOGUE);

let world: World;

beforeEach(() => {
  world = createWorld();
});

const CONFIG = { type: 'config', api_key: 'local', voice_description: 'A warm voice', language: 'English' };
const FLUSH = { type: 'flush' };
const text = (value: string) => ({ type: 'text', text: value });
const ACK = { type: 'config_ack', session_id: 'a1b2c3d4' };
/** One sentence of exactly 60 characters. */
const SENTENCE = 'The quick brown fox jumps over the lazy dog and then sleeps.';

/** Configured, and past its authentication. */
async function open(config: Frame = CONFIG, at: World = world): Promise<World> {
  at.send(config);
  await at.clock.advance(AUTHENTICATION_MS);
  return at;
}

/** The samples of a frame of either kind. */
function samplesIn(frame: Frame | Uint8Array): number {
  const bytes = frame instanceof Uint8Array ? frame : Buffer.from(String(frame.chunk ?? ''), 'base64');
  return bytes.byteLength / 2;
}

/** Sends again and again until the session reads no more. @returns how often */
function untilPaused(send: () => void): number {
  for (let count = 1; count < 10_000; count += 1) {
    send();
    if (!world.isReading()) return count;
  }
  throw new Error('the session goes on reading');
}

const spoken = () => world.engine.requests.map((request) => request.text);

describe('config and authentication', () => {
  it('6.3.1 no config within 10 s: error 4001, then the close', async () => {
    await world.clock.advance(CONFIG_WITHIN_MS - 1);
    expect(world.sent).toEqual([]);
    await world.clock.advance(1);
    expect(world.of('error')).toEqual([
      { type: 'error', message: 'No config message within 10 seconds', code: 4001 },
    ]);
    expect(world.closes).toEqual([[4001, 'AUTH_TIMEOUT']]);
  });

  it('6.3.1 a config in the last moment is in time, and nothing closes later', async () => {
    await world.clock.advance(CONFIG_WITHIN_MS - 1);
    await open();
    await world.clock.advance(60_000);
    expect(world.sent).toEqual([ACK]);
    expect(world.closes).toEqual([]);
  });

  it('6.3.2 config_ack leaves at once, while the key is still being looked up', () => {
    world.send({ ...CONFIG, api_key: 'wrong' });
    expect(world.sent).toEqual([ACK]);
    expect(world.closes).toEqual([]);
  });

  it('6.3.3 text sent during authentication is spoken after it, in order', async () => {
    world.send(CONFIG, text('One'), FLUSH, text('Two'), FLUSH);
    await world.clock.advance(AUTHENTICATION_MS - 1);
    expect(world.engine.requests).toEqual([]);
    expect(world.sent).toEqual([ACK]);
    await world.clock.advance(1);
    expect(spoken()).toEqual(['One', 'Two']);
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done', 'audio', 'done']);
  });

  it('6.3.4 a bad key: error 4002, close 4002, and what was queued is never generated', async () => {
    world.send({ ...CONFIG, api_key: 'wrong' }, text(SENTENCE), FLUSH);
    await world.clock.advance(AUTHENTICATION_MS);
    expect(world.sent).toEqual([ACK, { type: 'error', message: 'Invalid API key', code: 4002 }]);
    expect(world.closes).toEqual([[4002, 'Invalid API key']]);
    world.send(text(SENTENCE), FLUSH, { type: 'ping' });
    await world.clock.advance(60_000);
    expect(world.engine.requests).toEqual([]);
    expect(world.sent).toHaveLength(2);
  });

  it('6.3.5 a plan without WebSocket: close 4002, whose reason names the plans that have it', async () => {
    await open({ ...CONFIG, api_key: 'local-no-credits' });
    const [[code, reason] = [0, '']] = world.closes;
    expect(code).toBe(4002);
    expect(reason).toMatch(/Realtime.*Scale plan/);
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
    expect(world.of('error')).toEqual([{ type: 'error', message: reason, code: 4002 }]);
  });

  it.each(['local', 'mine', 'local-unpriced', 'local-limited'])('the key %s speaks', async (key) => {
    await open({ ...CONFIG, api_key: key });
    world.send(text('Hello'), FLUSH);
    await settle();
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done']);
  });

  it('a client that leaves during authentication takes no place and starts nothing', async () => {
    world.send({ ...CONFIG, api_key: 'local-limited' }, text('Hello'), FLUSH);
    world.session.gone();
    await world.clock.advance(60_000);
    expect(world.engine.requests).toEqual([]);
    expect(world.sent).toEqual([ACK]);
  });

  it('ping and binary_mode are answered during authentication', () => {
    world.send(CONFIG, { type: 'ping' }, { type: 'binary_mode' });
    expect(world.kinds()).toEqual(['config_ack', 'pong', 'binary_mode_ack']);
  });
});

describe('decision 26: a second config', () => {
  it('with the same key is acknowledged, and changes the voice of later generations alone', async () => {
    await open();
    world.engine.hold();
    world.send(text('First'), FLUSH, text('Second'), FLUSH);
    world.send({ ...CONFIG, voice_description: '', voice_clone_prompt: promptOf(firstSaved().cloned) });
    world.send(text('Third'), FLUSH);
    world.engine.release();
    await settle();
    expect(world.of('config_ack')).toEqual([ACK, ACK]);
    const voices = world.engine.requests.map(({ voice }) => voice);
    expect(voices[1]).toEqual(voices[0]);
    expect({ catalogue: voices[2] }).toEqual(firstSaved().cloned);
  });

  it('during authentication does not begin it anew', async () => {
    world.send(CONFIG);
    await world.clock.advance(AUTHENTICATION_MS - 1);
    world.send(CONFIG, text('Hello'), FLUSH);
    await world.clock.advance(1);
    expect(world.kinds()).toEqual(['config_ack', 'config_ack', 'audio', 'done']);
  });

  it('with another key closes with 4003', async () => {
    await open();
    world.send({ ...CONFIG, api_key: 'mine' });
    expect(world.closes).toEqual([[4003, 'INVALID_MESSAGE']]);
    expect(JSON.stringify(world.sent)).not.toContain('mine');
  });
});

describe('6.3.6, decision 5: what is no message of the protocol closes with 4003', () => {
  const wrong: [string, string, RegExp][] = [
    ['malformed JSON', '{"type":"text"', /expected a JSON object, got text that is no JSON/],
    ['a list', '[]', /expected a JSON object/],
    ['null', 'null', /expected a JSON object/],
    ['an unknown type', '{"type":"cancel"}', /type: expected one of config, text, .*, got "cancel"/],
    ['no type', '{"text":"Hello"}', /type: expected one of .*, got nothing/],
    ['a name of Object', '{"type":"toString"}', /type: expected one of/],
    ['a wrong field', '{"type":"text","text":7}', /text: expected a string, got 7/],
    ['a missing field', '{"type":"text"}', /text: expected a string, got nothing/],
    [
      'a voice without its prompt',
      JSON.stringify({ ...CONFIG, voice: 'voice_abc123' }),
      /voice_clone_prompt: expected the prompt/,
    ],
    [
      'a prompt that is no base64',
      JSON.stringify({ ...CONFIG, voice_clone_prompt: '%%%' }),
      /voice_clone_prompt/,
    ],
    [
      'a prompt of something else',
      JSON.stringify({ ...CONFIG, voice_clone_prompt: 'aGVsbG8gd29ybGQgb2YgdGVzdHM=' }),
      /voice_clone_prompt: expected the prompt_data of a voice .*, got 20 bytes of something else/,
    ],
    [
      'a description that is too long',
      JSON.stringify({ ...CONFIG, voice_description: 'x'.repeat(501) }),
      /voice_description: expected .*500.*, got 501/,
    ],
  ];
  it.each(wrong)('%s', async (_, message, problem) => {
    await open();
    world.send(message);
    const [error] = world.of('error');
    expect(error).toMatchObject({ code: 4003 });
    expect(String(error?.message)).toMatch(problem);
    expect(world.closes).toEqual([[4003, 'INVALID_MESSAGE']]);
  });

  it('a binary message', async () => {
    await open();
    world.session.binary();
    expect(world.of('error')).toMatchObject([{ code: 4003 }]);
    expect(world.closes).toEqual([[4003, 'INVALID_MESSAGE']]);
  });

  it.each([text('Hello'), FLUSH, { type: 'binary_mode' }, { type: 'ping' }])(
    '27: $type before the config',
    (message) => {
      world.send(message);
      expect(world.of('error')).toMatchObject([
        { code: 4003, message: expect.stringContaining('expected config as the first message') },
      ]);
      expect(world.closes).toEqual([[4003, 'INVALID_MESSAGE']]);
    },
  );

  it('unknown fields do not matter', async () => {
    await open({ ...CONFIG, speed: 2, nested: { a: 1 } });
    world.send({ ...text('Hello'), trace: 'x' }, FLUSH);
    await settle();
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done']);
  });

  it('after it nothing is said, and what was being spoken stops', async () => {
    await open();
    world.engine.hold();
    world.send(text('Hello'), FLUSH);
    await settle();
    world.send('nonsense');
    world.engine.release();
    await world.clock.advance(1000);
    expect(world.kinds()).toEqual(['config_ack', 'error']);
  });
});

describe('generations', () => {
  it('6.3.10 a text is cut where the rules of the buffer say, each with audio and one done', async () => {
    await open();
    world.send(text(`${SENTENCE} And then`));
    await settle();
    expect(spoken()).toEqual([SENTENCE]);
    world.send(FLUSH);
    await settle();
    expect(spoken()).toEqual([SENTENCE, 'And then']);
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done', 'audio', 'done']);
  });

  it('6.3.12 less than 50 characters wait for more, however long', async () => {
    await open();
    world.send(text('Hello, world! How are you? '));
    await world.clock.advance(120_000);
    expect(world.engine.requests).toEqual([]);
  });

  it('25: a flush with nothing buffered is answered by nothing', async () => {
    await open();
    world.send(FLUSH, text('  \n '), FLUSH);
    await settle();
    expect(world.sent).toEqual([ACK]);
  });

  it('done carries the number of frames, the length and the latency', async () => {
    await open();
    world.engine.hold();
    world.send(text('x'.repeat(73)), FLUSH);
    await world.clock.advance(120);
    world.engine.release();
    await settle();
    const audio = world.of('audio');
    expect(world.of('done')).toEqual([
      { type: 'done', total_chunks: audio.length, duration_ms: 730, first_chunk_latency_ms: 120 },
    ]);
    expect(audio.reduce((sum, frame) => sum + samplesIn(frame), 0)).toBe(730 * 24);
    expect(new Set(audio.map((frame) => `${frame.sample_rate} ${frame.format}`))).toEqual(
      new Set(['24000 pcm_s16le']),
    );
  });

  it('latency of a later generation begins with that generation', async () => {
    await open();
    world.engine.hold();
    world.send(text('One'), FLUSH, text('Two'), FLUSH);
    await world.clock.advance(500);
    world.engine.release();
    await settle();
    expect(world.of('done').map((frame) => frame.first_chunk_latency_ms)).toEqual([500, 0]);
  });

  it('29: text that would overflow the buffer is dropped whole, with 4003 and the socket open', async () => {
    await open();
    world.send(text('Kept.'), text('y'.repeat(MAX_BUFFER_CHARS - 4)), FLUSH);
    await settle();
    expect(world.of('error')).toMatchObject([
      { code: 4003, message: expect.stringMatching(/text: buffer overflow: .* 4096 .*, got 4097/) },
    ]);
    expect(world.closes).toEqual([]);
    expect(spoken()).toEqual(['Kept.']);
  });

  it('where 100,000 characters wait nothing more is read until there is room, and all that came is spoken', async () => {
    await open();
    world.engine.hold();
    const frame = text(`${SENTENCE} `.repeat(60));
    const frames = untilPaused(() => world.send(frame));
    const frameChars = 60 * SENTENCE.length;
    expect(frames * frameChars).toBeGreaterThanOrEqual(MAX_WAITING_CHARS);
    expect((frames - 1) * frameChars).toBeLessThan(MAX_WAITING_CHARS);
    // What had been read before the pause still comes.
    world.send(frame, text('The end.'), FLUSH, { type: 'ping' });
    expect(world.of('pong')).toHaveLength(1);
    world.engine.release();
    while (!world.isReading()) await settle();
    expect(spoken()).not.toContain('The end.');
    while (spoken().at(-1) !== 'The end.') await settle();
    await settle();
    expect(spoken().join(' ')).toBe(`${`${SENTENCE} `.repeat((frames + 1) * 60)}The end.`);
    expect(world.of('done')).toHaveLength(spoken().length);
    expect([world.of('error'), world.closes]).toEqual([[], []]);
  });

  it('where 4096 generations wait nothing more is read either, however short they are', async () => {
    await open();
    world.engine.hold();
    const sent = untilPaused(() => world.send(text('a'), FLUSH));
    // One of them is being spoken.
    expect(sent).toBe(MAX_WAITING_GENERATIONS + 1);
    world.engine.release();
    await settle();
    expect(world.isReading()).toBe(true);
    while (world.of('done').length < sent) await settle();
    expect([world.of('error'), world.closes]).toEqual([[], []]);
  });

  it('before the key is known no more is read than later', async () => {
    world.send(CONFIG);
    untilPaused(() => world.send(text('a'), FLUSH));
    await world.clock.advance(AUTHENTICATION_MS);
    expect(world.isReading()).toBe(true);
    world.session.gone();
  });

  it.each([
    ['a described voice', CONFIG],
    [
      'a saved voice',
      { type: 'config', api_key: 'local', voice_clone_prompt: promptOf(firstSaved().cloned) },
    ],
  ])('7 newlines are pauses and tags are text, for %s', async (_, config) => {
    await open(config);
    const said = 'One\ntwo <break time="3s"/> <spell>ABC</spell>';
    world.send(text(said), FLUSH);
    await settle();
    expect(world.engine.requests).toMatchObject([{ text: said, markup: 'newlines' }]);
  });

  it('6.3.9 a failure of generation: error 4005, then the close, and no text in the log', async () => {
    await open();
    world.engine.failNext();
    world.send(text('canary'), FLUSH, text('never'), FLUSH);
    await settle();
    expect(world.kinds()).toEqual(['config_ack', 'error']);
    expect(world.of('error')).toMatchObject([{ code: 4005 }]);
    expect(world.closes).toEqual([[4005, 'SERVER_ERROR']]);
    expect(JSON.stringify(world.logged)).toMatch(/generation failed/);
    expect(JSON.stringify([world.logged, world.sent])).not.toContain('canary');
  });

  it('6.3.8 a busy engine: error 4006, and the generations behind it are spoken', async () => {
    await open();
    world.engine.failNext(new EngineBusyError('busy'));
    world.send(text('Hello.'), FLUSH, text('There.'), FLUSH);
    await settle();
    expect(world.kinds()).toEqual(['config_ack', 'error', 'audio', 'done']);
    expect(world.of('error')).toEqual([
      { type: 'error', message: 'All slots occupied, try again shortly', code: 4006 },
    ]);
    expect(world.closes).toEqual([]);
  });

  it('6.3.17 a client that leaves stops the engine at once', async () => {
    await open();
    world.engine.hold();
    world.send(text('A long story. '.repeat(20)), FLUSH);
    await settle();
    world.session.gone();
    world.engine.release();
    await world.clock.advance(1000);
    expect(world.engine.requests).toHaveLength(1);
    expect(world.kinds()).toEqual(['config_ack']);
  });

  it('a client that does not read holds the engine back', async () => {
    await open();
    const unblock = world.blockClient();
    world.send(text('x'.repeat(100)), FLUSH);
    await world.clock.advance(1000);
    expect(world.of('audio')).toHaveLength(1);
    expect(world.of('done')).toEqual([]);
    unblock();
    await settle();
    // The first audio was out at once, however long the rest took.
    expect(world.of('done')).toMatchObject([{ first_chunk_latency_ms: 0 }]);
  });
});

describe('voices', () => {
  it('6.1 a prompt selects the saved voice, with or without its id, and wins over a description', async () => {
    for (const more of [{}, { voice: firstSaved().id }, { voice_description: 'A tiny robot' }]) {
      world = createWorld();
      await open({
        type: 'config',
        api_key: 'local',
        voice_clone_prompt: promptOf(firstSaved().cloned),
        ...more,
      });
      world.send(text('Hello'), FLUSH);
      await settle();
      expect([{ catalogue: world.engine.requests[0]?.voice }]).toEqual([firstSaved().cloned]);
    }
  });

  it('6.1 neither is needed: then it is a plain voice', async () => {
    await open({ type: 'config', api_key: 'local' });
    world.send(text('Hello'), FLUSH);
    await settle();
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done']);
  });

  it.each([
    ['German', 'Hello', 'de'],
    ['Auto', '안녕하세요', 'ko'],
    ['ko', 'Привет', 'ru'],
    [undefined, 'こんにちは', 'ja'],
  ])('6.1 language %s and the text %s are spoken as %s', async (language, said, expected) => {
    await open({ ...CONFIG, language });
    world.send(text(said), FLUSH);
    await settle();
    expect(world.engine.requests[0]).toMatchObject({ language: expected, sampleRate: 24_000 });
  });

  it('6.3.14 the voice stays for the whole connection', async () => {
    await open();
    for (const said of ['One', 'Two', 'Three']) {
      world.send(text(said), FLUSH);
      await settle();
    }
    const [first, ...others] = world.engine.requests.map(({ voice, language }) => ({ voice, language }));
    expect(others).toEqual([first, first]);
  });
});

describe('binary mode', () => {
  it('6.3.15 audio as bytes, done as text, and the acknowledgement says which bytes', async () => {
    await open();
    world.send({ type: 'binary_mode' }, text('x'.repeat(47)), FLUSH);
    await settle();
    expect(world.of('binary_mode_ack')).toEqual([
      { type: 'binary_mode_ack', sample_rate: 24_000, format: 'pcm_s16le' },
    ]);
    expect(world.kinds()).toEqual(['config_ack', 'binary_mode_ack', 'bytes', 'done']);
    const frames = world.sent.filter((frame) => frame instanceof Uint8Array);
    expect(frames.reduce((sum, frame) => sum + samplesIn(frame), 0)).toBe(470 * 24);
    expect(world.of('done')).toMatchObject([{ total_chunks: frames.length, duration_ms: 470 }]);
    // Each frame holds bytes of its own: a slow socket still has them when the next are made.
    expect(new Set(frames.map((frame) => frame.buffer)).size).toBe(frames.length);
    expect([...(frames[0] ?? []).slice(0, 4)]).toEqual([0xe8, 0x03, 0xe8, 0x03]);
  });

  it('6.3.16 a generation under way goes on in bytes from the acknowledgement on, without a sample lost', async () => {
    await open();
    const unblock = world.blockClient();
    world.send(text('x'.repeat(150)), FLUSH);
    await settle();
    world.send({ type: 'binary_mode' });
    unblock();
    await settle();
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'binary_mode_ack', 'bytes', 'done']);
    expect(world.sent.reduce((sum, frame) => sum + samplesIn(frame), 0)).toBe(1500 * 24);
  });
});

describe('limits', () => {
  it.each([
    ['local-rate-limited', 4004],
    ['local-busy', 4006],
  ])(
    '6.3.7, 6.3.8 %s: an error frame with %i for each generation, and the socket stays open',
    async (key, code) => {
      await open({ ...CONFIG, api_key: key });
      world.send(text('One'), FLUSH, text('Two'), FLUSH, { type: 'ping' });
      await settle();
      expect(world.of('error')).toMatchObject([{ code }, { code }]);
      expect(world.engine.requests).toEqual([]);
      expect(world.closes).toEqual([]);
      expect(world.of('pong')).toHaveLength(1);
    },
  );

  it('6.3.18 the 101st generation within a minute is refused with 4004, and the connection goes on', async () => {
    await open({ ...CONFIG, api_key: 'local-limited' });
    for (let count = 0; count <= MAX_GENERATIONS_PER_MINUTE; count += 1) world.send(text('Hi'), FLUSH);
    for (let round = 0; round < 60; round += 1) await settle();
    expect(world.of('done')).toHaveLength(MAX_GENERATIONS_PER_MINUTE);
    expect(world.of('error')).toMatchObject([{ code: 4004 }]);
    expect(world.sent.at(-1)).toMatchObject({ type: 'error' });
    expect(world.closes).toEqual([]);
  });

  it('6.3.18 the eleventh connection of a key closes with 4004; one that leaves makes room for one', async () => {
    const access = createTestAccess();
    const limited = { ...CONFIG, api_key: 'local-limited' };
    const worlds: World[] = [];
    for (let count = 0; count < MAX_CONNECTIONS_PER_KEY; count += 1) {
      worlds.push(await open(limited, createWorld(access)));
    }
    expect(worlds.flatMap(({ closes }) => closes)).toEqual([]);
    const eleventh = await open(limited, createWorld(access));
    expect(eleventh.of('error')).toMatchObject([{ code: 4004 }]);
    expect(eleventh.closes).toEqual([[4004, 'RATE_LIMITED']]);
    eleventh.session.gone();
    expect((await open(limited, createWorld(access))).closes).toHaveLength(1);
    worlds[0]?.session.gone();
    worlds[0]?.session.gone();
    expect((await open(limited, createWorld(access))).closes).toEqual([]);
    expect((await open(limited, createWorld(access))).closes).toHaveLength(1);
  });

  it('a connection that the server closed gives its place back', async () => {
    const access = createTestAccess();
    for (let count = 0; count < 3 * MAX_CONNECTIONS_PER_KEY; count += 1) {
      const one = await open({ ...CONFIG, api_key: 'local-limited' }, createWorld(access));
      one.send('nonsense');
      expect(one.closes).toEqual([[4003, 'INVALID_MESSAGE']]);
    }
  });
});

describe('6.3.9 shutdown', () => {
  const GONE = [1001, 'the server is shutting down'];

  it('closes an idle connection at once with 1001, configured or not', async () => {
    world.session.goingAway();
    expect(world.closes).toEqual([GONE]);
    world = await open(CONFIG, createWorld());
    world.session.goingAway();
    expect(world.closes).toEqual([GONE]);
  });

  it('lets what was to be spoken end first, takes no more, and still answers ping', async () => {
    await open();
    world.engine.hold();
    world.send(text('One'), FLUSH, text('Two'), FLUSH);
    await settle();
    world.session.goingAway();
    world.send(text('Three'), FLUSH, { type: 'ping' });
    expect(world.closes).toEqual([]);
    world.engine.release();
    await settle();
    expect(world.kinds()).toEqual(['config_ack', 'pong', 'audio', 'done', 'audio', 'done']);
    expect(world.closes).toEqual([GONE]);
  });

  it('a key that turns out bad meanwhile still closes with 4002', async () => {
    world.send({ ...CONFIG, api_key: 'wrong' }, text('One'), FLUSH);
    world.session.goingAway();
    await world.clock.advance(AUTHENTICATION_MS);
    expect(world.closes).toEqual([[4002, 'Invalid API key']]);
  });
});

describe('any messages in any order', () => {
  const key = fc.constantFrom('local', 'local', 'local', 'local-limited', 'local-busy', 'wrong', '');
  const message = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('text'),
        text: fc.oneof(
          fc.string({ maxLength: 80 }),
          fc.constant(`${SENTENCE} `),
          fc.string({ minLength: 190, maxLength: 260 }),
        ),
      }),
    },
    { weight: 4, arbitrary: fc.constant(FLUSH) },
    { weight: 2, arbitrary: fc.constantFrom({ type: 'binary_mode' }, { type: 'ping' }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('config'), api_key: key }) },
    { weight: 1, arbitrary: fc.jsonValue() },
    { weight: 1, arbitrary: fc.constantFrom('settle', 'advance', 'gone', 'going away') },
  );

  it('never throw; one done for each generation; nothing after a close or a leave; sounds are whole', async () => {
    await fc.assert(
      fc.asyncProperty(key, fc.array(message, { maxLength: 25 }), async (first, messages) => {
        world = createWorld();
        world.send({ ...CONFIG, api_key: first });
        let left = false;
        let sentWhenOver = -1;
        const watch = () => {
          if ((left || world.closes.length > 0) && sentWhenOver < 0) sentWhenOver = world.sent.length;
        };
        for (const each of messages) {
          if (each === 'settle') await settle();
          else if (each === 'advance') await world.clock.advance(150);
          else if (each === 'going away') world.session.goingAway();
          else if (each === 'gone') {
            left = true;
            world.session.gone();
          } else world.send(JSON.stringify(each));
          watch();
        }
        await world.clock.advance(CONFIG_WITHIN_MS);
        for (let round = 0; round < 10; round += 1) await settle();
        const isOver = left || world.closes.length > 0;
        expect(world.closes.length).toBeLessThanOrEqual(1);
        if (sentWhenOver >= 0) expect(world.sent).toHaveLength(sentWhenOver);
        const done = world.of('done');
        if (!isOver) expect(done).toHaveLength(world.engine.requests.length);
        else expect(done.length).toBeLessThanOrEqual(world.engine.requests.length);
        const heardSamples = world.sent.reduce((sum, frame) => sum + samplesIn(frame), 0);
        const doneSamples = done.reduce((sum, frame) => sum + Number(frame.duration_ms) * 24, 0);
        if (isOver) expect(heardSamples).toBeGreaterThanOrEqual(doneSamples);
        else expect(heardSamples).toBe(doneSamples);
      }),
      { numRuns: 80, seed: 4 },
    );
  });
});

const firstSaved = () => {
  const [first] = FIRST_VOICES;
  if (!first) throw new Error('there are saved voices');
  return first;
};
