import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../core/endpoint.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { streamWire } from './stream-wire.ts';

const decode = (frame: unknown): SpeechEvent => {
  const events = streamWire.decode(JSON.stringify(frame));
  expect(events).toHaveLength(1);
  return events[0] as SpeechEvent;
};

const audio = { audio: 'AAAB', enc: 'pcm_s16le', idx: 3, sr: 24000, samples: 2, chunk_id: 1 };

describe('encode', () => {
  const table: [string, Intent, string[]][] = [
    [
      'seed: config',
      { kind: 'open', settings: { voice_id: 1071, speed: 1 } },
      ['{"voice_id":1071,"speed":1}'],
    ],
    ['seed: text', { kind: 'say', context: '', text: 'a "b"' }, ['{"text":"a \\"b\\""}']],
    ['seed: flush', { kind: 'flush', context: '' }, ['{"flush":true}']],
    ['seed: close', { kind: 'endTurn', context: '' }, ['{"close":true}']],
    ['seed: cancel', { kind: 'cancel', context: '' }, ['{"cancel":true}']],
    ['seed: close_socket', { kind: 'disconnect' }, ['{"close_socket":true}']],
    [
      '2.1 update_settings carries its six keys only',
      { kind: 'update', settings: { speed: 1.1, voice_id: 7 } },
      ['{"update_settings":{"speed":1.1}}'],
    ],
    ['there is no keep-alive here', { kind: 'keepAlive', context: '' }, []],
  ];
  it.each(table)('%s', (_, intent, frames) => {
    expect(streamWire.encode(intent)).toEqual(frames);
  });
});

