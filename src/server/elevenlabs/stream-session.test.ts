import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Alignment } from '#protocol/elevenlabs/wire/server-frames.ts';
import type { Encoder } from '../audio/encoder.ts';
import { Mp3Encoders } from '../audio/mp3.ts';
import { settle } from '../fake-clock.test-helper.ts';
import { nonsense } from '../session-world.test-helper.ts';
import { singleUseToken, subscriptionOf } from './access.ts';
import { bytesOf, charsOf, createWorld } from './session-world.test-helper.ts';

const FIRST = { text: ' ', xi_api_key: 'local' };
const END = { text: '' };
const OUT = 'output_format=pcm_24000';

describe('a turn', () => {
  it('elevenlabs-end-2 is a segment, its tail and the final frame, and the server closes 0.75 s later', async () => {
    const world = createWorld('stream');
    await world.send(FIRST, { text: 'Hello world.' }, END);
    expect(world.spoken()).toEqual(['Hello world. ']);
    expect(world.kinds()).toEqual(['segment', 'tail', 'final']);
    expect(Object.keys(world.sent[0] ?? {})).toEqual([
      'audio',
      'isFinal',
      'normalizedAlignment',
      'alignment',
    ]);
    expect(world.sent.map(({ isFinal }) => isFinal)).toEqual([null, null, true]);
    // 130 ms of the test engine. The last 20 ms are the tail.
    expect(world.sent.map((frame) => bytesOf(frame).length)).toEqual([110 * 48, 20 * 48, 0]);
    const [{ normalizedAlignment }] = world.sent as [{ normalizedAlignment: Alignment }];
    expect(normalizedAlignment.chars.join('')).toBe(' Hello world. ');
    expect(normalizedAlignment.charDurationsMs.reduce((sum, each) => sum + each, 0)).toBe(130);
    await world.clock.advance(749);
    expect(world.closes).toEqual([]);
    await world.clock.advance(1);
    expect(world.closes).toEqual([[1000, '']]);
    expect(world.clock.timers).toBe(0);
  });

  const messages = (...texts: string[]) => texts.map((text) => ({ text }));
  const LONG = 'This sentence has more than fifty characters, so it is enough.';
  it.each<[string, string, object[], string[]]>([
    [
      'elevenlabs-text-2 joins messages',
      OUT,
      [...messages('Hel', 'lo', ' world', '.'), END],
      ['Hello world. '],
    ],
    [
      'elevenlabs-text-2 keeps spaces between them',
      OUT,
      [...messages('Hi', ' ', ' there.'), END],
      ['Hi  there. '],
    ],
    ['elevenlabs-chunk-1 waits for the schedule', OUT, messages('Too short. '), []],
    [
      'elevenlabs-chunk-1 speaks what the schedule demands',
      OUT,
      [{ text: ' ', generation_config: { chunk_length_schedule: [50] } }, ...messages(`${LONG} And more`)],
      [`${LONG} `],
    ],
    ['elevenlabs-chunk-1 speaks what is flushed', OUT, [{ text: 'Hi.', flush: true }], ['Hi. ']],
    [
      'elevenlabs-message-18 flushes without text',
      OUT,
      [...messages('Hi.'), { text: '', flush: true }, END],
      ['Hi. '],
    ],
    [
      'elevenlabs-chunk-2 triggers from 50 characters on',
      OUT,
      [{ text: LONG, try_trigger_generation: true }],
      [`${LONG} `],
    ],
    ['elevenlabs-chunk-2 triggers nothing below', OUT, [{ text: 'Hi. ', try_trigger_generation: true }], []],
    [
      'elevenlabs-chunk-3 speaks each message in auto mode',
      `${OUT}&auto_mode=true`,
      messages('Hel', 'lo', ' world', '.', 'Next.', ' '),
      ['Hel', 'lo', ' world', '. ', 'Next. '],
    ],
    [
      'elevenlabs-end-8 ignores what follows the end',
      OUT,
      [{ text: 'Hi.' }, END, { text: 'No.', flush: true }],
      ['Hi. '],
    ],
    [
      'elevenlabs-message-14 ignores nulls and unknown fields',
      OUT,
      [nonsense({ text: 'Hi.', flush: true, voice_settings: null, x: 1 })],
      ['Hi. '],
    ],
  ])('%s', async (_, query, sent, spoken) => {
    const world = createWorld('stream', { query });
    await world.send(...sent);
    expect(world.spoken()).toEqual(spoken);
    expect(world.errors()).toEqual([]);
  });

  it.each([
    ['elevenlabs-message-17 a first message without text', [{ xi_api_key: 'local' }]],
    ['an end at once', [FIRST, END]],
  ])('%s is an empty turn', async (_, sent) => {
    const world = createWorld('stream', { key: '' });
    await world.send(...sent);
    expect(world.kinds()).toEqual(['final']);
  });

  it('settings of the first message reach the engine', async () => {
    const world = createWorld('stream', { query: 'output_format=ulaw_8000&language_code=de' });
    const voice_settings = { stability: 0.2, speed: 0.7 };
    await world.send({ ...FIRST, voice_settings }, { text: 'Hallo. ', voice_settings }, END);
    expect(world.engine.requests).toMatchObject([
      { sampleRate: 8000, language: 'de', speed: 0.7, variation: 0.8, markup: 'newlines' },
    ]);
    // 70 ms at 8 bits.
    expect(world.sent.reduce((sum, frame) => sum + bytesOf(frame).length, 0)).toBe(560);
  });

  it('a short text, whose words look Romanian, is spoken in the language of the voice', async () => {
    const world = createWorld('stream');
    await world.send(FIRST, { text: 'In a minute. ' }, END);
    expect(world.engine.requests).toMatchObject([{ language: 'en' }]);
  });

  it('elevenlabs-audio-10 is an MP3 stream where no format is named', async () => {
    const world = createWorld('stream', { query: '' });
    await world.send(FIRST, { text: 'Hello there, and again. ', flush: true }, { text: 'More.' }, END);
    // The encoder is compiled beside the event loop.
    await expect.poll(() => world.kinds().at(-1)).toBe('final');
    expect(world.engine.requests[0]?.sampleRate).toBe(44_100);
    const bytes = Buffer.concat(world.sent.map(bytesOf));
    expect([bytes[0], (bytes[1] ?? 0) & 0xe0]).toEqual([0xff, 0xe0]);
    // The encoder adds its delay to the 310 ms at 128 kbit/s.
    expect(bytes.length / 16).toBeGreaterThan(310);
  });

  it('in MP3 has its last bytes and its final frame from a server that shuts down', async () => {
    const world = createWorld('stream', { query: '' });
    world.engine.hold();
    await world.send(FIRST, { text: 'Hello there.' }, END);
    world.session.goingAway();
    world.engine.release();
    await expect.poll(() => world.kinds()).toEqual(['segment', 'tail', 'final']);
    await world.clock.advance(750);
    expect(world.closes).toEqual([[1000, '']]);
  });

  it('in MP3 ends with an error where the encoder stops before the last bytes', async () => {
    const encoder: Encoder = {
      encode: async () => new Uint8Array(1),
      tail: () => Promise.reject(new Error('The thread ended.')),
    };
    const opening = vi.spyOn(Mp3Encoders.prototype, 'open').mockReturnValue(encoder);
    onTestFinished(() => opening.mockRestore());
    const world = createWorld('stream', { query: '' });
    await world.send(FIRST, { text: 'Hello there.' }, END);
    expect(world.kinds()).toEqual(['segment', 'tail', 'internal_error']);
  });

  it('cuts a long generation at words, so that each segment has its characters', async () => {
    const world = createWorld('stream');
    const text = 'word '.repeat(200);
    await world.send(FIRST, { text, flush: true });
    for (let round = 0; round < 6; round += 1) await settle();
    const segments = world.sent.filter(({ alignment }) => alignment);
    expect(segments.length).toBeGreaterThan(1);
    expect(segments.map(charsOf).join('')).toBe(text);
    // 10 ms a character.
    expect(world.sent.reduce((sum, frame) => sum + bytesOf(frame).length, 0)).toBe(text.length * 480);
  });

  it('elevenlabs-words-11 with sync_alignment each message has whole words and the times of its own audio, from 0', async () => {
    const world = createWorld('stream', { query: `${OUT}&sync_alignment=true` });
    const text = 'one two three four five six seven eight nine ten eleven twelve. '.repeat(3);
    await world.send(FIRST, { text, flush: true });
    await settle();
    expect(world.sent.length).toBeGreaterThan(2);
    expect(world.sent.map(charsOf).join('')).toBe(text);
    for (const frame of world.sent) {
      const { charStartTimesMs, charDurationsMs } = frame.alignment as Alignment;
      expect(charsOf(frame)).toMatch(/ $/);
      expect(charStartTimesMs[0]).toBe(0);
      expect(charDurationsMs.reduce((sum, each) => sum + each, 0)).toBe(bytesOf(frame).length / 48);
    }
  });

  it('a slow engine sends the words that it has', async () => {
    const world = createWorld('stream');
    const { synthesize } = world.engine;
    world.engine.synthesize = async function* (request, signal) {
      for await (const block of synthesize(request, signal)) {
        world.clock.spend(200);
        yield block;
      }
    };
    await world.send(FIRST, { text: 'one two three four five six seven eight nine ten.', flush: true });
    expect(world.sent.filter(({ alignment }) => alignment).map(charsOf)).toEqual([
      'one two three ',
      'four five six seven ',
      'eight nine ten. ',
    ]);
  });
});

