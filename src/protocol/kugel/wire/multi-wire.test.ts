import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Intent, Settings } from '../../core/endpoint.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { kugelMulti } from '../multi.ts';
import { parseMultiMessage } from './multi-client.ts';
import { MultiWire } from './multi-wire.ts';

/** What goes out for these intents on one connection, one list of frames an intent. */
const sent = (...intents: Intent[]): unknown[][] => {
  const wire = new MultiWire();
  return intents.map((intent) => wire.encode(intent).map((frame) => JSON.parse(String(frame)) as unknown));
};

const lastOf = (...intents: Intent[]): unknown => sent(...intents).at(-1)?.[0];

const open = (settings: Settings): Intent => ({ kind: 'open', settings });
const create = (context: string, settings: Settings): Intent => ({ kind: 'openContext', context, settings });

describe('encode', () => {
  const table: [string, Intent, object][] = [
    [
      'seed: initialize context with voice',
      create('ctx1', { voice_id: 1071 }),
      { text: ' ', context_id: 'ctx1', voice_settings: { voice_id: 1071 } },
    ],
    ['a context without settings', create('ctx1', {}), { text: ' ', context_id: 'ctx1' }],
    ['seed: text', { kind: 'say', context: 'ctx1', text: 'Hello' }, { text: 'Hello', context_id: 'ctx1' }],
    [
      'text that opens its context',
      { kind: 'say', context: 'ctx1', text: 'Hello', opens: { voice_id: 1071, cfg_scale: 2, speed: 1.1 } },
      { text: 'Hello', context_id: 'ctx1', speed: 1.1, voice_settings: { voice_id: 1071, cfg_scale: 2 } },
    ],
    ['seed: flush', { kind: 'flush', context: 'ctx1' }, { flush: true, context_id: 'ctx1' }],
    ['the end of a turn is a flush', { kind: 'endTurn', context: 'a' }, { flush: true, context_id: 'a' }],
    ['seed: keep-alive', { kind: 'keepAlive', context: 'ctx1' }, { text: '', context_id: 'ctx1' }],
    [
      'seed: close',
      { kind: 'closeContext', context: 'ctx1', immediate: false },
      { close_context: true, context_id: 'ctx1' },
    ],
    [
      'seed: close now',
      { kind: 'closeContext', context: 'ctx1', immediate: true },
      { close_context: true, context_id: 'ctx1', immediate: true },
    ],
    ['3.3.22 cancel of one', { kind: 'cancel', context: 'a' }, { cancel: true, context_id: 'a' }],
    ['3.3.22 cancel of all', { kind: 'cancel', context: null }, { cancel: true }],
    [
      '3.3.20 update_settings',
      { kind: 'update', settings: { speed: 1.1, voice_id: 7 } },
      { update_settings: { speed: 1.1 } },
    ],
    ['seed: close socket', { kind: 'disconnect' }, { close_socket: true }],
  ];
  it.each(table)('%s', (_, intent, frame) => {
    expect(sent(intent)).toEqual([[frame]]);
  });

  it('sends session-level settings with every creation, and nothing at the opening', () => {
    const session = { language: 'en', word_timestamps: true };
    expect(sent(open(session), create('a', { voice_id: 1 }), create('b', {}))).toEqual([
      [],
      [{ text: ' ', context_id: 'a', ...session, voice_settings: { voice_id: 1 } }],
      [{ text: ' ', context_id: 'b', ...session }],
    ]);
  });

  it('sends changed session-level settings once, with the next text', () => {
    const say: Intent = { kind: 'say', context: 'a', text: 'x' };
    expect(
      sent(
        open({ language: 'en' }),
        create('a', {}),
        say,
        open({ language: 'de' }),
        say,
        say,
        open({ language: 'de' }),
        say,
      ).slice(2),
    ).toEqual([
      [{ text: 'x', context_id: 'a' }],
      [],
      [{ text: 'x', context_id: 'a', language: 'de' }],
      [{ text: 'x', context_id: 'a' }],
      [],
      [{ text: 'x', context_id: 'a' }],
    ]);
  });

  it('3.3.19 resets the session-wide delivery of one context for the next', () => {
    expect(lastOf(create('a', { speed: 1.2, temperature: 0.9 }), create('b', { temperature: 0.1 }))).toEqual({
      text: ' ',
      context_id: 'b',
      speed: 1,
      temperature: 0.1,
    });
  });

  it('applies an update to later contexts without their own value', () => {
    const update: Intent = { kind: 'update', settings: { speed: 0.9 } };
    expect(lastOf(create('a', { speed: 1.2 }), update, create('b', {}))).toEqual({
      text: ' ',
      context_id: 'b',
    });
  });

  it('never replaces the keys of a frame by settings', () => {
    expect(lastOf(open({ text: 'boo', context_id: 'z' }), create('a', {}))).toEqual({
      text: ' ',
      context_id: 'a',
    });
  });

  it('round trip: the server reads the sent settings unchanged', () => {
    const session = fc.record(
      {
        language: fc.constantFrom('en', 'de'),
        word_timestamps: fc.boolean(),
        dictionary_ids: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
        sample_rate: fc.constantFrom(8000, 24_000),
      },
      { requiredKeys: [] },
    );
    const voice = fc.record(
      {
        voice_id: fc.oneof(fc.nat(2000), fc.constant('marta')),
        cfg_scale: fc.double({ min: 1.2, max: 2.5, noNaN: true }),
        max_new_tokens: fc.integer({ min: 1, max: 2048 }),
      },
      { requiredKeys: [] },
    );
    const delivery = fc.record(
      {
        speed: fc.double({ min: 0.8, max: 1.2, noNaN: true }),
        temperature: fc.double({ min: 0, max: 1, noNaN: true }),
      },
      { requiredKeys: [] },
    );
    const id = fc.string({ minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        session,
        voice,
        delivery,
        id,
        fc.string({ maxLength: 80 }),
        (settings, ofVoice, own, context, text) => {
          const frame = lastOf(open(settings), {
            kind: 'say',
            context,
            text,
            opens: { ...ofVoice, ...own },
          });
          expect(parseMultiMessage(frame)).toMatchObject({
            ok: true,
            value: {
              contextId: context,
              text,
              session: settings,
              defaults: own,
              voice: Object.keys(ofVoice).length > 0 ? ofVoice : undefined,
            },
          });
        },
      ),
    );
  });
});

