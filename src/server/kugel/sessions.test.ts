import { describe, expect, it } from 'vitest';
import { nonsense } from '../session-world.test-helper.ts';
import type { Frame } from '../socket-client.test-helper.ts';
import { PlayedSession, type SessionId, type Step } from './session-world.test-helper.ts';

/** The rules that hold on each of the three sockets. */

interface Endpoint {
  id: SessionId;
  /** Settings that choose a voice. */
  voice: (id: number) => Frame;
  /** Adds to a turn that is open for text. */
  adds?: (text: string) => Frame;
  /** Closes the context that a usage is sent for. */
  ends?: Frame;
  /** Kinds of frames: of a context, before audio, from audio on, and at the end of a connection. */
  kinds: { created?: string; started?: string; spoken: string; closed?: string };
}

const ENDPOINTS: Endpoint[] = [
  {
    id: 'kugel-tts',
    voice: (voice_id) => ({ voice_id }),
    kinds: { spoken: 'audio final' },
  },
  {
    id: 'kugel-stream',
    voice: (voice_id) => ({ voice_id }),
    adds: (text) => ({ text }),
    kinds: { started: 'generation_started', spoken: 'audio chunk_complete final session_closed' },
  },
  {
    id: 'kugel-multi',
    voice: (voice_id) => ({ voice_settings: { voice_id } }),
    adds: (text) => ({ text, context_id: 'a' }),
    ends: { close_context: true, context_id: 'a' },
    kinds: {
      created: 'context_created',
      started: 'generation_started',
      spoken: 'audio chunk_complete final',
      closed: 'context_closed session_closed',
    },
  },
];

const NORA = {
  name: 'Nora',
  description: '',
  generative_voice_description: '',
  category: 'generated',
  age: null,
  sex: null,
  quality: 'mid',
  sample_text: '',
} as const;

/** Kinds one after the other, where there are any. */
const inOrder = (...kinds: (string | number)[]): string => kinds.filter((kind) => kind !== '').join(' ');
const VALIDATION = { error_code: 'VALIDATION_ERROR', code: 400, request_id: 'r-1' };

