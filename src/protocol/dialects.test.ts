import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndpointId } from './core/endpoint.ts';
import { EXAMPLE_AUDIO } from './core/example-audio.ts';
import type { SpeechEvent } from './core/speech-event.ts';
import { protocolOf } from './protocols.ts';
import { ENDPOINTS } from './registry.ts';

/** How all wires read frames of the server, also those that no server should send. */

type Fields = Record<string, unknown>;

const FIGURES = {
  speech_id: 'dg_sp_000000000001',
  audio_duration_ms: 40,
  input_character_count: 3,
  billable_character_count: 3,
  controls_applied: { pronunciations_applied: 0, pronunciation_warnings: 0 },
};

/** Frames that occur neither in the example turn nor among the errors. */
const OTHERS: Readonly<Record<EndpointId, readonly Fields[]>> = {
  'kugel-stream': [{ interrupted: true }, { warning: 'x' }],
  'kugel-multi': [
    { context_closed: true, context_id: 'a' },
    { context_timeout: true, context_id: 'a' },
  ],
  'kugel-tts': [
    { interrupted: true },
    { word_timestamps: [{ word: 'Hi.', start: 0, end: 0.6 }], chunk_id: 0 },
    {
      final: true,
      chunks: 1,
      total_samples: 2,
      dur_ms: 600,
      gen_ms: 20,
      rtf: 0.03,
      usage: { characters: 3 },
    },
  ],
  murmr: [{ type: 'audio', chunk: 'AAAB', sample_rate: 16_000, format: 'pcm_s16le' }],
  'elevenlabs-stream': [{ audio: 'AAAB', isFinal: true, normalizedAlignment: null, alignment: null }],
  'elevenlabs-multi': [{ audio: null, isFinal: true, normalizedAlignment: null, alignment: null }],
  deepgram: [
    { type: 'Cleared', sequence_id: 0 },
    { type: 'Warning', warn_code: 'EXCESSIVE_FLUSH', warn_msg: 'x' },
    { type: 'Warning', code: 'x', description: 'x' },
  ],
  'deepgram-flux': [
    { type: 'SpeechInterrupted', audio_played_ms: 3, text_spoken: 'H', metadata: FIGURES },
    { type: 'ConfigureSuccess', applied: { speed: 1 } },
    { type: 'ConfigureFailure', code: 'SPEED_OUT_OF_RANGE', description: 'x' },
    { type: 'Warning', code: 'NO_ACTIVE_SPEECH', description: 'x' },
  ],
  cartesia: [
    { type: 'flush_done', context_id: 'a', status_code: 206, done: false, flush_done: true, flush_id: 1 },
    {
      type: 'error',
      status_code: 429,
      title: 'Too many',
      message: 'No.',
      error_code: 'concurrency_limited',
    },
  ],
};

