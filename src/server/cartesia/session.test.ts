import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SERVER_FRAMES, type ServerFrameType } from '#protocol/cartesia/wire/server-frames.ts';
import { ENCODINGS, type Version } from '#protocol/cartesia/wire/settings.ts';
import { settle } from '../fake-clock.test-helper.ts';
import { nonsense } from '../session-world.test-helper.ts';
import { audioOf, createWorld, end, FORMAT, say, VOICE, type World } from './session-world.test-helper.ts';

const SAMPLE_RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000];

const MODE = { voice: { mode: 'id', id: VOICE } };
const AT_ONCE = { max_buffer_delay_ms: 0 };
const cancel = (context_id: string) => ({ context_id, cancel: true });
const LONG = 'A text with more than fifty characters, which are enough to begin with. ';

/** Whole contexts: messages, each behind the answers to the one before, and all answers. */
const TURNS: readonly [name: string, messages: object[], kinds: string[], options?: { version: Version }][] =
  [
    [
      'cartesia-client-1 a turn of the JS SDK',
      [say('c1', 'Hello '), say('c1', 'world.'), end('c1'), say('c2', 'Again.'), end('c2')],
      ['c1:chunk', 'c1:done', 'c2:chunk', 'c2:done'],
    ],
    [
      'cartesia-client-1 a flush of the JS SDK',
      [say('c1', 'One. '), say('c1', '', { flush: true }), say('c1', 'Two.'), end('c1')],
      ['c1:chunk', 'c1:flush_done', 'c1:chunk', 'c1:done'],
    ],
    [
      'cartesia-client-2 text and flush in one, as the Python SDK sends them',
      [say('c1', 'A.', { flush: true }), say('c1', 'B.'), end('c1')],
      ['c1:chunk', 'c1:flush_done', 'c1:chunk', 'c1:done'],
    ],
    [
      'cartesia-client-3 a turn of LiveKit for Python',
      [
        say('c1', 'First sentence. ', { ...MODE, ...AT_ONCE, language: null }),
        say('c1', 'Second one. ', { ...MODE, ...AT_ONCE, language: null }),
        say('c1', ' ', { ...MODE, ...AT_ONCE, language: null, continue: false }),
      ],
      ['c1:chunk', 'c1:flush_done', 'c1:chunk', 'c1:flush_done', 'c1:done'],
      { version: '2025-04-16' },
    ],
    [
      'cartesia-client-4 a turn of LiveKit for Node without speech',
      [say('c1', ' ', { ...MODE, ...AT_ONCE, continue: false })],
      ['c1:400'],
      { version: '2025-04-16' },
    ],
    [
      'cartesia-client-5 a turn of Pipecat',
      [
        say('c1', 'Hi there.', {
          ...MODE,
          ...AT_ONCE,
          model_id: 'sonic-3.5',
          use_normalized_timestamps: false,
        }),
        say('c1', ' More.', { ...MODE, ...AT_ONCE, model_id: 'sonic-3.5', use_normalized_timestamps: false }),
        end('c1', { ...MODE, ...AT_ONCE, model_id: 'sonic-3.5' }),
      ],
      ['c1:chunk', 'c1:flush_done', 'c1:chunk', 'c1:flush_done', 'c1:done'],
      { version: '2026-03-01' },
    ],
    [
      'cartesia-client-6 texts of their own',
      [
        say('a', 'One text.', { ...MODE, continue: false }),
        say('b', 'Another.', { ...MODE, continue: undefined }),
      ],
      ['a:chunk', 'a:done', 'b:chunk', 'b:done'],
      { version: '2025-04-16' },
    ],
    [
      'cartesia-end-1 the end with the last text',
      [say('a', 'All of it.', { continue: false })],
      ['a:chunk', 'a:done'],
    ],
    [
      'cartesia-end-1 the end by a space',
      [say('a', 'All of it.'), say('a', ' ', { continue: false })],
      ['a:chunk', 'a:done'],
    ],
    [
      'cartesia-chunk-8 a flush without further text answers, and ends nothing',
      [say('a', 'One.', { flush: true }), say('a', '', { flush: true }), end('a')],
      ['a:chunk', 'a:flush_done', 'a:done'],
    ],
    ['cartesia-cancel-5 a cancel of an unknown context', [cancel('a')], []],
  ];