describe('elevenlabs-error-1 errors are a frame, and 0.8 s later the close with its code and the beginning of its message', () => {
  const speaks = { text: 'Hi.', flush: true };
  it.each<[string, number, string, object[] | string[], Parameters<typeof createWorld>[1]]>([
    ['authentication_required', 1008, 'None of the auth', [{ text: ' ' }], { key: '' }],
    ['invalid_api_key', 1008, 'Invalid API key', [{ text: ' ', 'xi-api-key': 'x' }], { key: '' }],
    ['voice_id_does_not_exist', 1008, 'A voice with voice_id no does not exist.', [FIRST], { voice: 'no' }],
    ['model_id_does_not_exist', 1008, 'A model with', [FIRST], { query: 'model_id=eleven_x' }],
    [
      'validation_error',
      1008,
      'Invalid request: output_format: the local server makes no Opus',
      [FIRST],
      { query: 'output_format=opus_48000_64' },
    ],
    [
      'validation_error',
      1008,
      'Invalid request: inactivity_timeout',
      [FIRST],
      { query: 'inactivity_timeout=181' },
    ],
    [
      'validation_error',
      1008,
      'Invalid request: voice_settings.stability',
      [nonsense({ text: ' ', voice_settings: { stability: 2 } })],
      {},
    ],
    ['validation_error', 1008, 'Invalid request: expected a JSON object', ['[]'], {}],
    [
      'voice_settings_changed',
      1008,
      'voice_settings field must',
      [FIRST, { text: 'a', voice_settings: { speed: 1.1 } }],
      {},
    ],
    [
      'quota_exceeded',
      1008,
      'This request exceeds your quota of 10000. You have 0 credits remaining, while 4 credits',
      [FIRST, speaks],
      { key: 'local-no-credits' },
    ],
    [
      'too_many_concurrent_requests',
      1008,
      'Too many concurrent requests',
      [FIRST, speaks],
      { key: 'local-rate-limited' },
    ],
    ['internal_error', 1011, 'We are sorry', [FIRST, speaks], { key: 'local-busy' }],
  ])('%s, %i: %s', async (error, code, message, sent, options) => {
    const world = createWorld('stream', options);
    await world.send(...sent, { text: 'ignored', flush: true });
    expect(world.sent).toEqual([{ message: expect.stringContaining(message), error, code }]);
    expect(world.closes).toEqual([]);
    await world.clock.advance(800);
    const [[closed, reason] = []] = world.closes;
    expect(closed).toBe(code);
    expect(String(world.sent[0]?.message).startsWith(String(reason))).toBe(true);
    expect(Buffer.byteLength(String(reason))).toBeLessThanOrEqual(123);
    expect(world.clock.timers).toBe(0);
  });

  it.each([
    ['a header', { key: 'local' }, {}],
    ['xi_api_key', { key: '' }, { xi_api_key: 'local' }],
    ['xi-api-key', { key: '' }, { 'xi-api-key': 'local' }],
    ['authorization', { key: '' }, { authorization: 'Bearer local' }],
  ])('a key comes in %s', async (_, options, fields) => {
    const world = createWorld('stream', options);
    await world.send({ text: 'Hi.', ...fields }, END);
    expect(world.kinds()).toEqual(['segment', 'tail', 'final']);
  });

  it('reads nothing more while a key is checked', async () => {
    const world = createWorld('stream');
    world.session.text(JSON.stringify(FIRST));
    expect(world.isReading()).toBe(false);
    await settle();
    expect(world.isReading()).toBe(true);
  });

  it('elevenlabs-key-4 a single-use token opens one connection within 15 minutes', async () => {
    const world = createWorld('stream');
    const account = { name: 'a', condition: 'works', isShared: false } as const;
    const tokenOf = () => singleUseToken(account, '127.0.0.1', world.services.accounts);
    const [used, old] = [await tokenOf(), await tokenOf()];
    const outcomes: unknown[] = [];
    for (const key of [used, used]) {
      const opened = createWorld('stream', { key, beside: world });
      await opened.send(FIRST, END);
      outcomes.push(...opened.kinds());
    }
    await world.clock.advance(15 * 60_000);
    const late = createWorld('stream', { key: old, beside: world });
    await late.send(FIRST);
    expect([...outcomes, ...late.kinds()]).toEqual(['final', 'invalid_api_key', 'invalid_api_key']);
  });

  it('elevenlabs-error-11 a failing engine is an internal error', async () => {
    const world = createWorld('stream');
    world.engine.failNext();
    await world.send(FIRST, speaks);
    expect(world.errors()).toMatchObject([{ error: 'internal_error', code: 1011 }]);
  });

  it('elevenlabs-bill-4 gives the credits of a failed generation back', async () => {
    const world = createWorld('stream');
    const { accounts } = world.services;
    const account = accounts.of('local');
    if (!account) throw new Error('the key is known');
    world.engine.failNext();
    await world.send(FIRST, speaks);
    expect(await subscriptionOf(account, accounts)).toMatchObject({ character_count: 0 });
    const next = createWorld('stream', { beside: world });
    await next.send(FIRST, speaks);
    expect(await subscriptionOf(account, accounts)).not.toMatchObject({ character_count: 0 });
  });

  it('elevenlabs-limit-3 local-limited has four generations at a time', async () => {
    const query = `${OUT}&model_id=eleven_flash_v2_5`;
    const first = createWorld('stream', { key: 'local-limited', query });
    first.engine.hold();
    const others = [1, 2, 3, 4].map(() =>
      createWorld('stream', { key: 'local-limited', query, beside: first }),
    );
    const { accounts } = first.services;
    const account = accounts.of('local-limited');
    if (!account) throw new Error('the key is known');
    const charged: unknown[] = [];
    for (const world of [first, ...others]) {
      await world.send(FIRST, speaks);
      charged.push(await subscriptionOf(account, accounts));
    }
    expect(others.map((world) => world.errors().length)).toEqual([0, 0, 0, 1]);
    // A refused generation costs nothing.
    expect(charged[4]).toEqual(charged[3]);
    expect(charged[3]).not.toEqual(charged[2]);
    first.session.gone();
    await settle();
    const next = createWorld('stream', { key: 'local-limited', query, beside: first });
    await next.send(FIRST, speaks);
    expect(next.errors()).toEqual([]);
  });
});