describe('decode', () => {
  const decode = (frame: unknown): SpeechEvent[] => new MultiWire().decode(JSON.stringify(frame));
  const NO_TOTALS = { audioSeconds: null, textChunks: null, audioFrames: null };
  const table: [string, unknown, SpeechEvent][] = [
    [
      'seed: context created',
      { context_created: true, context_id: 'ctx1' },
      { type: 'contextOpened', context: 'ctx1' },
    ],
    [
      'seed: generation started',
      { generation_started: true, context_id: 'ctx1', chunk_id: 0, text: '...' },
      { type: 'chunkStarted', context: 'ctx1', chunk: 0, text: '...' },
    ],
    [
      'seed: audio chunk',
      { audio: 'AAAB', enc: 'pcm_s16le', context_id: 'ctx1', idx: 0, sr: 24000, samples: 4800, chunk_id: 0 },
      {
        type: 'audio',
        context: 'ctx1',
        chunk: 0,
        index: 0,
        encoding: 'pcm_s16le',
        sampleRate: 24_000,
        samples: 4800,
        payload: { base64: 'AAAB' },
      },
    ],
    [
      'seed: chunk complete',
      { chunk_complete: true, context_id: 'ctx1', chunk_id: 0, audio_seconds: 1.2, gen_ms: 150 },
      { type: 'chunkCompleted', context: 'ctx1', chunk: 0, audioSeconds: 1.2, generationMs: 150 },
    ],
    [
      'seed: word timestamps',
      {
        word_timestamps: [{ word: 'Hi', start_ms: 0, end_ms: 320, char_start: 0, char_end: 2, score: 1 }],
        context_id: 'ctx1',
        chunk_id: 0,
      },
      {
        type: 'words',
        context: 'ctx1',
        chunk: 0,
        words: [{ word: 'Hi', startMs: 0, endMs: 320, charStart: 0, charEnd: 2 }],
      },
    ],
    [
      'seed: final ends the turn of its context',
      { final: true, context_id: 'ctx1' },
      { type: 'turnEnded', context: 'ctx1', totals: NO_TOTALS, usage: null },
    ],
    [
      'seed: context closed, with usage',
      {
        context_closed: true,
        context_id: 'ctx1',
        usage: { audio_seconds: 4.1, cost_cents: 0.37, currency: 'eur', model_id: 'kugel-3' },
      },
      {
        type: 'contextClosed',
        context: 'ctx1',
        timedOut: false,
        usage: { audioSeconds: 4.1, characters: null, costCents: 0.37, currency: 'eur', modelId: 'kugel-3' },
      },
    ],
    [
      'seed: a charge that cannot be determined is null',
      {
        context_closed: true,
        context_id: 'a',
        usage: { audio_seconds: 1, cost_cents: null, cost_unavailable: true },
      },
      {
        type: 'contextClosed',
        context: 'a',
        timedOut: false,
        usage: { audioSeconds: 1, characters: null, costCents: null, currency: null, modelId: null },
      },
    ],
    [
      '3.3.14 context closed without usage',
      { context_closed: true, context_id: 'a' },
      { type: 'contextClosed', context: 'a', timedOut: false, usage: null },
    ],
    [
      '3.2 context_timeout',
      { context_timeout: true, context_id: 'a' },
      { type: 'contextClosed', context: 'a', timedOut: true, usage: null },
    ],
    [
      'seed: session closed',
      { session_closed: true, total_audio_seconds: 5.4 },
      { type: 'sessionEnded', audioSeconds: 5.4 },
    ],
    ['3.2 interrupted, all of them', { interrupted: true }, { type: 'interrupted', context: null }],
    [
      '10.19 interrupted, one of them',
      { interrupted: true, context_id: 'a' },
      { type: 'interrupted', context: 'a' },
    ],
    [
      '3.3.2 an error of one context',
      { error: 'Too many contexts', error_code: 'TOO_MANY_CONTEXTS', code: 429, context_id: 'u' },
      {
        type: 'error',
        context: 'u',
        message: 'Too many contexts',
        name: 'TOO_MANY_CONTEXTS',
        code: 429,
        requestId: null,
      },
    ],
    [
      '3.3.17 an error of the connection',
      { error: 'Invalid request', error_code: 'VALIDATION_ERROR', code: 400, request_id: 'r' },
      {
        type: 'error',
        context: null,
        message: 'Invalid request',
        name: 'VALIDATION_ERROR',
        code: 400,
        requestId: 'r',
      },
    ],
    [
      '3.2 session_started, which is documented nowhere, is kept whole',
      { session_started: true, session_id: 's' },
      { type: 'unknown', frame: { session_started: true, session_id: 's' } },
    ],
    [
      'a warning ends nothing here',
      { warning: 'x', context_id: 'a' },
      { type: 'warning', context: 'a', message: 'x', endsTurn: false },
    ],
    [
      'a field that is not known is passed on',
      { final: true, context_id: 'a', reason: 'flush' },
      { type: 'turnEnded', context: 'a', totals: NO_TOTALS, usage: null, unknown: { reason: 'flush' } },
    ],
  ];
  it.each(table)('%s', (_, frame, event) => {
    expect(decode(frame)).toEqual([event]);
  });

  it.each([
    ['audio', { audio: 'AAAB', enc: 'pcm_s16le', idx: 0, sr: 24000, samples: 2, chunk_id: 0 }],
    ['final', { final: true }],
    ['context_created', { context_created: true }],
    ['context_closed', { context_closed: true, usage: null }],
    ['an id that is no text', { context_created: true, context_id: 7 }],
  ])('names the missing context of %s', (_, frame) => {
    expect(decode(frame)).toMatchObject([
      { type: 'malformed', problem: expect.stringMatching(/^context_id: expected a string/) },
    ]);
  });
});

describe('kugelMulti', () => {
  it('seed: describes the endpoint', () => {
    expect(kugelMulti).toMatchObject({
      id: 'kugel-multi',
      path: '/ws/tts/multi',
      contexts: { max: 20, idleMs: 20_000 },
      billing: 'context',
      limits: { textChars: 10_000, idleTurnMs: null },
      fixedSettings: ['output_format', 'sample_rate'],
    });
    expect(kugelMulti.checkSettings(kugelMulti.initialSettings)).toEqual([]);
    expect(kugelMulti.address('ws://h/kugel', 'a&b')).toBe('ws://h/kugel/ws/tts/multi?api_key=a%26b');
  });

  it('3.3.2 has a remedy for too many contexts', () => {
    expect(kugelMulti.explainError('TOO_MANY_CONTEXTS', 429)).toMatch(/Close a context/);
  });

  it('keeps the state of connections apart', () => {
    const first = kugelMulti.openWire('');
    first.encode(create('a', { speed: 1.2 }));
    expect(kugelMulti.openWire('').encode(create('b', {}))).toEqual(['{"text":" ","context_id":"b"}']);
  });
});