it.each(TURNS)('%s', async (_, messages, kinds, options) => {
  const world = await createWorld(options);
  for (const message of messages) await world.send(message);
  expect(world.kinds()).toEqual(kinds);
  expect(world.closes).toEqual([]);
  for (const frame of world.sent) {
    const schema = SERVER_FRAMES[frame.type as ServerFrameType];
    expect(schema.safeParse(frame).success).toBe(true);
  }
});

describe('audio', () => {
  it.each(ENCODINGS.flatMap((encoding) => SAMPLE_RATES.map((rate) => [encoding, rate] as const)))(
    'cartesia-audio-4 %s at %i is whole samples in chunks of 4 to 16 KiB',
    async (encoding, sample_rate) => {
      const world = await createWorld();
      const output_format = { container: 'raw', encoding, sample_rate };
      await world.send(say('a', LONG.trim(), { output_format, continue: false }));
      const sizes = world.of('chunk').map((frame) => audioOf([frame]).length);
      const bytesPerSample = { pcm_s16le: 2, pcm_f32le: 4, pcm_mulaw: 1, pcm_alaw: 1 }[encoding];
      const samples = Math.ceil((LONG.trim().length * sample_rate) / 100);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(samples * bytesPerSample);
      expect(sizes[0]).toBe(Math.min(4096, samples * bytesPerSample));
      expect(sizes.slice(1, -1).every((size) => size === 16_384)).toBe(true);
    },
  );

  it('cartesia-audio-5 a chunk has the ms since the one before', async () => {
    const world = await createWorld();
    world.engine.hold();
    await world.send(say('a', LONG, { continue: false }));
    world.clock.spend(40);
    world.engine.release();
    await settle();
    expect(
      world
        .of('chunk')
        .map(({ step_time }) => step_time)
        .slice(0, 2),
    ).toEqual([40, 0]);
    expect(world.of('chunk')[0]).toMatchObject({ done: false, status_code: 206, context_id: 'a' });
    expect(world.of('done')).toEqual([{ type: 'done', context_id: 'a', status_code: 206, done: true }]);
  });
});

