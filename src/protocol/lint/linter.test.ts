import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../core/rule.ts';
import { openLinter } from '../linters.ts';
import { ENDPOINTS } from '../registry.ts';
import { lint, type Step } from './recordings.test-helper.ts';

/** Fields of all kinds, so that random frames often mean something. */
const key = fc.constantFrom(
  ...(
    'text flush cancel close close_socket close_context immediate context_id voice_id voice_settings ' +
    'word_timestamps output_format update_settings audio enc idx sr samples chunk_id generation_started ' +
    'chunk_complete audio_seconds gen_ms final session_closed usage interrupted warning error error_code ' +
    'code context_created context_closed settings_updated settings type __proto__'
  ).split(' '),
);
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constant(true) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('a', 'b', ' ', '', 'Hello there.', 'AAAA', 'pcm_s16le', 'ulaw_8000'),
  },
  { weight: 3, arbitrary: fc.constantFrom(0, 1, 2, 24_000, -1, 0.5) },
  fc.jsonValue(),
);
const ALIGNMENT = { chars: ['H', 'i'], charStartTimesMs: [0, 40], charDurationsMs: [40, 40] };
/** Frames that are nearly right, in any order. */
const plausible = fc.constantFrom<object>(
  { voice_id: 1071, word_timestamps: true },
  { text: 'Hello there.' },
  { text: 'Hello', context_id: 'a', voice_settings: { voice_id: 1071 } },
  { flush: true },
  { flush: true, context_id: 'a' },
  { cancel: true },
  { close_context: true, context_id: 'a' },
  { close_context: true, context_id: 'a', immediate: true },
  { context_created: true, context_id: 'a' },
  { context_closed: true, context_id: 'a' },
  { generation_started: true, chunk_id: 0, text: 'Hello', context_id: 'a' },
  { generation_started: true, chunk_id: 1, text: 'there.' },
  { audio: 'AAAA', enc: 'mulaw', idx: 0, sr: 8000, samples: 3, chunk_id: 0, context_id: 'a' },
  { chunk_complete: true, chunk_id: 0, audio_seconds: 0, gen_ms: 1, context_id: 'a' },
  { final: true, context_id: 'a', total_audio_seconds: 0 },
  { session_closed: true, usage: { audio_seconds: 1, cost_cents: null } },
  { interrupted: true },
  { warning: 'idle' },
  { error: 'No.', error_code: 'NOT_FOUND', code: 404, context_id: 'a' },
  { text: ' ', context_id: 'a', voice_settings: { stability: 0.5 }, generation_config: {} },
  { text: '', context_id: 'a' },
  { text: '' },
  { audio: 'AAAA', isFinal: null, alignment: ALIGNMENT, normalizedAlignment: null, contextId: 'a' },
  { audio: 'AAAA', isFinal: null, alignment: null, normalizedAlignment: ALIGNMENT },
  { audio: null, isFinal: true, alignment: null, normalizedAlignment: null, contextId: 'a' },
  { audio: null, isFinal: true, alignment: null, normalizedAlignment: null },
  { message: 'No.', error: 'input_timeout_exceeded', code: 1008, contextId: 'a' },
);
/** Of Cartesia, likewise. */
const FRAME = { context_id: 'a', status_code: 206, done: false };
const REQUEST = {
  model_id: 'sonic-3.6',
  transcript: 'Hello there.',
  voice: 'b',
  output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
  context_id: 'a',
  continue: true,
};
const plausibleInContexts = fc.constantFrom<object>(
  REQUEST,
  { ...REQUEST, transcript: 'Hello', flush: true, max_buffer_delay_ms: 0 },
  { ...REQUEST, transcript: '', continue: false },
  { ...REQUEST, context_id: 'b', voice: { mode: 'id', id: 'b' } },
  { context_id: 'a', cancel: true },
  { type: 'chunk', ...FRAME, data: 'AAAA', step_time: 1, flush_id: 1 },
  { type: 'timestamps', ...FRAME, word_timestamps: { words: ['Hello'], start: [1], end: [0] } },
  { type: 'flush_done', ...FRAME, flush_done: true, flush_id: 0 },
  { type: 'done', ...FRAME, done: true },
  { type: 'error', ...FRAME, error: 'No: No.' },
);
const payload = fc.oneof(
  { weight: 6, arbitrary: plausibleInContexts },
  { weight: 6, arbitrary: plausible },
  { weight: 3, arbitrary: fc.dictionary(key, value, { maxKeys: 6 }) },
  fc.string(),
  fc.json(),
  fc.uint8Array(),
);
const ADDRESSES = [
  'v1/text-to-speech/voice/stream-input?auto_mode=true',
  'v1/text-to-speech/voice/multi-stream-input?output_format=pcm_8000',
  'tts/websocket?cartesia_version=2026-08-14',
].map((end) => `wss://host.test/${end}`);
const ms = fc.oneof(fc.nat(200), fc.nat(40_000));
const on = fc.constantFrom(1, 1, 1, 2);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ out: payload, ms, on }) },
  { weight: 5, arbitrary: fc.record({ in: payload, ms, on }) },
  fc.record({ open: fc.constant(true as const), address: fc.constantFrom(...ADDRESSES), ms, on }),
  fc.record({ close: fc.constantFrom(1000, 1006, 1012, 4001, 4003), ms, on }),
);
const recording = fc.array(step, { maxLength: 40 });

