import { describe, expect, it } from 'vitest';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { protocolOf } from '../../protocols.ts';
import { kugelEndpoints, kugelStream } from '../endpoints.ts';

const { 'kugel-multi': kugelMulti, 'kugel-tts': kugelTts } = kugelEndpoints;

type Case = [name: string, frame: object, event: { type: string; [field: string]: unknown }];

const AUDIO = { audio: 'AAAB', enc: 'pcm_s16le', idx: 3, sr: 24_000, samples: 2, chunk_id: 1 };
const NO_TOTALS = { audioSeconds: null, textChunks: null, audioFrames: null };
const TOTALS = { total_audio_seconds: 5.4, total_text_chunks: 3, total_audio_chunks: 15 };
const READ_TOTALS = { audioSeconds: 5.4, textChunks: 3, audioFrames: 15 };
const BILL = { audio_seconds: 5.4, characters: 142, cost_cents: 0.49, currency: 'eur', model_id: 'kugel-3' };
const USAGE = { audioSeconds: 5.4, characters: 142, costCents: 0.49, currency: 'eur', modelId: 'kugel-3' };
const UNKNOWN_USAGE = { audioSeconds: 1, characters: null, costCents: null, currency: null, modelId: null };

/** Bills whose charge is unknown. An unknown charge is null, never 0, and does not keep a turn from ending. */
const UNKNOWN_BILLS = [
  { audio_seconds: 1, cost_cents: null, cost_unavailable: true },
  { audio_seconds: 1, cost_cents: 0, cost_unavailable: true },
  { audio_seconds: 1, currency: null },
];

/** Frames and events of both endpoints, without the context. */
const COMMON: Case[] = [
  [
    'generation started',
    { generation_started: true, chunk_id: 0, text: 'Hello.' },
    { type: 'chunkStarted', chunk: 0, text: 'Hello.' },
  ],
  [
    'audio chunk',
    AUDIO,
    {
      type: 'audio',
      chunk: 1,
      index: 3,
      encoding: 'pcm_s16le',
      sampleRate: 24_000,
      samples: 2,
      payload: { base64: 'AAAB' },
    },
  ],
  [
    'enc and chunk_id have defaults',
    { audio: '//8A', idx: 0, sr: 8000, samples: 2 },
    {
      type: 'audio',
      chunk: 0,
      index: 0,
      encoding: 'pcm_s16le',
      sampleRate: 8000,
      samples: 2,
      payload: { base64: '//8A' },
    },
  ],
  [
    'word timestamps',
    {
      word_timestamps: [{ word: 'Hi', start_ms: 0, end_ms: 320, char_start: 0, char_end: 2, score: 0.98 }],
      chunk_id: 0,
    },
    { type: 'words', chunk: 0, words: [{ word: 'Hi', startMs: 0, endMs: 320, charStart: 0, charEnd: 2 }] },
  ],
  [
    'word timestamps in seconds',
    { word_timestamps: [{ word: 'Hi', start: 0.5, end: 0.75, confidence: 1 }], chunk_id: 2 },
    { type: 'words', chunk: 2, words: [{ word: 'Hi', startMs: 500, endMs: 750, charStart: 0, charEnd: 0 }] },
  ],
  [
    'chunk complete',
    { chunk_complete: true, chunk_id: 0, audio_seconds: 1.2, gen_ms: 150 },
    { type: 'chunkCompleted', chunk: 0, audioSeconds: 1.2, generationMs: 150 },
  ],
  ['interrupted', { interrupted: true }, { type: 'interrupted' }],
  [
    'error',
    { error: 'No such voice', error_code: 'NOT_FOUND', code: 404, request_id: 'r1' },
    {
      type: 'error',
      message: 'No such voice',
      name: 'NOT_FOUND',
      code: 404,
      requestId: 'r1',
      isRefusal: true,
    },
  ],
  [
    'error that refuses nothing',
    { error: 'No', error_code: 'INTERNAL_ERROR', code: 500 },
    { type: 'error', message: 'No', name: 'INTERNAL_ERROR', code: 500, requestId: null },
  ],
  [
    'error without a code',
    { error: 'No' },
    { type: 'error', message: 'No', name: null, code: null, requestId: null },
  ],
];