describe('decode', () => {
  const table: [string, unknown, SpeechEvent][] = [
    [
      'seed: generation started',
      { generation_started: true, chunk_id: 0, text: 'Hello, this is streaming.' },
      { type: 'chunkStarted', context: '', chunk: 0, text: 'Hello, this is streaming.' },
    ],
    [
      'seed: audio chunk',
      audio,
      {
        type: 'audio',
        context: '',
        chunk: 1,
        index: 3,
        encoding: 'pcm_s16le',
        sampleRate: 24000,
        samples: 2,
        payload: { base64: 'AAAB' },
      },
    ],
    [
      '2.4 enc and chunk_id have defaults',
      { audio: 'AAAB', idx: 0, sr: 8000, samples: 2 },
      {
        type: 'audio',
        context: '',
        chunk: 0,
        index: 0,
        encoding: 'pcm_s16le',
        sampleRate: 8000,
        samples: 2,
        payload: { base64: 'AAAB' },
      },
    ],
    [
      'a field that is not known is passed on',
      { ...audio, loudness: -3 },
      {
        type: 'audio',
        context: '',
        chunk: 1,
        index: 3,
        encoding: 'pcm_s16le',
        sampleRate: 24000,
        samples: 2,
        payload: { base64: 'AAAB' },
        unknown: { loudness: -3 },
      },
    ],
    [
      'seed: word timestamps',
      {
        word_timestamps: [
          { word: 'Hello', start_ms: 0, end_ms: 320, char_start: 0, char_end: 5, score: 0.98 },
        ],
        chunk_id: 0,
      },
      {
        type: 'words',
        context: '',
        chunk: 0,
        words: [{ word: 'Hello', startMs: 0, endMs: 320, charStart: 0, charEnd: 5 }],
      },
    ],
    [
      'word timestamps in seconds',
      { word_timestamps: [{ word: 'Hello', start: 0.5, end: 0.75, confidence: 1 }], chunk_id: 2 },
      {
        type: 'words',
        context: '',
        chunk: 2,
        words: [{ word: 'Hello', startMs: 500, endMs: 750, charStart: 0, charEnd: 0 }],
      },
    ],
    [
      'seed: chunk complete',
      { chunk_complete: true, chunk_id: 0, audio_seconds: 1.2, gen_ms: 150 },
      { type: 'chunkCompleted', context: '', chunk: 0, audioSeconds: 1.2, generationMs: 150 },
    ],
    ['seed: interrupted', { interrupted: true }, { type: 'interrupted', context: null }],
    [
      'seed: warning',
      { warning: 'Turn ended' },
      { type: 'warning', context: '', message: 'Turn ended', endsTurn: true },
    ],
    [
      'seed: final',
      { final: true, total_audio_seconds: 5.4, total_text_chunks: 3, total_audio_chunks: 15 },
      { type: 'audioEnded', context: '', totals: { audioSeconds: 5.4, textChunks: 3, audioFrames: 15 } },
    ],
    [
      'seed: session closed',
      {
        session_closed: true,
        total_audio_seconds: 5.4,
        total_text_chunks: 3,
        total_audio_chunks: 15,
        usage: {
          audio_seconds: 5.4,
          characters: 142,
          cost_cents: 0.49,
          currency: 'eur',
          model_id: 'kugel-3',
        },
      },
      {
        type: 'turnEnded',
        context: '',
        totals: { audioSeconds: 5.4, textChunks: 3, audioFrames: 15 },
        usage: { audioSeconds: 5.4, characters: 142, costCents: 0.49, currency: 'eur', modelId: 'kugel-3' },
      },
    ],
    [
      'seed: a charge that cannot be determined is null, never 0',
      { session_closed: true, usage: { audio_seconds: 1, cost_cents: null, cost_unavailable: true } },
      {
        type: 'turnEnded',
        context: '',
        totals: { audioSeconds: null, textChunks: null, audioFrames: null },
        usage: { audioSeconds: 1, characters: null, costCents: null, currency: null, modelId: null },
      },
    ],
    [
      'figures of a bill that are null or missing do not keep a turn from ending',
      { session_closed: true, usage: { audio_seconds: 1, cost_unavailable: true, currency: null } },
      {
        type: 'turnEnded',
        context: '',
        totals: { audioSeconds: null, textChunks: null, audioFrames: null },
        usage: { audioSeconds: 1, characters: null, costCents: null, currency: null, modelId: null },
      },
    ],
    [
      'a turn may end without usage',
      { session_closed: true, usage: null },
      {
        type: 'turnEnded',
        context: '',
        totals: { audioSeconds: null, textChunks: null, audioFrames: null },
        usage: null,
      },
    ],
    [
      '2.2 settings updated',
      { settings_updated: true, settings: { speed: 1.1, temperature: null } },
      { type: 'settingsUpdated', settings: { speed: 1.1, temperature: null } },
    ],
    [
      '1.8 error',
      { error: 'voice_id is required', error_code: 'MISSING_VOICE_ID', code: 400, request_id: 'r1' },
      {
        type: 'error',
        context: null,
        message: 'voice_id is required',
        name: 'MISSING_VOICE_ID',
        code: 400,
        requestId: 'r1',
      },
    ],
    ['an unknown frame is kept whole', { hello: 1 }, { type: 'unknown', frame: { hello: 1 } }],
  ];
  it.each(table)('%s', (_, frame, event) => {
    expect(decode(frame)).toEqual(event);
  });

  it('accepts white space, other key orders and escapes in audio frames', () => {
    const spaced =
      '{"idx": 3, "audio": "AAAB", "sr": 24000, "samples": 2, "chunk_id": 1, "enc": "pcm_s16le"}';
    const escaped = '{"audio":"\\/\\/8A","enc":"mulaw","idx":0,"sr":8000,"samples":3,"chunk_id":0}';
    expect(streamWire.decode(spaced)).toEqual([decode(audio)]);
    expect(streamWire.decode(escaped)).toMatchObject([{ type: 'audio', payload: { base64: '//8A' } }]);
  });

  it.each([
    [
      'text that holds an audio key',
      { generation_started: true, chunk_id: 0, text: '"audio":"AAAA"' },
      'chunkStarted',
    ],
    ['an audio key further down', { warning: 'x', nested: { audio: 'AAAA', idx: 0 } }, 'warning'],
  ])('is not misled by %s', (_, frame, type) => {
    expect(decode(frame).type).toBe(type);
  });

  const broken: [string, string, RegExp][] = [
    ['no JSON', '{"audio":"AA', /expected a JSON object/],
    ['a list', '[1]', /expected a JSON object, got \[1\]/],
    ['null', 'null', /expected a JSON object/],
    ['a missing index', '{"audio":"AAAA","sr":24000,"samples":2}', /idx: expected .*, got nothing/],
    [
      'a negative count',
      '{"audio":"AAAA","idx":-1,"sr":24000,"samples":2}',
      /idx: expected at least 0, got -1/,
    ],
    ['a huge rate', '{"audio":"AAAA","idx":0,"sr":1e12,"samples":2}', /sr: expected at most 192000/],
    ['a marker that is not true', '{"final":"yes"}', /final: expected true, got "yes"/],
    ['words that are no list', '{"word_timestamps":{}}', /word_timestamps: expected an array/],
  ];
  it.each(broken)('names the fault of %s', (_, frame, problem) => {
    const [event] = streamWire.decode(frame);
    expect(event).toMatchObject({ type: 'malformed', problem: expect.stringMatching(problem) });
  });

  it('refuses binary with a message', () => {
    expect(streamWire.decode(new Uint8Array(7))).toEqual([
      { type: 'malformed', problem: 'expected a text message, got 7 bytes of binary' },
    ]);
  });

  it('reads an audio frame equally on the fast and the full path', () => {
    fc.assert(
      fc.property(
        fc.base64String(),
        fc.nat(),
        fc.constantFrom(8000, 24000),
        fc.nat(1e6),
        (base64, idx, sr, samples) => {
          const frame = { audio: base64, enc: 'pcm_s16le', idx, sr, samples, chunk_id: 0 };
          const fast = streamWire.decode(JSON.stringify(frame));
          // A tab before the value is valid JSON that only the thorough way reads.
          const thorough = streamWire.decode(JSON.stringify(frame).replace('"audio":', '"audio":\t'));
          expect(fast).toEqual(thorough);
        },
      ),
    );
  });
});
