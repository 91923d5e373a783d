import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { nonsense } from '../session-world.test-helper.ts';
import type { Frame } from '../socket-client.test-helper.ts';
import { EngineBusyError } from '../speech/engine.ts';
import {
  CLONED_VOICE,
  CONFIG,
  createTestAccess,
  createWorld,
  FLUSH,
  PING,
  text,
  type World,
} from './session-world.test-helper.ts';
import { promptOf } from './voice-choice.ts';

/** The life of a connection to `/v1/realtime`, on an explicit clock. */

let world: World;

beforeEach(() => {
  world = createWorld();
});

const PLAIN = { type: 'config', api_key: 'local' };
const CLONED = { ...PLAIN, voice_clone_prompt: promptOf(CLONED_VOICE) };
const LIMITED = { ...CONFIG, api_key: 'local-limited' };
const BINARY_MODE = { type: 'binary_mode' };
const ACK = { type: 'config_ack', session_id: 'a1b2c3d4' };
const INVALID = [4003, 'INVALID_MESSAGE'];
/** One sentence of exactly 60 characters. */
const SENTENCE = 'The quick brown fox jumps over the lazy dog and then sleeps.';

/** Configured, and past its authentication. */
async function open(config: Frame = CONFIG, at: World = world): Promise<World> {
  at.send(config);
  await at.clock.advance(200);
  return at;
}

/** Speaks each text as a generation of its own. */
async function speak(...texts: string[]): Promise<void> {
  for (const each of texts) world.send(text(each), FLUSH);
  await settle();
}

/** The number of samples in frames of either kind. */
function samplesIn(frames: readonly (Frame | Uint8Array)[]): number {
  const bytes = frames.map((frame) => {
    return frame instanceof Uint8Array ? frame : Buffer.from(String(frame.chunk ?? ''), 'base64');
  });
  return bytes.reduce((sum, { byteLength }) => sum + byteLength / 2, 0);
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
  it('murmr-connect-2 no config within 10 s: error 4001, then the close', async () => {
    await world.clock.advance(9999);
    expect(world.sent).toEqual([]);
    await world.clock.advance(1);
    expect(world.sent).toEqual([
      { type: 'error', message: 'No config message within 10 seconds', code: 4001 },
    ]);
    expect(world.closes).toEqual([[4001, 'AUTH_TIMEOUT']]);
  });

  it('murmr-connect-2 a config in the last moment is in time, and nothing closes later', async () => {
    await world.clock.advance(9999);
    await open();
    await world.clock.advance(60_000);
    expect(world.sent).toEqual([ACK]);
    expect(world.closes).toEqual([]);
  });

  it('murmr-key-2 config_ack, pong and binary_mode_ack leave at once, while the key is still being looked up', () => {
    world.send({ ...CONFIG, api_key: 'wrong' }, PING, BINARY_MODE);
    expect(world.sent).toEqual([
      ACK,
      { type: 'pong' },
      { type: 'binary_mode_ack', sample_rate: 24_000, format: 'pcm_s16le' },
    ]);
    expect(world.closes).toEqual([]);
  });

  it('murmr-key-3 text sent during authentication is spoken after it, in order', async () => {
    world.send(CONFIG, text('One'), FLUSH, text('Two'), FLUSH);
    await world.clock.advance(199);
    expect(world.engine.requests).toEqual([]);
    expect(world.sent).toEqual([ACK]);
    await world.clock.advance(1);
    expect(spoken()).toEqual(['One', 'Two']);
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done', 'audio', 'done']);
  });

  it('murmr-key-4 a bad key: error 4002, close 4002, and what was queued is never generated', async () => {
    world.send({ ...CONFIG, api_key: 'wrong' }, text(SENTENCE), FLUSH);
    await world.clock.advance(200);
    expect(world.sent).toEqual([ACK, { type: 'error', message: 'Invalid API key', code: 4002 }]);
    expect(world.closes).toEqual([[4002, 'Invalid API key']]);
    world.send(text(SENTENCE), FLUSH, PING);
    await world.clock.advance(60_000);
    expect(world.engine.requests).toEqual([]);
    expect(world.sent).toHaveLength(2);
  });

  it('murmr-key-5 a plan without WebSocket: close 4002, whose reason names the plans that have it', async () => {
    await open({ ...CONFIG, api_key: 'local-no-credits' });
    const [[code, reason] = [0, '']] = world.closes;
    expect(code).toBe(4002);
    expect(reason).toMatch(/Realtime.*Scale plan/);
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
    expect(world.of('error')).toEqual([{ type: 'error', message: reason, code: 4002 }]);
  });

  it.each([
    ['the key local-limited', LIMITED],
    ['a key of the owner', { ...CONFIG, api_key: 'mine' }],
    ['no voice at all', PLAIN],
    ['unknown fields', nonsense({ ...CONFIG, speed: 2, nested: { a: 1 } })],
  ])('a config with %s speaks', async (_, config) => {
    await open(config);
    await speak('Hello');
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done']);
  });

  it('murmr-connect-4, murmr-key-7 the voice stays until a second config, which changes that of later generations alone', async () => {
    await open();
    world.engine.hold();
    await speak('First', 'Second');
    world.send(CLONED);
    await speak('Third');
    world.engine.release();
    await settle();
    expect(world.of('config_ack')).toEqual([ACK, ACK]);
    const [first, second, third] = world.engine.requests.map(({ voice }) => voice);
    expect(second).toEqual(first);
    expect(third).toEqual(CLONED_VOICE.catalogue);
  });

  it('murmr-key-7 a second config does not restart authentication', async () => {
    world.send(CONFIG);
    await world.clock.advance(199);
    world.send(CONFIG, text('Hello'), FLUSH);
    await world.clock.advance(1);
    expect(world.kinds()).toEqual(['config_ack', 'config_ack', 'audio', 'done']);
  });
});