/** Values that a message has failed to put into words. */
const UNFORMATTED = /undefined|NaN|\[object/;

/** For comparing what was found, whatever the order in which it was told. */
const sorted = (findings: readonly Finding[]): string[] =>
  findings.map((found) => JSON.stringify(found)).sort();

describe.each(ENDPOINTS)('$id', (endpoint) => {
  it('never throws, and refers to fed frames', () => {
    fc.assert(
      fc.property(recording, (steps) => {
        const known = new Set(openLinter(endpoint.id).rules.map(({ id }) => id));
        // A message may quote what was fed.
        fc.pre(!UNFORMATTED.test(JSON.stringify(steps)));
        for (const found of lint(openLinter(endpoint.id), [...steps, { pass: 60_000 }])) {
          expect(known.has(found.id)).toBe(true);
          expect(found.frame).toBeLessThan(steps.length);
          expect(found.related ?? 0).toBeLessThan(steps.length);
          expect(found.message).not.toMatch(UNFORMATTED);
        }
      }),
      { numRuns: 120 },
    );
  });

  it('finds the same for any steps of the clock', () => {
    fc.assert(
      fc.property(recording, fc.array(fc.nat(5000), { maxLength: 40 }), (steps, ticks) => {
        const ticked = steps.flatMap((what, place): Step[] => {
          const all = 'pass' in what ? 0 : (what.ms ?? 0);
          const before = Math.min(ticks[place] ?? 0, all);
          return [{ pass: before }, { ...what, ms: all - before }];
        });
        const end = { pass: 60_000 };
        expect(sorted(lint(openLinter(endpoint.id), [...ticked, end]))).toEqual(
          sorted(lint(openLinter(endpoint.id), [...steps, end])),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('follows a connection in use beside any number that stay open', () => {
    fc.assert(
      fc.property(recording, (steps) => {
        const alone = steps.map((what): Step => ({ ...what, on: 1 }));
        let opened = 1;
        const beside = alone.flatMap((what): Step[] => [
          what,
          ...Array.from({ length: 10 }, (): Step => {
            opened += 1;
            return { open: true, on: opened, ms: 0 };
          }),
        ]);
        const idsOf = (findings: readonly Finding[]) =>
          findings.filter(({ connection }) => connection === 1).map(({ id }) => id);
        expect(idsOf(lint(openLinter(endpoint.id), beside))).toEqual(
          idsOf(lint(openLinter(endpoint.id), alone)),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('keeps two connections apart', () => {
    fc.assert(
      fc.property(recording, (steps) => {
        const alone = steps.map((what): Step => ({ ...what, on: 1 }));
        // The same on another connection, at the same moments.
        const twice = alone.flatMap((what): Step[] => [what, { ...what, on: 2, ms: 0 }]);
        const linter = openLinter(endpoint.id);
        const end = { pass: 60_000 };
        const across = new Set(['connection-per-turn', 'price-varies', 'price-unlisted']);
        const idsOf = (findings: readonly Finding[]) =>
          findings
            .filter(({ id }) => !across.has(id))
            .map(({ id }) => id)
            .sort();
        const both = lint(linter, [...twice, end]);
        expect(idsOf(both.filter(({ connection }) => connection === 2))).toEqual(
          idsOf(lint(openLinter(endpoint.id), [...alone, end])),
        );
      }),
      { numRuns: 40 },
    );
  });
});