/** Frames that mean something else, or nothing, on the other endpoint. */
const STREAM: Case[] = [
  ['warning', { warning: 'x' }, { type: 'warning', context: '', message: 'x', endsTurn: true }],
  ['final', { final: true, ...TOTALS }, { type: 'audioEnded', context: '', totals: READ_TOTALS }],
  [
    'session closed',
    { session_closed: true, ...TOTALS, usage: BILL },
    { type: 'turnEnded', context: '', totals: READ_TOTALS, usage: USAGE },
  ],
  [
    'a turn may end without usage',
    { session_closed: true, usage: null },
    { type: 'turnEnded', context: '', totals: NO_TOTALS, usage: null },
  ],
  ...UNKNOWN_BILLS.map(
    (usage): Case => [
      `the charge of ${JSON.stringify(usage)}`,
      { session_closed: true, usage },
      { type: 'turnEnded', context: '', totals: NO_TOTALS, usage: UNKNOWN_USAGE },
    ],
  ),
  [
    'settings updated',
    { settings_updated: true, settings: { speed: 1.1, temperature: null } },
    { type: 'settingsUpdated', settings: { speed: 1.1, temperature: null } },
  ],
  ['interrupted', { interrupted: true }, { type: 'interrupted', context: null }],
  ['context created', { context_created: true }, { type: 'unknown', frame: { context_created: true } }],
];

const MULTI: Case[] = [
  ['context created', { context_created: true, context_id: 'a' }, { type: 'contextOpened', context: 'a' }],
  [
    'final ends the turn of its context',
    { final: true, context_id: 'a' },
    { type: 'turnEnded', context: 'a', totals: NO_TOTALS, usage: null },
  ],
  [
    'context closed, with usage',
    { context_closed: true, context_id: 'a', usage: BILL },
    { type: 'contextClosed', context: 'a', timedOut: false, usage: USAGE },
  ],
  ...UNKNOWN_BILLS.map(
    (usage): Case => [
      `the charge of ${JSON.stringify(usage)}`,
      { context_closed: true, context_id: 'a', usage },
      { type: 'contextClosed', context: 'a', timedOut: false, usage: UNKNOWN_USAGE },
    ],
  ),
  [
    'context closed without usage',
    { context_closed: true, context_id: 'a' },
    { type: 'contextClosed', context: 'a', timedOut: false, usage: null },
  ],
  [
    'context_timeout',
    { context_timeout: true, context_id: 'a' },
    { type: 'contextClosed', context: 'a', timedOut: true, usage: null },
  ],
  [
    'session closed',
    { session_closed: true, total_audio_seconds: 5.4 },
    { type: 'sessionEnded', audioSeconds: 5.4 },
  ],
  ['interrupted, all of them', { interrupted: true }, { type: 'interrupted', context: null }],
  [
    'an error of the connection',
    { error: 'No', error_code: 'VALIDATION_ERROR', code: 400 },
    {
      type: 'error',
      context: null,
      message: 'No',
      name: 'VALIDATION_ERROR',
      code: 400,
      requestId: null,
      isRefusal: true,
    },
  ],
  [
    'session_started, which is documented nowhere, is kept whole',
    { session_started: true, session_id: 's' },
    { type: 'unknown', frame: { session_started: true, session_id: 's' } },
  ],
  [
    'a warning ends nothing here',
    { warning: 'x', context_id: 'a' },
    { type: 'warning', context: 'a', message: 'x', endsTurn: false },
  ],
];

/** Of both endpoints. */
const MALFORMED: [string, object, RegExp][] = [
  ['a missing index', { ...AUDIO, idx: undefined }, /^idx: expected .*, got nothing/],
  ['a negative count', { ...AUDIO, idx: -1 }, /^idx: expected at least 0, got -1/],
  ['a huge rate', { ...AUDIO, sr: 1e12 }, /^sr: expected at most 192000/],
  ['a marker that is not true', { final: 'yes' }, /^final: expected true, got "yes"/],
  ['words that are no list', { word_timestamps: {} }, /^word_timestamps: expected an array/],
];

describe.each([
  { endpoint: kugelStream, id: {}, context: '', own: STREAM },
  { endpoint: kugelMulti, id: { context_id: 'ctx1' }, context: 'ctx1', own: MULTI },
])('$endpoint.id', ({ endpoint, id, context, own }) => {
  const decode = (frame: object | Uint8Array<ArrayBuffer>): SpeechEvent[] =>
    protocolOf(endpoint)
      .open({ settings: {}, key: '' })
      .decode(frame instanceof Uint8Array ? frame : JSON.stringify(frame));

  it.each(COMMON)('decodes %s', (_, frame, event) => {
    const isOfConnection = context === '' && ['interrupted', 'error'].includes(event.type);
    expect(decode({ ...frame, ...id })).toEqual([{ ...event, context: isOfConnection ? null : context }]);
  });

  it.each(own)('decodes %s', (_, frame, event) => {
    expect(decode(frame)).toEqual([event]);
  });

  it.each(MALFORMED)('names the fault of %s', (_, frame, problem) => {
    expect(decode({ ...frame, ...id })).toEqual([
      { type: 'malformed', problem: expect.stringMatching(problem) },
    ]);
  });

  it('refuses binary with a message', () => {
    expect(decode(new Uint8Array(7))).toEqual([
      { type: 'malformed', problem: 'expected a text message, got 7 bytes of binary' },
    ]);
  });

  it('is not misled by an audio key inside of another value', () => {
    const [started] = decode({ generation_started: true, chunk_id: 0, text: '"audio":"AAAA"', ...id });
    expect(started).toMatchObject({ type: 'chunkStarted' });
    expect(decode({ warning: 'x', nested: { audio: 'AAAA' }, ...id })).toMatchObject([{ type: 'warning' }]);
  });
});