describe('murmr-message-2 what is no message of the protocol closes with 4003', () => {
  const PROMPT_OF_NOTHING = Buffer.from('hello world of tests').toString('base64');

  it.each<[string, string | Frame, RegExp]>([
    ['malformed JSON', '{"type":"text"', /: expected a JSON object, got text that is no JSON$/],
    ['JSON that is no object', '[]', /: expected a JSON object, got an array$/],
    [
      'an unknown type',
      nonsense({ type: 'cancel' }),
      /: type: expected one of config, text, .*, got "cancel"$/,
    ],
    ['a wrong field', nonsense({ type: 'text', text: 7 }), /: text: expected a string, got 7$/],
    [
      'the prompt of something else',
      { ...CONFIG, voice_clone_prompt: PROMPT_OF_NOTHING },
      /: voice_clone_prompt: expected the prompt_data of a voice .*, got 20 bytes of something else$/,
    ],
    [
      'another key',
      { ...CONFIG, api_key: 'mine' },
      /: api_key: expected the key of the first config, got another one$/,
    ],
  ])('%s, and stops what was being spoken', async (_, message, problem) => {
    await open();
    world.engine.hold();
    await speak('Hello');
    world.send(message);
    world.engine.release();
    await speak('Hello');
    expect(world.of('error')).toEqual([
      { type: 'error', code: 4003, message: expect.stringMatching(problem) },
    ]);
    expect(world.closes).toEqual([INVALID]);
    expect(world.kinds()).toEqual(['config_ack', 'error']);
  });

  it('a binary message', () => {
    world.session.binary();
    expect(world.of('error')).toMatchObject([{ code: 4003 }]);
    expect(world.closes).toEqual([INVALID]);
  });

  it.each([text('Hello'), FLUSH, BINARY_MODE, PING])('27: $type before the config', (message) => {
    world.send(message);
    expect(world.sent).toMatchObject([
      { code: 4003, message: expect.stringContaining('expected config as the first message') },
    ]);
    expect(world.closes).toEqual([INVALID]);
  });
});