describe.each(ENDPOINTS)('$id', (endpoint) => {
  const { id: endpointId, voice, adds, ends } = endpoint;
  const { created = '', started = '', spoken, closed = '' } = endpoint.kinds;
  const isMulti = endpointId === 'kugel-multi';
  const named = isMulti ? { context_id: 'a' } : {};
  const open = (priced = true) => new PlayedSession(endpointId, { priced });
  /** The end of a turn's text, where a frame is not a whole turn. */
  const flushed = (flush = true): Frame => (adds ? { flush } : {});
  /** A whole turn unless `flush` is false. */
  const say = (text: string, { flush, ...more }: Frame = {}, id = 'a'): Frame => ({
    ...(isMulti && { context_id: id }),
    ...voice(1071),
    text,
    ...flushed(flush !== false),
    ...more,
  });

  it('defaults apply where nothing is said', async () => {
    const { requests } = await open().play(say('One'));
    expect(requests).toMatchObject([
      { text: 'One', speed: 1, variation: 0.4, normalize: true, sampleRate: 24_000 },
    ]);
    expect(requests[0]?.language).toBeUndefined();
  });

  it.each<[Frame, string, number, number]>([
    [{}, 'pcm_s16le', 24_000, 2],
    [{ sample_rate: 8000 }, 'pcm_s16le', 8000, 2],
    [{ sample_rate: 16_000 }, 'pcm_s16le', 16_000, 2],
    [{ sample_rate: 22_050 }, 'pcm_s16le', 22_050, 2],
    [{ output_format: 'pcm_16000' }, 'pcm_s16le', 16_000, 2],
    [{ output_format: 'ulaw_8000' }, 'mulaw', 8000, 1],
    [{ output_format: 'alaw_8000' }, 'alaw', 8000, 1],
  ])('kugel-audio-1 audio for %j', async (config, enc, sr, width) => {
    const session = await open().play(say('Good morning to all of you', config));
    const audio = session.of('audio');
    expect(audio.length).toBeGreaterThan(1);
    for (const [idx, frame] of audio.entries()) {
      expect(frame).toEqual({
        audio: expect.any(String),
        enc,
        idx,
        sr,
        samples: expect.any(Number),
        chunk_id: 0,
        ...named,
      });
      // Samples agree with the bytes (kugel-audio-5).
      expect(Buffer.from(String(frame.audio), 'base64').length).toBe(Number(frame.samples) * width);
    }
    expect(audio.reduce((sum, frame) => sum + Number(frame.samples), 0)).toBe(0.26 * sr);
  });

  it.each<[string, boolean, Frame]>([
    ['the charge in cents', true, { cost_cents: 0.03, currency: 'eur' }],
    [
      'null with cost_unavailable where the charge is unknown',
      false,
      { cost_cents: null, cost_unavailable: true },
    ],
  ])('kugel-bill-1, kugel-model-1 usage has %s, and the requested model', async (_, priced, charge) => {
    const text = 'Hello, how can I help you today?';
    const session = await open(priced).play(say(text, { model_id: 'kugel-2' }), ...(ends ? [ends] : []));
    const usage = { audio_seconds: 0.32, characters: 32, model_id: 'kugel-2', ...charge };
    expect(session.usage(isMulti ? 'a' : undefined)).toEqual(usage);
  });

  it.each([
    [
      'kugel-message-21 the active ones of the language where dictionary_ids is omitted',
      { project_id: 1 },
      'SQL',
    ],
    ['kugel-message-21 none where dictionary_ids is empty', { project_id: 1, dictionary_ids: [] }, undefined],
    ['kugel-message-21 exactly those of dictionary_ids', { project_id: 1, dictionary_ids: [3] }, 'hello'],
    ['kugel-text-9 none without their project', {}, undefined],
    ['kugel-text-9 none of a foreign project', { project_id: 2 }, undefined],
    ['kugel-text-9 none without project and selection', { dictionary_ids: [] }, undefined],
  ])('dictionaries: %s', async (_, settings, word) => {
    const { requests } = await open().play(say('Hello', { language: 'en', ...settings }));
    expect([requests.length, requests[0]?.pronunciations[0]?.word]).toEqual([1, word]);
  });

  it('5 a created voice speaks', async () => {
    const session = open();
    const { voices } = session.world.options.services.store;
    const { id } = await voices.change((all) => all.create({ ...NORA, supported_languages: ['de'] }));
    await session.play(say('Hallo', voice(id)));
    expect(session.requests).toMatchObject([{ text: 'Hallo', voice: { languages: ['de'] } }]);
  });

  describe('update_settings', () => {
    it('kugel-message-70, kugel-turn-4 is acknowledged with the values that were set, and applies to what begins afterwards', async () => {
      const update = { update_settings: { speed: 1.1, temperature: 0.7, language: 'de', normalize: false } };
      const session = await open().play(
        say('One', { flush: false }),
        update,
        say(' more'),
        say('Two', {}, 'b'),
      );
      const settings = { cfg_scale: null, temperature: 0.7, speed: 1.1, max_new_tokens: null };
      expect(session.of('settings_updated')).toEqual([
        { settings_updated: true, settings: { ...settings, language: 'de', normalize: false } },
      ]);
      expect(session.requests[0]).toMatchObject({ speed: 1, variation: 0.4 });
      const changed = { text: 'Two', speed: 1.1, variation: 0.7, language: 'de', normalize: false };
      expect(session.requests.at(-1)).toMatchObject(changed);
    });

    it('kugel-message-51 is refused whole with a key of identity or format', async () => {
      const session = await open().play(nonsense({ update_settings: { speed: 1.1, sample_rate: 8000 } }));
      expect(session.world.frames).toMatchObject([VALIDATION]);
      await session.play({ update_settings: {} });
      const fields = ['cfg_scale', 'temperature', 'speed', 'max_new_tokens', 'language', 'normalize'];
      const settings = Object.fromEntries(fields.map((field) => [field, null]));
      expect(session.of('settings_updated')).toMatchObject([{ settings }]);
    });
  });

  describe('cancel', () => {
    it('kugel-cancel-1 stops, drops what waits, is acknowledged at once, and what follows is a fresh turn', async () => {
      const session = open();
      await session.play('hold', say('One. Two', { speed: 1.2 }), say('Three'), 0, { cancel: true }, '|');
      await session.play('release', 10_000, '|', say('Four'));
      expect(session.kinds()).toBe(inOrder(created, started, 'interrupted | |', started, spoken));
      expect(session.of('interrupted')).toEqual([{ interrupted: true }]);
      expect(session.requests.map(({ text }) => text)).toEqual([expect.stringMatching(/^One/), 'Four']);
      expect(session.world.closes).toEqual([]);
    });

    it('kugel-cancel-5 is acknowledged with nothing running', async () => {
      const session = await open().play({ cancel: true });
      expect(session.world.frames).toEqual([{ interrupted: true }]);
    });
  });

  describe('kugel-error-2 a refused message changes nothing', () => {
    it.each<[string, Frame, RegExp, Frame?]>([
      ['kugel-message-6 speed', { speed: 3 }, /speed: expected a number from 0.8 to 1.2/],
      ['kugel-message-6 a wrong type', { text: 5 }, /text: expected a string/],
      [
        'kugel-voice-2 an unknown voice',
        voice(99_999),
        /^Voice not found: 99999$/,
        { error_code: 'NOT_FOUND', code: 404 },
      ],
      [
        'kugel-text-10 an unknown dictionary',
        { dictionary_ids: [1, 77], project_id: 1 },
        /dictionary_ids: .*got 77$/,
      ],
      [
        'kugel-text-9 dictionaries without their project',
        { dictionary_ids: [3] },
        /dictionary_ids: .* project_id/,
      ],
      [
        'kugel-text-9 dictionaries of a foreign project',
        { dictionary_ids: [3], project_id: 2 },
        /^Forbidden: project 2$/,
        { error_code: 'UNAUTHORIZED', code: 403 },
      ],
      [
        'kugel-audio-6 formats that disagree',
        { output_format: 'ulaw_8000', sample_rate: 16_000 },
        /sample_rate/,
      ],
      ['kugel-text-1 text over 10,000', { text: 'x'.repeat(10_001) }, /10000/],
    ])('%s', async (_, fields, why, code = {}) => {
      const session = await open().play(say('Hello', { flush: false }));
      await session.play(nonsense(say('No', { temperature: 1, ...fields })), say(' there'));
      expect(session.of('error')).toEqual([
        { ...VALIDATION, ...code, ...named, error: expect.stringMatching(why) },
      ]);
      expect(session.requests.map(({ text }) => text).join(' ')).toBe('Hello there');
      for (const { variation, sampleRate } of session.requests) {
        expect([variation, sampleRate]).toEqual([0.4, 24_000]);
      }
      expect(session.world.closes).toEqual([]);
    });

    it('kugel-voice-1, kugel-context-5 each text without a voice: MISSING_VOICE_ID, and the text is not kept', async () => {
      const session = await open().play(
        { ...named, text: 'Hello' },
        { ...named, text: ' to all.', ...flushed() },
      );
      const error = expect.stringMatching(/^voice_id is required/);
      const refusal = { error, error_code: 'MISSING_VOICE_ID', code: 400, request_id: 'r-1', ...named };
      expect(session.world.frames).toEqual([refusal, refusal]);
      await session.play(say('There'));
      expect(session.requests.map(({ text }) => text)).toEqual(['There']);
    });

    const unknown = voice(99_999);
    if (adds) {
      it.each<[string, Step[]]>([
        [
          'in a config before the text',
          [
            { ...named, ...unknown },
            { ...named, text: 'Hello' },
          ],
        ],
        ['with the first text', [say('Hello', { ...unknown, flush: false })]],
      ])('kugel-voice-3 an unknown voice is one error a turn: %s', async (_, begin) => {
        const session = await open().play(...begin, adds(' to all'), { ...adds(' of you.'), flush: true });
        const NOT_FOUND = { error_code: 'NOT_FOUND' };
        expect(session.of('error')).toMatchObject([NOT_FOUND]);
        await session.play(adds('Once more'), { ...adds(' in vain.'), flush: true });
        expect(session.of('error')).toMatchObject([NOT_FOUND, NOT_FOUND]);
        expect(session.requests).toEqual([]);
        await session.play(say('There'));
        expect(session.requests.map(({ text }) => text)).toEqual(['There']);
      });
    }

    it('kugel-message-2 a message that is no JSON object is refused, and the socket stays open', async () => {
      const session = open();
      const messages = ['{"text":', '[]', 'null', '7', '"text"', ''];
      for (const message of messages) session.session.text(message);
      session.session.binary(new Uint8Array());
      const error = expect.stringMatching(/^Invalid request: expected a (JSON object, got|text message) /);
      expect(session.world.frames).toEqual(Array(messages.length + 1).fill({ ...VALIDATION, error }));
      await session.play(say('Fine'));
      expect(session.requests).toHaveLength(1);
      expect(session.world.closes).toEqual([]);
    });

    it('at most 256 turns wait, and the last of them still takes text', async () => {
      const turns = Array.from({ length: 255 }, (_, turn) => say('a', {}, turn % 2 ? 'a' : 'b'));
      const opens: Step[] = [say('open', { flush: false }), ...(adds ? [adds(' more')] : [])];
      const session = await open().play('hold', ...turns, ...opens);
      expect(session.of('error')).toEqual([]);
      await session.play(...(adds ? [{ ...adds(' end'), flush: true }] : []), say('one more'));
      const error = expect.stringMatching(/at most 256 turns waiting to be spoken, got one more$/);
      expect(session.of('error')).toEqual([{ ...VALIDATION, ...named, error }]);
      await session.play({ cancel: true }, say('Fine'));
      expect(session.requests.at(-1)?.text).toBe('Fine');
    });

    it('at most 100,000 characters wait, those at the engine not counted', async () => {
      const session = await open().play('hold', say('At the engine'));
      for (let frame = 0; frame < 10; frame += 1) await session.play(say('x'.repeat(10_000)));
      expect(session.of('error')).toEqual([]);
      await session.play(say('x'));
      const error = expect.stringMatching(/at most 100000 characters waiting to be spoken, got 100001$/);
      expect(session.of('error')).toEqual([{ ...VALIDATION, ...named, error }]);
    });
  });

  describe('the end', () => {
    it.each<['fail' | 'busy', string, number, number]>([
      ['fail', 'INTERNAL_ERROR', 500, 4000],
      ['busy', 'MODEL_UNAVAILABLE', 503, 4500],
    ])(
      'kugel-error-1, kugel-error-3 an engine that answers %s: %s, nothing charged',
      async (step, error_code, code, close) => {
        const session = await open().play(step, say('Hello'), ...(ends ? [ends] : []));
        expect(session.of('error')).toEqual([
          { error: expect.any(String), error_code, code, request_id: 'r-1', ...named },
        ]);
        const end = isMulti ? 'context_closed' : close;
        expect(session.kinds()).toBe(inOrder(created, started, 'error', end));
        expect(session.world.closes).toEqual(isMulti ? [] : [[close, error_code]]);
        expect(session.of('usage')).toEqual([]);
        expect(JSON.stringify(session.world.logged)).toMatch(/generation failed/);
        expect(JSON.stringify(session.world.logged)).not.toContain('Hello');
      },
    );

    it('kugel-close-2 going away: an idle session closes with 1012 at once', async () => {
      const { world } = await open().play('going away');
      expect([world.frames, world.closes]).toEqual([[], [[1012, 'restarting']]]);
    });

    it('kugel-close-2 going away: a busy one speaks what it has, refuses more, and closes after its last frame', async () => {
      const session = await open().play(say('One', { flush: false }), 'going away', '|', say('Two'));
      expect(session.of('error')).toMatchObject([VALIDATION]);
      const kinds = inOrder(created, '| error', started, spoken, closed, 1012);
      expect(session.kinds()).toBe(kinds);
    });

    it('going away: a cancel is still taken', async () => {
      const session = await open().play('hold', say('One'), 0, 'going away', { cancel: true });
      expect(session.kinds()).toBe(inOrder(created, started, 'interrupted', closed, 1012));
    });

    it('kugel-end-11 a client that is gone gets nothing and costs nothing', async () => {
      const session = await open().play('hold', say('Hello'), 0, 'gone', 'release', 60_000, say('Too late'));
      expect(session.kinds()).toBe(inOrder(created, started));
      expect(session.world.clock.timers).toBe(0);
    });
  });
});
