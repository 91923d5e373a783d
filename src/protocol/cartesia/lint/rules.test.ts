import { describe, expect, it } from 'vitest';
import { into, lint, out, type Step } from '../../lint/recordings.test-helper.ts';
import { doneFrame } from '../wire/server-frames.ts';
import { CARTESIA_RULES, type CartesiaRuleId } from './rules.ts';
import { openCartesiaLinter } from './socket.ts';

/** For each rule the smallest recordings that break it and no other rule. */

const BASE = 'wss://api.cartesia.ai/tts/websocket';
const opened = (version: string, more = ''): Step => ({
  open: true,
  address: `${BASE}?cartesia_version=${version}${more}`,
});
const OPEN = opened('2026-08-14');
const OLD = opened('2025-04-16');

const ID = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';
const FORMAT = { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 };
const SETTINGS = { model_id: 'sonic-3.6', voice: { id: ID }, output_format: FORMAT };
const FLAT = { mode: 'id', id: ID };
const request = (transcript: string, more: object = {}, ms = 10) =>
  out({ ...SETTINGS, transcript, context_id: 'a', continue: true, ...more }, ms);
/** In a version with modes of voices. */
const older = (transcript: string, more: object = {}) => request(transcript, { voice: FLAT, ...more });
const end = (more: object = {}, ms = 10) => request('', { continue: false, ...more }, ms);
const cancel = (context = 'a') => out({ context_id: context, cancel: true });
const UNBUFFERED = { max_buffer_delay_ms: 0 };

/** `bytes` of silence. */
const pcm = (bytes: number) => btoa('\0'.repeat(bytes));
const of = { context_id: 'a', status_code: 206, done: false };
const chunk = (more: object = {}, ms = 100) =>
  into({ type: 'chunk', ...of, step_time: 41.7, data: pcm(4800), ...more }, ms);
const words = (start: number[], end: number[], more: object = {}) =>
  into({
    type: 'timestamps',
    ...of,
    word_timestamps: { words: start.map(() => 'one'), start, end, ...more },
  });
const done = (context = 'a', ms = 10) => into(doneFrame(context), ms);
const flushDone = (flush_id: number) =>
  into({ type: 'flush_done', ...of, flush_done: true, flush_id, data: '' });
const error = (more: object = {}) =>
  into({
    type: 'error',
    context_id: 'a',
    status_code: 400,
    done: true,
    title: 'No',
    message: 'No.',
    ...more,
  });
const ended = (more: object = {}) => request('Hello there.', { continue: false, ...more });
const rest = [chunk(), done()];
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => request('Hi.', { context_id: `c${at}`, continue: false }));
const texts = (text: readonly string[], more: object = {}) => text.map((each) => request(each, more));

/** With the other rules that the same fault breaks. */
type Broken = [CartesiaRuleId, string, Step[], CartesiaRuleId[]?];