describe.each(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (id, endpoint) => {
  const { exampleTurn, failures, open } = protocolOf(endpoint);
  const read = (frame: string | Uint8Array<ArrayBuffer>): SpeechEvent[] =>
    open({ settings: {}, key: 'key' }).decode(frame);
  const turn = exampleTurn('Hi.', 'a');
  const example = turn.flatMap((frame) => (typeof frame === 'string' ? [JSON.parse(frame) as Fields] : []));
  const errors = failures.errors.map(
    (name) => failures.error(name, endpoint.contexts && 'a').frame as Fields,
  );
  const known = [...example, ...errors, ...OTHERS[id]];
  /** The frame with samples, if it is JSON, and their key. */
  const spoken = example.find((frame) => Object.values(frame).includes(EXAMPLE_AUDIO.base64));
  const key = Object.keys(spoken ?? {}).find((each) => spoken?.[each] === EXAMPLE_AUDIO.base64) ?? '';
  const audio = spoken && { ...spoken, [key]: 'AAAB' };

  it.each(['', '{', '{"audio":"AA', '[1]', 'null', '7', '"text"'])(
    'reports %j as no JSON object',
    (frame) => {
      expect(read(frame)).toEqual([
        { type: 'malformed', problem: expect.stringMatching(/^expected a JSON object, got ./) },
      ]);
    },
  );

  it.each<object>([
    {},
    { hello: 1 },
    { type: 'audio_end' },
    { type: 7 },
    { type: 'constructor' },
    { toString: 1 },
  ])('keeps a frame of another kind whole: %j', (frame) => {
    expect(read(JSON.stringify(frame))).toEqual([{ type: 'unknown', frame }]);
  });

  it('passes on the unknown fields of any frame', () => {
    const unknown = { loudness: -3, constructor: 'x' };
    for (const frame of known) {
      const events = read(JSON.stringify({ ...frame, ...unknown }));
      if (events.length > 0) expect(events).toContainEqual(expect.objectContaining({ unknown }));
    }
  });

  describe.runIf(audio)('audio', () => {
    it.each<[string, (frame: string) => string]>([
      ['lines', (frame) => JSON.stringify(JSON.parse(frame), null, '\t')],
      ['blanks', (frame) => frame.replaceAll(':', ' : ').replaceAll(',', ', ')],
      ['an escape in its base64', (frame) => frame.replace('AAAB', '\\u0041AAB')],
      [
        'an escape in its key',
        (frame) => frame.replace(`"${key}"`, `"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}"`),
      ],
      [
        'its keys in another order',
        (frame) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(frame)).reverse())),
      ],
    ])('reads audio with %s as audio', (_, change) => {
      const frame = JSON.stringify(audio);
      expect(change(frame)).not.toBe(frame);
      expect(read(change(frame))).toEqual(read(frame));
    });

    it('reads any audio frame equally on the fast and the full path', () => {
      const rate = fc.constantFrom(24_000, 8000, 0, 3000, 2999, 192_000, 192_001, 8000.5, '24k', null);
      const frames = fc.record(
        {
          [key]: fc.oneof({ weight: 5, arbitrary: fc.base64String() }, fc.jsonValue({ maxDepth: 1 })),
          type: fc.constant('audio'),
          sample_rate: rate,
          sr: rate,
          format: fc.constantFrom('pcm_s16le', 'opus'),
          enc: fc.constantFrom('pcm_s16le', 'mulaw', 'alaw', 'opus'),
          idx: fc.constantFrom(0, 7, -1, 0.5, '0'),
          samples: fc.constantFrom(2, -1, null),
          chunk_id: fc.constantFrom(0, 2, -1),
          context_id: fc.constantFrom('a', 7),
          inner: fc.dictionary(fc.constantFrom(key, 'type'), fc.base64String(), { maxKeys: 2 }),
        },
        { requiredKeys: [] },
      );
      fc.assert(
        fc.property(frames, fc.boolean(), (changes, isWhole) => {
          const frame = isWhole ? { ...audio, ...changes } : { inner: {}, ...changes };
          const fast = JSON.stringify(frame);
          // A tab before the value is valid JSON that only the full path reads.
          expect(read(fast)).toEqual(read(fast.replaceAll(`"${key}":`, `"${key}":\t`)));
        }),
        { numRuns: 150 },
      );
    });
  });

  it('reads or reports any frame, and never throws', () => {
    const names = [...new Set(known.flatMap(Object.keys)), '__proto__'];
    const values = [...new Set(known.flatMap(Object.values))];
    const near = fc.dictionary(
      fc.constantFrom(...names),
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, fc.jsonValue({ maxDepth: 2 })),
    );
    const frame = fc.oneof(
      near.map((fields) => JSON.stringify(fields)),
      fc.json(),
      fc.string(),
      fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 10 }), (frames) => {
        const wire = protocolOf(endpoint).open({ settings: {}, key: 'key' });
        for (const { type } of frames.flatMap((one) => wire.decode(one))) expect(type).toMatch(/^\w+$/);
      }),
    );
  });
});