it.each<[string, object]>([
  ['audio', AUDIO],
  ['final', { final: true }],
  ['context_created', { context_created: true }],
  ['context_closed', { context_closed: true, usage: null }],
  ['an id that is no text', { context_created: true, context_id: 7 }],
])('kugel-multi names the missing context of %s', (_, frame) => {
  const [event] = protocolOf(kugelMulti).open({ settings: {}, key: '' }).decode(JSON.stringify(frame));
  expect(event).toMatchObject({
    type: 'malformed',
    problem: expect.stringMatching(/^context_id: expected a string/),
  });
});

describe('4 a request', () => {
  const audio = (chunk_id: number) => ({ ...AUDIO, chunk_id });
  const final = { final: true, chunks: 2, total_samples: 4, dur_ms: 5400, gen_ms: 9, rtf: 0.1, usage: BILL };
  const refusal = { error: 'No.', error_code: 'NOT_FOUND', code: 404 };

  /** Speaks two requests. Returns the types of events of each frame, with the chunks and the texts of their starts. */
  function heard(frames: readonly object[]): string[] {
    const wire = protocolOf(kugelTts).open({ settings: {}, key: '' });
    for (const text of ['One.', 'Two.']) {
      wire.encode({ kind: 'say', context: '', text });
      wire.encode({ kind: 'flush', context: '' });
    }
    return frames.map((frame) =>
      wire
        .decode(JSON.stringify(frame))
        .map(
          (event) =>
            event.type +
            (event.type === 'chunkStarted' ? ` ${event.chunk} ${event.text}` : '') +
            ('ends' in event ? ` ends ${event.ends}` : ''),
        )
        .join(', '),
    );
  }

  it.each<[string, object[], string[]]>([
    [
      'starts with its first audio, and ends with final',
      [audio(0), audio(0), final, audio(0)],
      ['chunkStarted 0 One., audio', 'audio', 'chunkCompleted, turnEnded', 'chunkStarted 0 Two., audio'],
    ],
    [
      'has the chunks that its audio names, without their texts',
      [audio(0), audio(1), final],
      [
        'chunkStarted 0 One., audio',
        'chunkCompleted, chunkStarted 1 null, audio',
        'chunkCompleted, turnEnded',
      ],
    ],
    [
      'continues after the refusal of a later one, before its audio',
      [refusal, audio(0), final, audio(0)],
      [
        'error ends newest',
        'chunkStarted 0 One., audio',
        'chunkCompleted, turnEnded',
        'chunkStarted 0 null, audio',
      ],
    ],
    [
      'continues after the refusal of a later one, and after an error during its audio',
      [audio(0), refusal, refusal, audio(0)],
      ['chunkStarted 0 One., audio', 'error ends newest', 'error', 'audio'],
    ],
    [
      'ends with interrupted',
      [audio(0), { interrupted: true }, final],
      ['chunkStarted 0 One., audio', 'interrupted', 'turnEnded'],
    ],
  ])('%s', (_, frames, events) => {
    expect(heard(frames)).toEqual(events);
  });

  it('has totals and the bill in final', () => {
    const [event] = protocolOf(kugelTts).open({ settings: {}, key: '' }).decode(JSON.stringify(final));
    const totals = { audioSeconds: 5.4, textChunks: null, audioFrames: 2 };
    expect(event).toMatchObject({ type: 'turnEnded', totals, usage: USAGE });
  });

  it('is sent whole, with the settings of the connection and their updates', () => {
    const wire = protocolOf(kugelTts).open({ settings: {}, key: '' });
    const sent = [
      { kind: 'open', settings: { voice_id: 7, speed: 1 } } as const,
      { kind: 'update', settings: { speed: 1.1 } } as const,
      { kind: 'say', context: '', text: 'One ' } as const,
      { kind: 'say', context: '', text: 'two.' } as const,
      { kind: 'flush', context: '' } as const,
      { kind: 'flush', context: '' } as const,
    ].flatMap((intent) => wire.encode(intent));
    expect(sent).toEqual([
      '{"update_settings":{"speed":1.1}}',
      '{"voice_id":7,"speed":1.1,"text":"One two."}',
    ]);
  });
});