const RECORDINGS: Broken[] = [
  ['not-json', 'text of the server that is no JSON', [OPEN, into('hello')]],
  ['message-too-big', 'over 1 MiB', [OPEN, ended({ transcript: 'a'.repeat(1024 * 1024) })]],
  ['new-field', 'a field of a later version', [OPEN, ended(), chunk({ mood: 'good' }), done()]],
  ['lone-surrogate', 'an emoji cut in two', [OPEN, ended({ transcript: 'Hi \ud83d' }), ...rest]],
  ['language-script', 'Arabic in English', [OPEN, ended({ transcript: 'مرحبا', language: 'en' }), ...rest]],
  [
    'connection-per-turn',
    'one turn on each of two connections',
    [
      OPEN,
      ended(),
      ...rest,
      { close: 1000 },
      ...[OPEN, ended(), ...rest].map((step) => ({ ...step, on: 2 })),
    ],
  ],
  ['binary-message', 'audio as bytes', [OPEN, ended(), into(new Uint8Array(4)), ...rest]],
  ['binary-message', 'bytes of the client', [OPEN, out(new Uint8Array(4))]],
  ['server-shape', 'a text as the id of a flush', [OPEN, ended(), chunk({ flush_id: 'one' }), done()]],
  ['server-shape', 'audio that is no base64', [OPEN, ended(), chunk({ data: '****' }), done()]],
  ['server-shape', 'a time before 0', [OPEN, ended(), words([-1], [1]), ...rest]],
  [
    'client-shape',
    'a container of files',
    [OPEN, ended({ output_format: { ...FORMAT, container: 'wav' } }), ...rest],
  ],
  ['client-shape', 'MP3', [OPEN, ended({ output_format: { ...FORMAT, encoding: 'mp3' } }), ...rest]],
  [
    'client-shape',
    'a rate of 11025 Hz',
    [OPEN, ended({ output_format: { ...FORMAT, sample_rate: 11_025 } }), ...rest],
  ],
  ['client-shape', 'language and locale', [OPEN, ended({ language: 'en', locale: 'en-GB' }), ...rest]],
  ['client-shape', 'another language', [OPEN, ended({ language: 'xx' }), ...rest]],
  ['client-shape', 'a speed of 3', [OPEN, ended({ generation_config: { speed: 3 } }), ...rest]],
  ['client-shape', 'a volume of 0', [OPEN, ended({ generation_config: { volume: 0 } }), ...rest]],
  ['client-shape', 'a delay of 6 s', [OPEN, ended({ max_buffer_delay_ms: 6000 }), ...rest]],
  [
    'client-shape',
    'a delay of 3 s in an older version',
    [OLD, older('Hi.', { max_buffer_delay_ms: 3000, continue: false }), ...rest],
  ],
  ['client-shape', 'a text as a flag', [OPEN, ended({ add_timestamps: 'yes' }), ...rest]],
  ['frame-unnamed', 'no type', [OPEN, ended(), into({ ...of, data: '' }), ...rest]],
  [
    'frame-unnamed',
    'a type of many levels',
    [OPEN, ended(), into(`{"context_id":"a","type":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), ...rest],
  ],
  ['frame-unnamed', 'no context', [OPEN, ended(), chunk({ context_id: undefined }), ...rest]],
  ...['step_time', 'done', 'status_code', 'data'].map(
    (key): Broken => [
      'keys-missing',
      `a chunk without ${key}`,
      [OPEN, ended(), chunk({ [key]: undefined }), done()],
    ],
  ),
  [
    'keys-missing',
    'a done without status_code',
    [OPEN, ended(), chunk(), into({ ...doneFrame('a'), status_code: null })],
  ],
  ['unknown-kind', 'a pong', [OPEN, ended(), into({ type: 'pong', ...of }), ...rest]],
  ['error-shape', 'the structured one before its version', [OLD, older('Hi.', { continue: false }), error()]],
  ['error-shape', 'the old one later', [OPEN, ended(), error({ title: undefined, error: 'No: No.' })]],
  ['error-shape', 'none in an unknown version', [ended(), error({ title: undefined, message: undefined })]],
  ['speech-unasked', 'another context', [OPEN, ended(), chunk({ context_id: 'b' }), ...rest]],
  ['frame-after-done', 'more audio', [OPEN, ended(), ...rest, chunk()]],
  ['frame-after-done', 'words', [OPEN, ended(), ...rest, words([0], [1])]],
  ['frame-after-done', 'done again', [OPEN, ended(), ...rest, done()]],
  ['done-unasked', 'after a flush', [OPEN, request('Hi.', { flush: true }), chunk(), flushDone(1), done()]],
  ['done-unasked', 'before any audio', [OPEN, request('Hi.'), done()]],
  ['odd-bytes', 'half a sample', [OPEN, ended(), chunk({ data: pcm(4801) }), done()]],
  [
    'odd-bytes',
    'half a float',
    [
      OPEN,
      ended({ output_format: { ...FORMAT, encoding: 'pcm_f32le' } }),
      chunk({ data: pcm(4802) }),
      done(),
    ],
  ],
  ['times-wrong', 'lists of two lengths', [OPEN, ended(), words([0, 1], [1]), ...rest]],
  ['times-wrong', 'fewer words than times', [OPEN, ended(), words([0], [1], { words: [] }), ...rest]],
  ['times-wrong', 'an end before its start', [OPEN, ended(), words([1], [0.5]), ...rest]],
  ['times-wrong', 'that fall within a frame', [OPEN, ended(), words([1, 0.5], [1.2, 0.6]), ...rest]],
  [
    'times-wrong',
    'that begin again with a frame',
    [OPEN, ended(), words([0, 1], [0.5, 1.5]), words([0], [0.5]), ...rest],
  ],
  ['answer-absent', 'to an end', [OPEN, ended(), { pass: 11_000 }]],
  ['answer-absent', 'to a flush', [OPEN, request('Hi.', { flush: true }), { pass: 11_000 }]],
  ['answer-absent', 'to text without a buffer', [OPEN, request('Hi.', UNBUFFERED), { pass: 11_000 }]],
  ['answer-absent', 'after a chunk', [OPEN, ended(), chunk(), { pass: 11_000 }]],
  ['context-idle', 'until it expires', [OPEN, request('Hi there.'), chunk(), done('a', 1010)]],
  ['context-idle', 'for 2 s', [OPEN, request('Hi there.'), chunk(), { pass: 2000 }]],
  ['buffer-waits', 'for 2.6 s', [OPEN, request('Well, '), { pass: 2600 }, end(), ...rest]],
  ['idle-near', 'before any message', [OPEN, { pass: 241_000 }]],
  [
    'idle-near',
    'after a turn, until the server closes',
    [OPEN, ended(), ...rest, { pass: 299_000 }, { close: 1000 }],
  ],
  ['too-many-contexts', '16', [OPEN, ...many(16)]],
  ['too-many-contexts', 'by the server', [OPEN, ended(), error({ status_code: 429 })]],
  [
    'plain-http',
    'of the vendor',
    [{ open: true, address: 'ws://api.cartesia.ai/tts/websocket?cartesia_version=2026-08-14' }],
  ],
  ['version-missing', 'in a browser', [{ open: true, address: `${BASE}?cartesia_client=cartesia-js/4.2.0` }]],
  ['version-missing', 'an empty one', [opened('')]],
  ['version-unknown', 'another date', [opened('2026-01-01')]],
  ['key-in-query', 'api_key', [opened('2026-08-14', '&api_key=[key]')]],
  ['unknown-parameter', 'the model', [opened('2026-08-14', '&model_id=sonic-3.6')]],
  ['not-a-request', 'a type alone', [OPEN, out({ type: 'keepalive' })]],
  ['not-a-request', 'a type with a context', [OPEN, out({ type: 'close', context_id: 'a' })]],
  ['not-a-request', 'an empty object', [OPEN, out({})]],
  ...['model_id', 'transcript', 'voice', 'output_format', 'context_id'].map(
    (key): Broken => [
      'field-missing',
      key,
      [OPEN, request('Hi.', { [key]: undefined, continue: false })],
      key === 'transcript' ? ['first-text-silent'] : [],
    ],
  ),
  ['field-missing', 'the context of a cancel', [OPEN, ended(), out({ cancel: true }), ...rest]],
  [
    'context-absent',
    'in an older version',
    [OLD, older('Hi.', { context_id: undefined, continue: false }), chunk({ context_id: 'x' }), done('x')],
  ],
  ['voice-form', 'an id before 2026-08-14', [OLD, older('Hi.', { voice: ID, continue: false }), ...rest]],
  [
    'voice-form',
    'an embedding',
    [OPEN, ended({ voice: { mode: 'embedding', embedding: Array(192).fill(0) } }), ...rest],
  ],
  ['emotion-unknown', 'in upper case', [OPEN, ended({ generation_config: { emotion: 'Happy' } }), ...rest]],
  [
    'delivery-ignored',
    'a speed',
    [OPEN, ended({ model_id: 'sonic-2', generation_config: { speed: 1 } }), ...rest],
    ['model-retired'],
  ],
  [
    'delivery-ignored',
    'a dictionary',
    [OPEN, ended({ model_id: 'sonic-turbo', pronunciation_dict_id: 'd' }), ...rest],
    ['model-retired'],
  ],
  ['model-retired', 'sonic-english', [OPEN, ended({ model_id: 'sonic-english' }), ...rest]],
  ['field-of-version', 'duration', [OPEN, ended({ duration: 3 }), ...rest]],
  ['field-of-version', 'speed', [OPEN, ended({ speed: 'slow' }), ...rest]],
  ['field-of-version', 'use_original_timestamps', [OPEN, ended({ use_original_timestamps: true }), ...rest]],
  [
    'field-of-version',
    'controls of a voice',
    [
      OLD,
      older('Hi.', { continue: false, voice: { ...FLAT, __experimental_controls: { speed: 1 } } }),
      ...rest,
    ],
  ],
  [
    'field-of-version',
    'an accent before its version',
    [OLD, older('Hi.', { continue: false, accent: 'Irish' }), ...rest],
  ],
  ['unknown-field', 'the language of another vendor', [OPEN, ended({ language_code: 'en' }), ...rest]],
  ['unknown-field', 'a pitch', [OPEN, ended({ generation_config: { pitch: 2 } }), ...rest]],
  ['settings-changed', 'another voice', [OPEN, request('Hi. '), end({ voice: 'other' }), ...rest]],
  [
    'settings-changed',
    'another format',
    [OPEN, request('Hi. '), end({ output_format: { ...FORMAT, sample_rate: 8000 } }), ...rest],
  ],
  [
    'delivery-changed',
    'another speed',
    [
      OPEN,
      request('Hi. ', { generation_config: { speed: 1 } }),
      ended({ generation_config: { speed: 1.2 } }),
      ...rest,
    ],
  ],
  ['first-text-silent', 'nothing', [OPEN, end(), error()]],
  ['first-text-silent', 'punctuation', [OPEN, request('... '), error()]],
  ['text-after-end', 'a second text', [OPEN, ended(), ended(), ...rest]],
  ['text-after-done', 'after the end', [OPEN, ended(), ...rest, ended()]],
  [
    'text-after-done',
    'after it expired',
    [OPEN, request('Hi there.'), chunk(), done('a', 1010), request('More.', {}, 500), error()],
    ['context-idle'],
  ],
  ['context-reused', 'after a cancel', [OPEN, ended(), chunk(), cancel(), done(), request('No. ')]],
  ['context-reused', 'after an error', [OPEN, ended(), error(), ended()]],
  [
    'flush-without-continue',
    'an empty text with flush',
    [OPEN, request('Hi. '), request('', { flush: true, continue: false }), ...rest],
  ],
  ['cancel-unknown', 'a misspelled id', [OPEN, ended(), cancel('A'), ...rest]],
  [
    'barge-in-uncancelled',
    'audio goes on',
    [
      OPEN,
      request('Hi there.'),
      chunk(),
      ended({ context_id: 'b' }),
      chunk(),
      chunk({ context_id: 'b' }),
      done('b'),
      done('a', 1010),
    ],
  ],
  ['context-unended', 'at the close', [OPEN, request('Hi.'), { close: 1000 }]],
  ['words-glued', 'sentences', [OPEN, ...texts(['Hello there.', 'How are you?']), end(), ...rest]],
  [
    'unbuffered-fragment',
    'words',
    [OPEN, ...texts(['Hello ', 'my ', 'dear '], UNBUFFERED), end(UNBUFFERED), ...rest],
  ],
  [
    'unbuffered-fragment',
    'pieces of a word',
    [OPEN, ...texts(['Hel', 'lo'], UNBUFFERED), end(UNBUFFERED), ...rest],
  ],
  ['tag-split', 'within a tag', [OPEN, ...texts(['Wait <break ti', 'me="1s" /> here. ']), end(), ...rest]],
  [
    'tag-split',
    'between a tag and its end',
    [OPEN, ...texts(['It is <spell>AB', 'C</spell> here. ']), end(), ...rest],
  ],
];

const foundIn = (steps: readonly Step[]) => lint(openCartesiaLinter(), steps);

describe('cartesia', () => {
  it.each(RECORDINGS)('%s: %s', (rule, _, steps, others = []) => {
    const found = foundIn(steps).map(({ id, message }) => [id, message]);
    expect(found.map(([id]) => id).sort(), JSON.stringify(found)).toEqual([rule, ...others].sort());
  });

  it('has a recording for every rule', () => {
    const covered = new Set<string>(RECORDINGS.map(([id]) => id));
    expect(Object.keys(CARTESIA_RULES).filter((id) => !covered.has(id))).toEqual([]);
  });

  it('never repeats a key', () => {
    const secret = 'sk_car_canary';
    const findings = foundIn([
      opened('2026-08-14', `&api_key=${secret}&key=${secret}`),
      request('Hi.', { api_key: secret, generation_config: { api_key: secret } }),
      out({ type: 'auth', api_key: secret }),
    ]);
    expect(findings.length).toBeGreaterThan(3);
    expect(JSON.stringify(findings)).not.toContain(secret);
  });

  it('applies no rule of a version to a connection of unknown address', () => {
    const steps = [
      older('Hi. ', {
        duration: 3,
        normalization: 'off',
        generation_config: { emotion: 'Happy' },
        max_buffer_delay_ms: 3000,
      }),
      end({ voice: ID }),
      chunk(),
      done(),
      older('Hi. ', {
        context_id: 'b',
        voice: { mode: 'embedding', embedding: Array(192).fill(0) },
        continue: false,
      }),
      error({ context_id: 'b', title: undefined, error: 'No: No.' }),
      older('Hi. ', { context_id: 'c', continue: false }),
      error({ context_id: 'c' }),
    ];
    expect(foundIn(steps).map(({ id, message }) => `${id} ${message}`)).toEqual([]);
  });
});