describe('generations', () => {
  it('murmr-text-1 a text is cut where the rules of the buffer say, each with audio and one done', async () => {
    await open();
    world.send(text(`${SENTENCE} And then`));
    // The rest is short of 50 characters, and stays however long nothing more comes.
    await world.clock.advance(120_000);
    expect(spoken()).toEqual([SENTENCE]);
    world.send(FLUSH);
    await settle();
    expect(spoken()).toEqual([SENTENCE, 'And then']);
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done', 'audio', 'done']);
  });

  it('murmr-turn-1 the example of wscat has audio and done, for each of the two parts that the buffer cuts', async () => {
    await open({ ...PLAIN, voice_description: 'A warm narrator', language: 'English' });
    await speak('Hello, world! This is a test of the WebSocket protocol.');
    expect(spoken()).toEqual(['Hello, world!', 'This is a test of the WebSocket protocol.']);
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done', 'audio', 'done']);
  });

  it('murmr-turn-3 a flush with nothing buffered is answered by nothing', async () => {
    await open();
    world.send(FLUSH);
    await speak('Hello');
    world.send(FLUSH);
    await settle();
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done']);
    expect(world.closes).toEqual([]);
  });

  it('murmr-message-23 done carries the number of frames, the length, and the latency of its own generation', async () => {
    await open();
    world.engine.hold();
    await speak('x'.repeat(73), 'Two');
    await world.clock.advance(120);
    world.engine.release();
    await settle();
    const audio = world.of('audio');
    expect(audio.length).toBeGreaterThan(2);
    for (const frame of audio) expect(frame).toMatchObject({ sample_rate: 24_000, format: 'pcm_s16le' });
    expect(samplesIn(audio)).toBe(760 * 24);
    expect(world.of('done')).toEqual([
      { type: 'done', total_chunks: audio.length - 1, duration_ms: 730, first_chunk_latency_ms: 120 },
      { type: 'done', total_chunks: 1, duration_ms: 30, first_chunk_latency_ms: 0 },
    ]);
  });

  it('29: text that would overflow the buffer is dropped whole, with 4003 and the socket open', async () => {
    await open();
    world.send(text('Kept.'), text('y'.repeat(4092)), FLUSH);
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
    world.send(BINARY_MODE);
    const frame = text(`${SENTENCE} `.repeat(50));
    // 3000 spoken characters a frame.
    expect(untilPaused(() => world.send(frame))).toBe(34);
    // What had been read before the pause still comes.
    world.send(frame, text('The end.'), FLUSH, PING);
    expect(world.of('pong')).toHaveLength(1);
    world.engine.release();
    while (!world.isReading()) await settle();
    expect(spoken()).not.toContain('The end.');
    while (spoken().at(-1) !== 'The end.') await settle();
    await settle();
    expect(spoken().join(' ')).toBe(`${`${SENTENCE} `.repeat(35 * 50)}The end.`);
    expect(world.of('done')).toHaveLength(spoken().length);
    expect([world.of('error'), world.closes]).toEqual([[], []]);
  });

  it('where 4096 generations wait nothing more is read either, before the key is known as later', async () => {
    world.send(CONFIG);
    world.engine.hold();
    expect(untilPaused(() => world.send(text('a'), FLUSH))).toBe(4096);
    // One of them is spoken now.
    await world.clock.advance(200);
    expect(world.isReading()).toBe(true);
    world.session.gone();
  });

  it('a key of more than 1,000 characters is refused, and not kept', async () => {
    world.send(nonsense({ ...CONFIG, api_key: 'x'.repeat(1_000_000) }));
    const message = 'Invalid message: api_key: expected at most 1000 characters, got 1000000';
    expect(world.of('error')).toMatchObject([{ code: 4003, message }]);
  });

  it('murmr-close-6 a failure of generation: error 4005, then the close, and no text in the log', async () => {
    await open();
    world.engine.failNext();
    await speak('canary', 'never');
    expect(world.kinds()).toEqual(['config_ack', 'error']);
    expect(world.of('error')).toMatchObject([{ code: 4005 }]);
    expect(world.closes).toEqual([[4005, 'SERVER_ERROR']]);
    expect(JSON.stringify(world.logged)).toMatch(/generation failed/);
    expect(JSON.stringify([world.logged, world.sent])).not.toContain('canary');
  });

  it('murmr-error-2 a busy engine: error 4006, and the generations behind it are spoken', async () => {
    await open();
    world.engine.failNext(new EngineBusyError('busy'));
    await speak('Hello.', 'There.');
    expect(world.kinds()).toEqual(['config_ack', 'error', 'audio', 'done']);
    expect(world.of('error')).toEqual([
      { type: 'error', message: 'All slots occupied, try again shortly', code: 4006 },
    ]);
    expect(world.closes).toEqual([]);
    expect(JSON.stringify(world.logged)).toMatch(/generation failed/);
  });

  it('murmr-cancel-1 a client that leaves stops the engine at once', async () => {
    await open();
    world.engine.hold();
    await speak('A long story. '.repeat(20));
    world.session.gone();
    world.engine.release();
    await world.clock.advance(1000);
    expect(world.engine.requests).toHaveLength(1);
    expect(world.kinds()).toEqual(['config_ack']);
  });

  it('a client that does not read holds the engine back', async () => {
    await open();
    const unblock = world.blockClient();
    await speak('x'.repeat(100));
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
  it.each([
    ['alone', {}],
    ['with an id', { voice: 'voice_7c1e09d4ab35' }],
    ['in place of a description', { voice_description: 'A tiny robot' }],
  ])('murmr-voice-1 a prompt selects the saved voice: %s', async (_, more) => {
    await open({ ...CLONED, ...more });
    await speak('Hello');
    expect(world.engine.requests).toMatchObject([{ voice: CLONED_VOICE.catalogue, markup: 'newlines' }]);
  });

  it.each([
    ['German', 'Hello\n<break time="3s"/>', 'de'],
    ['Auto', '안녕하세요', 'ko'],
    ['ko', 'Привет', 'ru'],
    [undefined, 'こんにちは', 'ja'],
    ['Auto', 'In a minute.', 'en'],
  ])(
    'murmr-text-9, murmr-text-11 language %s and the text %j, whose tags are text, are spoken as %s',
    async (language, said, expected) => {
      await open({ ...CONFIG, language });
      await speak(said);
      const request = { text: said, markup: 'newlines', language: expected, sampleRate: 24_000 };
      expect(world.engine.requests).toMatchObject([request]);
    },
  );
});

describe('binary mode', () => {
  it('murmr-audio-3, murmr-audio-1 audio as 16-bit samples in bytes, done as text', async () => {
    await open();
    world.send(BINARY_MODE);
    await speak('x'.repeat(47));
    expect(world.kinds()).toEqual(['config_ack', 'binary_mode_ack', 'bytes', 'done']);
    const frames = world.sent.filter((frame) => frame instanceof Uint8Array);
    expect(samplesIn(frames)).toBe(470 * 24);
    expect(world.of('done')).toMatchObject([{ total_chunks: frames.length, duration_ms: 470 }]);
    // Each frame holds bytes of its own: a slow socket still has them when the next are made.
    expect(new Set(frames.map((frame) => frame.buffer)).size).toBe(frames.length);
    expect([...(frames[0] ?? []).slice(0, 4)]).toEqual([0xe8, 0x03, 0xe8, 0x03]);
  });

  it('murmr-audio-5 a generation under way goes on in bytes from the acknowledgement on, without a sample lost', async () => {
    await open();
    const unblock = world.blockClient();
    await speak('x'.repeat(150));
    world.send(BINARY_MODE);
    unblock();
    await settle();
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'binary_mode_ack', 'bytes', 'done']);
    expect(samplesIn(world.sent)).toBe(1500 * 24);
  });
});