describe('the inactivity time-out', () => {
  it.each([
    ['', 20],
    ['&inactivity_timeout=1', 1],
  ])('%j is %i s from the connection or the last text on', async (query, seconds) => {
    const world = createWorld('stream', { query: OUT + query });
    await world.clock.advance(seconds * 1000 - 1);
    await world.send(FIRST, { flush: true });
    await world.clock.advance(seconds * 1000 - 1);
    expect(world.sent).toEqual([]);
    await world.clock.advance(1);
    expect(world.errors()).toMatchObject([
      {
        error: 'input_timeout_exceeded',
        message: expect.stringContaining(`timeout of ${seconds}.0 seconds.`),
      },
    ]);
  });

  it('waits for a slow engine', async () => {
    const world = createWorld('stream');
    world.engine.hold();
    await world.send(FIRST, { text: 'Hi.', flush: true });
    await world.clock.advance(30_000);
    expect(world.errors()).toEqual([]);
  });
});

describe('the end', () => {
  it('a client that leaves stops everything', async () => {
    const world = createWorld('stream');
    world.engine.hold();
    await world.send(FIRST, { text: 'Hi.', flush: true });
    world.session.gone();
    world.engine.release();
    await settle();
    expect([world.sent, world.closes, world.clock.timers]).toEqual([[], [], 0]);
  });

  it.each([
    ['at once', [FIRST, { text: 'Not flushed.' }], []],
    ['after what is spoken', [FIRST, { text: 'Hi.', flush: true }], ['segment', 'tail']],
  ])('a server that shuts down closes 1001 %s', async (_, sent, kinds) => {
    const world = createWorld('stream');
    world.engine.hold();
    await world.send(...sent);
    world.session.goingAway();
    world.engine.release();
    await settle();
    expect([world.kinds(), world.closes]).toEqual([kinds, [[1001, 'the server is shutting down']]]);
  });
});