describe('words', () => {
  const wordsOf = (world: World) =>
    world.of('timestamps').map(({ word_timestamps }) => word_timestamps as Record<string, unknown[]>);

  it('cartesia-words-4 as sent, up to three a frame, in seconds from the start of the context', async () => {
    const world = await createWorld();
    const settings = { ...AT_ONCE, add_timestamps: true };
    const texts = ['“Hello,” she said. ', '2 + 2 is 4!'];
    await world.send(...texts.map((text) => say('a', text, settings)), end('a', settings));
    const frames = wordsOf(world);
    expect(frames.flatMap(({ words }) => words)).toEqual(['“Hello,”', 'she', 'said.', '2', '2', 'is', '4!']);
    for (const { words, start, end: ends } of frames) {
      expect(words?.length).toBeLessThanOrEqual(3);
      expect([start?.length, ends?.length]).toEqual([words?.length, words?.length]);
    }
    const starts = frames.flatMap(({ start }) => start as number[]);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    // 10 ms a character: the second text begins after the first.
    expect(starts[3]).toBe(0.19);
    expect(world.kinds()).toContain('a:timestamps');
  });

  it('cartesia-message-30 phonemes where they are asked for, in seconds from the start of the context', async () => {
    const world = await createWorld();
    const settings = { ...AT_ONCE, add_phoneme_timestamps: true };
    await world.send(
      say('a', 'Yes. ', settings),
      say('a', 'No.', settings),
      say('b', 'No.', AT_ONCE),
      end('a', settings),
    );
    expect(world.of('phoneme_timestamps').map(({ phoneme_timestamps }) => phoneme_timestamps)).toEqual([
      {
        phonemes: [...'Yes. '],
        start: [0, 0.01, 0.02, 0.03, 0.04],
        end: [0.01, 0.02, 0.03, 0.04, 0.05],
      },
      { phonemes: [...'No.'], start: [0.05, 0.06, 0.07], end: [0.06, 0.07, 0.08] },
    ]);
    expect(world.of('timestamps')).toEqual([]);
    expect(new Set(world.of('phoneme_timestamps').map(({ context_id }) => context_id))).toEqual(
      new Set(['a']),
    );
  });

  it('cartesia-words-3 one character each in Chinese and Japanese', async () => {
    const world = await createWorld();
    await world.send(say('a', '你好。', { add_timestamps: true, continue: false }));
    expect(wordsOf(world)).toEqual([
      { words: ['你', '好', '。'], start: [0, 0.01, 0.02], end: [0.01, 0.02, 0.02] },
    ]);
  });

  it.each([
    'はい、「そう」です。',
    '你好，世界！今天……',
    '私は（AI）です。',
    'สวัสดีครับ!',
    'မင်္ဂလာပါ။',
    '「Hi」と言った。',
  ])('cartesia-words-3 joined are the text, marks included: %s', async (text) => {
    const world = await createWorld();
    await world.send(say('a', text, { add_timestamps: true, continue: false }));
    const frames = wordsOf(world);
    expect(frames.flatMap(({ words }) => words).join('')).toBe(text);
    const times = frames.flatMap(({ start }) => start as number[]);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('cartesia-words-4 joined by spaces are the text in other scripts', async () => {
    const world = await createWorld();
    const text = '«Привет», сказала она. ¿Qué tal?';
    await world.send(say('a', text, { add_timestamps: true, continue: false }));
    expect(
      wordsOf(world)
        .flatMap(({ words }) => words)
        .join(' '),
    ).toBe(text);
  });

  it('cartesia-message-9 none unless asked for', async () => {
    const world = await createWorld();
    await world.send(say('a', 'Hello.', { continue: false }));
    expect(world.kinds()).toEqual(['a:chunk', 'a:done']);
  });
});

describe('flush ids', () => {
  const idsOf = (world: World) => world.sent.map(({ type, flush_id }) => [type, flush_id]);
  const unique = (pairs: unknown[][]) => pairs.filter((pair, at) => String(pair) !== String(pairs[at - 1]));

  it('cartesia-chunk-9 count from 1, and later text has the next one', async () => {
    const world = await createWorld();
    await world.send(
      say('a', 'One. '),
      say('a', '', { flush: true }),
      say('a', 'Two.', { flush: true }),
      end('a'),
    );
    expect(unique(idsOf(world))).toEqual([
      ['chunk', 1],
      ['flush_done', 1],
      ['chunk', 2],
      ['flush_done', 2],
      ['done', undefined],
    ]);
    expect(world.of('flush_done')[0]).toEqual({
      type: 'flush_done',
      context_id: 'a',
      status_code: 206,
      done: false,
      flush_done: true,
      flush_id: 1,
      data: '',
    });
  });

  it('cartesia-chunk-6 each text has one without a delay, and a flush behind it the same', async () => {
    const world = await createWorld();
    await world.send(
      say('a', 'One. ', AT_ONCE),
      say('a', '', { ...AT_ONCE, flush: true }),
      say('a', 'Two.', { ...AT_ONCE, flush: true }),
    );
    expect(unique(idsOf(world))).toEqual([
      ['chunk', 1],
      ['flush_done', 1],
      ['chunk', 2],
      ['flush_done', 2],
    ]);
    expect(world.of('flush_done').map(({ flush_id }) => flush_id)).toEqual([1, 1, 2]);
  });
});

it('cartesia-text-2 a sign is spoken, as the client has it', async () => {
  const world = await createWorld();
  await world.send(say('a', '€', { continue: false }));
  expect(world.spoken()).toEqual(['€']);
});

describe('buffering', () => {
  it.each([
    [{}, 3000],
    [{ max_buffer_delay_ms: 400 }, 400],
  ])('cartesia-text-6 a short text waits with %j', async (settings, delayMs) => {
    const world = await createWorld();
    await world.send(say('a', 'Short. ', settings));
    await world.clock.advance(delayMs - 1);
    expect(world.spoken()).toEqual([]);
    await world.clock.advance(1);
    expect(world.spoken()).toEqual(['Short. ']);
  });

  it('cartesia-text-1 joins texts as they are sent, and does not wait for more than enough', async () => {
    const world = await createWorld();
    await world.send(...(LONG + LONG).split(/(?<= )/).map((word) => say('a', word)));
    expect(world.spoken().join('')).toBe(LONG + LONG.trimEnd());
    await world.send(end('a'));
    expect(world.kinds().at(-1)).toBe('a:done');
  });

  it('the rest of a text waits anew', async () => {
    const world = await createWorld();
    await world.send(say('a', 'Begins. '));
    await world.clock.advance(2900);
    await world.send(say('a', `${LONG}And `));
    await world.clock.advance(2900);
    expect(world.spoken().join('')).not.toContain('And');
    await world.clock.advance(100);
    expect(world.spoken().join('')).toContain('And');
  });

  it('cartesia-message-24 cuts no tag in two', async () => {
    const world = await createWorld();
    await world.send(say('a', 'Wait <break time="1'));
    await world.clock.advance(4000);
    expect(world.spoken()).toEqual([]);
    await world.send(say('a', 's"/> for me.'), end('a'));
    expect(world.spoken()).toEqual(['Wait <break time="1s"/> for me.']);
  });
});

describe('cancel', () => {
  it('cartesia-cancel-5 stops at once, answers with one done, and the next context speaks', async () => {
    const world = await createWorld({ version: '2026-03-01' });
    world.engine.hold();
    await world.send(say('c1', LONG, { ...MODE, ...AT_ONCE }), say('c1', 'More.', { ...MODE, ...AT_ONCE }));
    await world.send(cancel('c1'), say('c2', 'Next.', { ...MODE, ...AT_ONCE, continue: false }));
    world.engine.release();
    await settle();
    expect(world.kinds()).toEqual(['c1:done', 'c2:chunk', 'c2:flush_done', 'c2:done']);
    await world.send(cancel('c1'));
    expect(world.of('done', 'c1')).toHaveLength(1);
  });

  it('cartesia-context-3 leaves the other context alone, whose frames are mixed with its own', async () => {
    const world = await createWorld();
    await world.send(say('a', LONG, AT_ONCE));
    expect(world.of('done')).toEqual([]);
    world.engine.hold();
    await world.send(say('a', LONG, AT_ONCE), say('b', LONG, { continue: false }), cancel('a'));
    world.engine.release();
    await settle();
    expect(audioOf(world.of('chunk', 'b')).length).toBe(LONG.trim().length * 480);
    expect(world.of('done').map(({ context_id }) => context_id)).toEqual(['a', 'b']);
  });

  it('cartesia-context-3 contexts speak at the same time', async () => {
    const world = await createWorld();
    await world.send(...['a', 'b'].map((id) => say(id, LONG.repeat(3), { continue: false })));
    const order = world.of('chunk').map(({ context_id }) => context_id);
    expect(order.indexOf('b')).toBeLessThan(order.lastIndexOf('a'));
  });

  it('wire-close-1 a socket that closes stops its contexts, and frees them', async () => {
    const world = await createWorld({ key: 'local-limited' });
    world.engine.hold();
    await world.send(say('a', LONG, AT_ONCE), say('b', LONG, AT_ONCE));
    world.session.gone();
    world.engine.release();
    await settle();
    expect(world.sent).toEqual([]);
    expect(world.clock.timers).toBe(0);
    const next = await createWorld({ key: 'local-limited', beside: world });
    await next.send(say('c', 'Hi.', AT_ONCE), say('d', 'Hi.', AT_ONCE));
    expect(next.of('error')).toEqual([]);
  });
});

describe('life', () => {
  it('cartesia-context-4 expires 1 s after the last audio, and takes no more text', async () => {
    const world = await createWorld();
    await world.send(say('c1', 'One text.', AT_ONCE));
    await world.clock.advance(999);
    expect(world.of('done')).toEqual([]);
    await world.clock.advance(1);
    expect(world.of('done')).toHaveLength(1);
    await world.send(say('c1', 'Another.', AT_ONCE));
    expect(world.sent.at(-1)).toMatchObject({
      context_id: 'c1',
      status_code: 400,
      done: true,
      error_code: 'invalid_request',
      message: expect.stringContaining('has expired'),
    });
  });

  it('cartesia-context-4 text in time prolongs it, a space does not', async () => {
    const world = await createWorld();
    await world.send(say('a', 'One.', AT_ONCE));
    await world.clock.advance(900);
    await world.send(say('a', 'Two.', AT_ONCE));
    await world.clock.advance(900);
    expect(world.of('done')).toEqual([]);
    await world.send(say('a', ' ', AT_ONCE));
    await world.clock.advance(100);
    expect(world.of('done')).toHaveLength(1);
  });

  it('cartesia-context-9 does not expire while text is buffered', async () => {
    const world = await createWorld();
    await world.send(say('a', 'One.', { flush: true }), say('a', 'Two'));
    await world.clock.advance(2999);
    expect(world.of('done')).toEqual([]);
    await world.clock.advance(1 + 1000);
    expect([world.spoken(), world.of('done').length]).toEqual([['One.', 'Two'], 1]);
  });

  it('cartesia-limit-1 an idle socket closes after five minutes without a message or speech', async () => {
    const world = await createWorld();
    await world.clock.advance(200_000);
    await world.send(say('a', 'Hi.', { continue: false }));
    await world.clock.advance(299_999);
    expect(world.closes).toEqual([]);
    await world.clock.advance(1);
    expect(world.closes).toEqual([[1000, 'connection idle timeout']]);
    expect(world.clock.timers).toBe(0);
    await world.send(say('b', 'Hi.'));
    expect(world.of('chunk', 'b')).toEqual([]);
  });

  it('cartesia-limit-1 a slow engine is not idle', async () => {
    const world = await createWorld();
    world.engine.hold();
    await world.send(say('a', 'Hi.', { continue: false }));
    await world.clock.advance(300_000);
    world.engine.release();
    await settle();
    expect([world.kinds().at(-1), world.closes]).toEqual(['a:done', []]);
  });

  it('speaks to the end and closes with 1001 where the server shuts down', async () => {
    const world = await createWorld();
    world.engine.hold();
    await world.send(say('a', 'Hi.', { continue: false }));
    world.session.goingAway();
    await world.send(say('b', 'No.'));
    world.engine.release();
    await settle();
    expect(world.kinds()).toEqual(['a:chunk', 'a:done']);
    expect(world.closes).toEqual([[1001, 'the server is shutting down']]);
  });
});

describe('errors', () => {
  /** Each for its context alone: status, name, and a part of the message. */
  it.each<[string, object, number, string, string]>([
    ['an unknown model', say('x', 'Hi.', { model_id: 'sonic-9' }), 400, 'model_not_found', 'not valid'],
    ['a retired model', say('x', 'Hi.', { model_id: 'sonic-2' }), 400, 'model_not_found', 'not valid'],
    ['an unknown voice', say('x', 'Hi.', { voice: 'nobody' }), 404, 'voice_not_found', ''],
    [
      'an unknown dictionary',
      say('x', 'Hi.', { pronunciation_dict_id: 'none' }),
      404,
      'dictionary_not_found',
      '',
    ],
    ['a language of other engines', say('x', 'Hi.', { language: 'gu' }), 400, 'invalid_request', 'speak gu'],
    ['an accent', say('x', 'Hi.', { accent: 'Irish' }), 400, 'invalid_request', 'accent'],
    [
      'language and locale',
      say('x', 'Hi.', { language: 'en', locale: 'en-GB' }),
      400,
      'invalid_request',
      'locale',
    ],
    ['no voice', say('x', 'Hi.', { voice: undefined }), 400, 'invalid_request', 'voice'],
    [
      'another container',
      nonsense(say('x', 'Hi.', { output_format: { ...FORMAT, container: 'wav' } })),
      400,
      'invalid_request',
      'container',
    ],
    [
      'a speed out of range',
      nonsense(say('x', 'Hi.', { generation_config: { speed: 2 } })),
      400,
      'invalid_request',
      'speed',
    ],
    [
      'a long delay',
      nonsense(say('x', 'Hi.', { max_buffer_delay_ms: 5001 })),
      400,
      'invalid_request',
      'max_buffer',
    ],
    ['cartesia-text-2 no word at first', say('x', ' …!'), 400, 'invalid_transcript', 'only punctuation'],
    [
      'cartesia-text-2 a flush at first',
      say('x', '', { flush: true }),
      400,
      'invalid_transcript',
      'only punctuation',
    ],
  ])('%s', async (_, message, status_code, error_code, part) => {
    const world = await createWorld();
    await world.send(say('a', 'Hi.'), message, end('a'));
    expect(world.of('error')).toEqual([
      expect.objectContaining({ context_id: 'x', done: true, status_code, error_code }),
    ]);
    expect(world.of('error')[0]?.message).toContain(part);
    expect(world.of('error')[0]?.request_id).toMatch(/^[-0-9a-f]{36}$/);
    expect(world.of('done', 'a')).toHaveLength(1);
    expect(world.closes).toEqual([]);
  });

  it('cartesia-error-1 have the older shape before 2026-03-01', async () => {
    const world = await createWorld({ version: '2025-04-16' });
    await world.send(say('c1', ' ', MODE), say('c2', 'Hi.', { voice: { mode: 'id', id: 'nobody' } }));
    expect(world.sent).toEqual([
      {
        type: 'error',
        context_id: 'c1',
        status_code: 400,
        done: true,
        error:
          'transcript empty or contains only punctuation: first transcript for WS is empty or contains only punctuation',
      },
      expect.objectContaining({ context_id: 'c2', status_code: 400, error: expect.any(String) }),
    ]);
  });

  it.each([
    ['cartesia-context-10 another voice', { voice: { id: 'a0e99841-438c-4a64-b679-ae501e7d6091' } }],
    ['cartesia-context-10 another format', { output_format: { ...FORMAT, sample_rate: 16_000 } }],
  ])('%s ends the context', async (_, change) => {
    const world = await createWorld();
    await world.send(say('a', 'One.'), say('a', 'Two.', change), say('a', 'Three.'));
    expect(world.of('error').map(({ error_code, message }) => [error_code, message])).toEqual([
      ['invalid_request', expect.stringContaining('cannot change')],
      ['invalid_request', expect.stringContaining('has expired')],
    ]);
    expect(world.spoken()).toEqual([]);
  });

  it('cartesia-context-10 other settings hold for the new text', async () => {
    const world = await createWorld();
    const speed = (value: number) => ({ ...AT_ONCE, generation_config: { speed: value } });
    await world.send(say('a', 'One.', speed(0.8)), say('a', 'Two.', { ...speed(1.5), language: 'en_GB' }));
    // The engine's fastest is 1.2.
    expect(world.engine.requests.map(({ speed: pace, language }) => [pace, language])).toEqual([
      [0.8, undefined],
      [1.5, 'en'],
    ]);
  });

  it('cartesia-context-8 a text after the end stops the running audio', async () => {
    const world = await createWorld();
    world.engine.hold();
    await world.send(say('a', 'One.', { continue: false }), say('a', 'Two.', { continue: false }));
    world.engine.release();
    await settle();
    expect(world.kinds()).toEqual(['a:400']);
  });

  it('cartesia-error-12 messages that are no object: an error without context, and the close after ten in a row', async () => {
    const world = await createWorld();
    await world.send(...Array(9).fill('{'), say('a', 'Hi.', { continue: false }), ...Array(9).fill('[]'));
    expect(world.closes).toEqual([]);
    expect(world.of('error')).toHaveLength(18);
    expect(world.of('error')[0]).not.toHaveProperty('context_id');
    expect(world.of('done', 'a')).toHaveLength(1);
    await world.send('1');
    expect(world.closes).toEqual([[1008, 'expected a JSON object, got a number']]);
  });

  it('cartesia-context-11 a context without an id has one of the server, or is refused', async () => {
    const message = { ...say('', 'Hi.', MODE), context_id: undefined, continue: false };
    const old = await createWorld({ version: '2025-04-16' });
    await old.send(message);
    expect(old.of('chunk')[0]?.context_id).toMatch(/^[-0-9a-f]{36}$/);
    expect(old.of('done')[0]?.context_id).toBe(old.of('chunk')[0]?.context_id);
    const later = await createWorld({ version: '2026-03-01' });
    await later.send(message);
    expect(later.sent).toEqual([expect.objectContaining({ status_code: 400, title: expect.any(String) })]);
    expect(later.sent[0]).not.toHaveProperty('context_id');
  });

  it('cartesia-limit-6 binary messages are ignored', async () => {
    const world = await createWorld();
    world.session.binary();
    expect([world.sent, world.closes]).toEqual([[], []]);
  });

  it('a failure of the engine ends its context alone', async () => {
    const world = await createWorld();
    world.engine.failNext();
    await world.send(say('a', 'One.', { continue: false }), say('b', 'Two.', { continue: false }));
    expect(world.kinds()).toEqual(['a:500', 'b:chunk', 'b:done']);
  });

  it('cartesia-limit-3 a context beyond the limit of the plan', async () => {
    const world = await createWorld({ key: 'local-limited' });
    const other = await createWorld({ key: 'local-limited', beside: world });
    await world.send(say('a', 'One.', AT_ONCE), say('b', 'Two.', AT_ONCE), say('a', 'Three.', AT_ONCE));
    await other.send(say('c', 'No.', AT_ONCE));
    expect(other.sent).toEqual([
      expect.objectContaining({ status_code: 429, error_code: 'concurrency_limited', context_id: 'c' }),
    ]);
    expect(world.of('error')).toEqual([]);
    await world.send(cancel('a'));
    await other.send(say('d', 'Yes.', { ...AT_ONCE, continue: false }));
    expect(other.of('done', 'd')).toHaveLength(1);
  });
});

it('cartesia-turn-2 each context has one frame with done, which is its last, for any messages', async () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const text = fc.constantFrom('', ' ', 'Hi.', LONG, '…', 'no end', '<break time="1s"');
  const message = fc
    .tuple(id, text, fc.boolean(), fc.boolean(), fc.constantFrom({}, AT_ONCE, { language: 'gu' }))
    .map(([context, words, more, flush, settings]) =>
      say(context, words, { ...settings, flush, continue: more }),
    );
  const step = fc.oneof(message, id.map(cancel), fc.nat(3500), fc.constantFrom('{', '{}'));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const world = await createWorld();
      for (const each of steps) {
        if (typeof each === 'number') await world.clock.advance(each);
        else await world.send(each);
      }
      await world.clock.advance(10_000);
      const over = new Set<unknown>();
      for (const { context_id, type, done } of world.sent) {
        // Further messages for a context that is over are refused.
        expect(over.has(context_id) && type !== 'error').toBe(false);
        if (done === true && context_id !== undefined) over.add(context_id);
      }
      await world.clock.advance(300_000);
      expect([world.closes.length, world.clock.timers]).toEqual([1, 0]);
    }),
    { numRuns: 100 },
  );
});