describe('limits', () => {
  it.each([
    ['local-rate-limited', 4004],
    ['local-busy', 4006],
  ])(
    'murmr-error-2 %s: an error frame with %i for each generation, and the socket stays open',
    async (key, code) => {
      await open({ ...CONFIG, api_key: key });
      await speak('One', 'Two');
      world.send(PING);
      expect(world.kinds()).toEqual(['config_ack', 'error', 'error', 'pong']);
      expect(world.of('error')).toMatchObject([{ code }, { code }]);
      expect(world.engine.requests).toEqual([]);
      expect(world.closes).toEqual([]);
    },
  );

  it('murmr-limit-1 a generation that the window refuses has 4004, and the connection goes on', async () => {
    const isAdmitted = [true, false, true];
    world = createWorld(createTestAccess(async () => isAdmitted.shift() ?? false));
    await open(LIMITED);
    await speak('One', 'Two', 'Three');
    expect(world.kinds()).toEqual(['config_ack', 'audio', 'done', 'error', 'audio', 'done']);
    expect(world.of('error')).toMatchObject([{ code: 4004 }]);
    expect(spoken()).toEqual(['One', 'Three']);
    expect(world.closes).toEqual([]);
  });

  it('murmr-limit-2 the eleventh connection of a key closes with 4004; one that leaves makes room for one', async () => {
    const access = createTestAccess();
    const worlds: World[] = [];
    for (let count = 0; count < 10; count += 1) worlds.push(await open(LIMITED, createWorld(access)));
    expect(worlds.flatMap(({ closes }) => closes)).toEqual([]);
    const eleventh = await open(LIMITED, createWorld(access));
    expect(eleventh.of('error')).toMatchObject([{ code: 4004 }]);
    expect(eleventh.closes).toEqual([[4004, 'RATE_LIMITED']]);
    eleventh.session.gone();
    expect((await open(LIMITED, createWorld(access))).closes).toHaveLength(1);
    worlds[0]?.session.gone();
    worlds[0]?.session.gone();
    expect((await open(LIMITED, createWorld(access))).closes).toEqual([]);
    expect((await open(LIMITED, createWorld(access))).closes).toHaveLength(1);
  });

  it('a connection that the server closed gives its place back', async () => {
    const access = createTestAccess();
    for (let count = 0; count < 11; count += 1) {
      const one = await open(LIMITED, createWorld(access));
      one.send('nonsense');
      expect(one.closes).toEqual([INVALID]);
    }
  });

  it('a client that leaves while its key is admitted gives its place back', async () => {
    const access = createTestAccess();
    const admit = async (key: string) => {
      const admitted = await access.admit(key);
      world.session.gone();
      return admitted;
    };
    for (let count = 0; count < 10; count += 1) {
      world = createWorld({ ...access, admit });
      await open(LIMITED);
    }
    expect((await open(LIMITED, createWorld(access))).closes).toEqual([]);
  });
});