describe('elevenlabs-limit-8 bounds', () => {
  it.each([
    ['', 10_000],
    ['&model_id=eleven_flash_v2_5', 40_000],
  ])('a message%s has at most %i characters', async (model, most) => {
    const world = createWorld('stream', { query: `${OUT}${model}` });
    world.engine.hold();
    await world.send(FIRST, { text: 'x'.repeat(most) });
    expect(world.errors()).toEqual([]);
    await world.send({ text: 'x'.repeat(most + 1) });
    const message = `Invalid request: text: expected at most ${most} characters, got ${most + 1}`;
    expect(world.errors()).toMatchObject([{ error: 'validation_error', code: 1008, message }]);
  });

  it('a turn has at most 100,000 characters, and a flush ends it', async () => {
    const world = createWorld('stream', { query: OUT });
    world.engine.hold();
    const text = 'word '.repeat(2000);
    await world.send(FIRST, ...Array.from({ length: 9 }, () => ({ text })), { text: 'End.', flush: true });
    await world.send(...Array.from({ length: 10 }, () => ({ text })));
    expect(world.errors()).toEqual([]);
    await world.send({ text: 'word' });
    expect(world.errors()).toMatchObject([
      { error: 'validation_error', message: expect.stringContaining('at most 100000 characters') },
    ]);
  });

  it('ids of dictionaries that are too long are refused', async () => {
    const world = createWorld('stream');
    const locator = { pronunciation_dictionary_id: 'x'.repeat(1_000_000), version_id: 'a' };
    await world.send(nonsense({ ...FIRST, pronunciation_dictionary_locators: [locator] }));
    expect(world.errors()).toMatchObject([{ message: expect.stringContaining('at most 100 characters') }]);
  });

  it('a long text is cut as it is spoken, and its end follows', async () => {
    const world = createWorld('stream', { query: OUT });
    world.engine.hold();
    const text = 'A sentence of some words, which is long enough to be spoken by itself. '.repeat(140);
    await world.send(FIRST, { text }, END);
    world.engine.release();
    while (world.kinds().at(-1) !== 'final') await settle();
    expect(world.spoken().join('')).toBe(text);
  });
});