describe('bounds, ours', () => {
  const LONG_ID = 'x'.repeat(1_000_000);

  it('an id that is too long is refused without it, and not kept', async () => {
    const world = await createWorld();
    await world.send(nonsense(say(LONG_ID, 'Hello.')), nonsense(cancel(LONG_ID)));
    expect(world.sent).toHaveLength(2);
    for (const error of world.sent) {
      expect(error).toMatchObject({ type: 'error', status_code: 400 });
      expect(error.message).toBe('context_id: expected at most 256 characters, got 1000000');
      expect(error).not.toHaveProperty('context_id');
    }
  });

  it('forgets ended contexts with long ids sooner', async () => {
    const world = await createWorld();
    const ids = Array.from({ length: 400 }, (_, at) => `${at}`.padEnd(256, 'x'));
    for (const id of ids) await world.send(say(id, '...'));
    await world.send(say(ids[0] ?? '', 'Hello.', { continue: false }));
    await world.send(say(ids[399] ?? '', 'Hello.', { continue: false }));
    expect(world.spoken()).toEqual(['Hello.']);
  });

  it('a transcript of 20,000 characters is taken, and a longer one refused', async () => {
    const world = await createWorld();
    await world.send(say('a', 'word '.repeat(4000), { continue: false }));
    await world.send(say('b', `${'word '.repeat(4000)}.`));
    expect(world.of('error')).toMatchObject([
      { context_id: 'b', message: 'transcript: expected at most 20000 characters, got 20001' },
    ]);
    while (world.of('done', 'a').length === 0) await settle();
    expect(world.spoken().join('')).toBe('word '.repeat(4000));
  });

  it('more than 100,000 characters without a flush end their context', async () => {
    const world = await createWorld();
    world.engine.hold();
    for (let part = 0; part < 5; part += 1) await world.send(say('a', 'word '.repeat(4000)));
    expect(world.of('error')).toEqual([]);
    await world.send(say('a', 'word'));
    expect(world.of('error')).toMatchObject([
      { context_id: 'a', message: expect.stringContaining('at most 100000 characters') },
    ]);
  });

  it('spoken characters without a flush do not count', async () => {
    const world = await createWorld();
    for (let part = 0; part < 8; part += 1) {
      await world.send(say('a', 'word '.repeat(4000), { max_buffer_delay_ms: 0 }));
      while (world.spoken().join('').length < (part + 1) * 20_000) await settle();
    }
    expect(world.of('error')).toEqual([]);
  });

  it('a hundred contexts are open at a time', async () => {
    const world = await createWorld();
    world.engine.hold();
    for (let at = 0; at < 101; at += 1) await world.send(say(`c${at}`, 'Hello there.'));
    expect(world.of('error')).toMatchObject([
      { context_id: 'c100', status_code: 429, message: 'expected at most 100 contexts of a connection' },
    ]);
  });

  it('a long text is cut as it is spoken, with flush, further text and end behind it', async () => {
    const world = await createWorld();
    world.engine.hold();
    const text = LONG.repeat(250);
    await world.send(say('a', text, { flush: true }), say('a', 'The rest'), end('a'));
    const waiting = world.engine.requests.length;
    expect(waiting).toBe(1);
    world.engine.release();
    while (world.of('done').length === 0) await settle();
    expect(world.spoken().join('')).toBe(`${text}The rest`);
    expect(world.kinds()).toEqual(['a:chunk', 'a:flush_done', 'a:chunk', 'a:done']);
  });

  it('a cancel drops the text that is not cut', async () => {
    const world = await createWorld();
    world.engine.hold();
    await world.send(say('a', LONG.repeat(250)), cancel('a'), say('b', 'Next.', { continue: false }));
    world.engine.release();
    while (world.of('done', 'b').length === 0) await settle();
    expect(world.spoken()).toEqual(['Next.']);
  });
});