describe('murmr-close-8 shutdown', () => {
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
    await speak('One', 'Two');
    world.session.goingAway();
    world.send(text('Three'), FLUSH, PING);
    expect(world.closes).toEqual([]);
    world.engine.release();
    await settle();
    expect(world.kinds()).toEqual(['config_ack', 'pong', 'audio', 'done', 'audio', 'done']);
    expect(world.closes).toEqual([GONE]);
  });

  it('a key that turns out bad meanwhile still closes with 4002', async () => {
    world.send({ ...CONFIG, api_key: 'wrong' }, text('One'), FLUSH);
    world.session.goingAway();
    await world.clock.advance(200);
    expect(world.closes).toEqual([[4002, 'Invalid API key']]);
  });
});

describe('any messages in any order', () => {
  const key = fc.constantFrom('local', 'local', 'local', 'local-limited', 'local-busy', 'wrong', '');
  const words = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.constant(`${SENTENCE} `),
    fc.string({ minLength: 190, maxLength: 260 }),
  );
  const message = fc.oneof(
    { weight: 6, arbitrary: words.map(text) },
    { weight: 4, arbitrary: fc.constant(FLUSH) },
    { weight: 2, arbitrary: fc.constantFrom(BINARY_MODE, PING) },
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
        for (const each of messages) {
          if (each === 'settle') await settle();
          else if (each === 'advance') await world.clock.advance(150);
          else if (each === 'going away') world.session.goingAway();
          else if (each === 'gone') {
            left = true;
            world.session.gone();
          } else world.send(JSON.stringify(each));
          if ((left || world.closes.length > 0) && sentWhenOver < 0) sentWhenOver = world.sent.length;
        }
        await world.clock.advance(10_000);
        for (let round = 0; round < 10; round += 1) await settle();
        const isOver = left || world.closes.length > 0;
        expect(world.closes.length).toBeLessThanOrEqual(1);
        if (sentWhenOver >= 0) expect(world.sent).toHaveLength(sentWhenOver);
        const done = world.of('done');
        if (!isOver) expect(done).toHaveLength(world.engine.requests.length);
        else expect(done.length).toBeLessThanOrEqual(world.engine.requests.length);
        const doneSamples = done.reduce((sum, frame) => sum + Number(frame.duration_ms) * 24, 0);
        if (isOver) expect(samplesIn(world.sent)).toBeGreaterThanOrEqual(doneSamples);
        else expect(samplesIn(world.sent)).toBe(doneSamples);
      }),
      { numRuns: 60, seed: 4 },
    );
  });
});
