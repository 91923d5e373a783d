import { describe, expect, it } from 'vitest';
import { into, lintOn, out, type Step } from '../../lint/recordings.test-helper.ts';
import { murmr } from '../endpoints.ts';
import { MURMR_RULES, type MurmrRuleId } from './rules.ts';

/** For each rule the smallest recordings that break it: the rule is found there, and no other violation is. */

const KEY = 'murmr_sk_test_1';
const CONFIG = { type: 'config', api_key: KEY, voice_description: 'A warm voice', language: 'English' };
const config = (more: object = {}) => out({ ...CONFIG, ...more });
const ack = into({ type: 'config_ack', session_id: 'a1b2c3d4' });
const text = (words = 'Hello there.') => out({ type: 'text', text: words });
const flush = out({ type: 'flush' });
const binaryMode = out({ type: 'binary_mode' });
const binaryAck = into({ type: 'binary_mode_ack', sample_rate: 24_000, format: 'pcm_s16le' });
/** 0.1 s of silence. */
const BYTES = 4800;
const audio = (more: object = {}) =>
  into({ type: 'audio', chunk: btoa('\0'.repeat(BYTES)), sample_rate: 24_000, format: 'pcm_s16le', ...more });
const bytes = (length = BYTES) => into(new Uint8Array(length));
const done = (more: object = {}) =>
  into({ type: 'done', total_chunks: 1, duration_ms: 100, first_chunk_latency_ms: 460, ...more });
const OPENED: Step[] = [{ open: true }, config(), ack];
const BINARY: Step[] = [...OPENED, binaryMode, binaryAck];
const ASKED: Step[] = [...BINARY, text(), flush];

const RECORDINGS: [MurmrRuleId, string, Step[]][] = [
  ['not-json', 'text of the server that is no JSON', [...OPENED, into('hello')]],
  ['not-json', 'a list of the client', [out('[1]')]],
  ['message-too-big', 'over 1 MiB', [...OPENED, text('a'.repeat(1024 * 1024))]],
  ['lone-surrogate', 'an emoji cut in two', [...OPENED, out('{"type":"text","text":"Hi \\ud83d"}')]],
  ['language-script', 'Arabic in English', [...OPENED, text('مرحبا')]],
  [
    'connection-per-turn',
    'one turn on each of two connections',
    [...ASKED, bytes(), done(), { close: 1000 }, ...[config(), text()].map((step) => ({ ...step, on: 2 }))],
  ],
  ['binary-message', 'bytes of the client', [out(new Uint8Array(2))]],
  ['server-shape', 'done with text for a number', [...ASKED, bytes(), done({ total_chunks: 'one' })]],
  ['client-shape', 'no key', [config({ api_key: undefined })]],
  ['client-shape', 'an unknown type', [...OPENED, out({ type: 'cancel' })]],
  ['client-shape', 'a voice without its prompt', [config({ voice: 'voice_1' })]],
  ['unknown-kind', 'a type of a later version', [...OPENED, into({ type: 'mood' })]],
  ['new-field', 'a field of a later version', [...ASKED, bytes(), done({ mood: 'good' })]],
  ['error-incomplete', 'no code', [...OPENED, into({ type: 'error', message: 'No.' })]],
  ['config-first', 'text comes first', [text()]],
  ['config-key', 'another one', [...OPENED, config({ api_key: 'murmr_sk_test_2' })]],
  ['config-ack-missing', 'audio comes first', [config(), text(), flush, audio()]],
  ['answer-unasked', 'config_ack again', [...OPENED, ack]],
  ['answer-unasked', 'pong', [...OPENED, into({ type: 'pong' })]],
  ['answer-unasked', 'binary_mode_ack', [...OPENED, binaryAck]],
  ['binary-mode-early', 'before the acknowledgement', [config(), binaryMode]],
  ['binary-unasked', 'bytes in JSON mode', [...OPENED, text(), flush, bytes()]],
  ['json-audio-in-binary-mode', 'JSON in binary mode', [...ASKED, audio()]],
  ['no-generation', 'before any text', [...BINARY, bytes()]],
  ['no-generation', 'audio after done', [...ASKED, bytes(), done(), bytes()]],
  ['no-generation', 'done again', [...ASKED, bytes(), done(), done({ total_chunks: 0, duration_ms: 0 })]],
  ['error-code-closes', '4006', [...OPENED, { close: 4006 }]],
  ['close-unexplained', '4002 without an error', [...OPENED, { close: 4002 }]],
  ['turn-cut-off', 'while speaking', [...ASKED, bytes(), { close: 1000 }]],
  ['audio-base64', 'other letters', [...OPENED, text(), flush, audio({ chunk: '****' })]],
  ['odd-bytes', 'one byte too many', [...ASKED, bytes(BYTES + 1), done()]],
  ['wrong-rate', '16,000', [...OPENED, text(), flush, audio({ sample_rate: 16_000 })]],
  [
    'wrong-rate',
    'in binary mode',
    [
      ...OPENED,
      binaryMode,
      { ...binaryAck, in: { type: 'binary_mode_ack', sample_rate: 48_000, format: 'pcm_s16le' } },
    ],
  ],
  ['total-chunks', 'two for one', [...ASKED, bytes(), done({ total_chunks: 2 })]],
  ['total-chunks', 'done before its audio', [...ASKED, done()]],
  ['duration-differs', 'longer than its audio', [...ASKED, bytes(), done({ duration_ms: 2500 })]],
  ['config-late', 'for 9 s', [{ open: true }, { pass: 9000 }]],
  ['config-too-late', 'for 11 s', [{ open: true }, { pass: 11_000 }]],
  [
    'config-too-late',
    'closed by the server',
    [
      { open: true },
      { pass: 9990 },
      into({ type: 'error', message: 'No config', code: 4001 }),
      { close: 4001 },
      { pass: 1000 },
    ],
  ],
  ['answer-absent', 'to a config', [config(), { pass: 6000 }]],
  ['answer-absent', 'to a ping', [...OPENED, out({ type: 'ping' }), { pass: 6000 }]],
  ['answer-absent', 'to a flush', [...ASKED, { pass: 31_000 }]],
  ['buffer-overflow', '4097 characters', [...OPENED, text('a'.repeat(4097))]],
  [
    'rate-near',
    '101 within a minute',
    [...BINARY, ...Array.from({ length: 101 }, () => [text(), flush, bytes(), done()]).flat()],
  ],
  ['unknown-field', 'a setting with a wrong name', [config({ voice_id: 1 })]],
  ['language-unknown', 'an ISO code', [config({ language: 'en' })]],
  ['voice-twice', 'both', [config({ voice_clone_prompt: 'AAAA' })]],
  ['flush-nothing', 'before any text', [...OPENED, flush]],
  ['text-empty', 'no characters', [...OPENED, text('')]],
  ['language-missing', 'a config without it', [config({ language: undefined })]],
  ['base64-audio', 'without binary mode', [...OPENED, text(), flush, audio()]],
  ['flush-mid-sentence', 'and on it goes', [...OPENED, text('Hello my'), flush, text('dear friend.')]],
  [
    'tiny-turns',
    'word by word',
    [...OPENED, ...['One ', 'Two ', 'Three ', 'Four '].flatMap((token) => [text(token), flush])],
  ],
];

describe('murmr', () => {
  it.each(RECORDINGS)('%s: %s', (rule, _, steps) => {
    const findings = lintOn(murmr, steps);
    expect(findings.filter(({ id }) => id === rule)).toHaveLength(1);
    expect(
      findings
        .filter(({ id, severity }) => severity === 'violation' && id !== rule)
        .map(({ message }) => message),
    ).toEqual([]);
  });

  it('has a recording for every rule', () => {
    const covered = new Set(RECORDINGS.map(([id]) => id));
    expect(Object.keys(MURMR_RULES).filter((id) => !covered.has(id as MurmrRuleId))).toEqual([]);
  });

  it('never repeats a key', () => {
    const secret = 'murmr_sk_live_canary';
    const findings = lintOn(murmr, [
      { open: true },
      config({ api_key: secret, apikey: secret }),
      config({ api_key: `${secret}2` }),
    ]);
    expect(findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(findings)).not.toContain(secret);
  });

  it.each([
    [4002, 4002, false],
    [4002, 1006, false],
    [4004, 1006, true],
  ])('after error %i and close %i, finds a turn cut off: %s', (code, close, isCutOff) => {
    const more = text('More.');
    const refusal = into({ type: 'error', code, message: 'No.' });
    const ids = lintOn(murmr, [...ASKED, bytes(), more, refusal, { close }]).map(({ id }) => id);
    expect(ids.includes('turn-cut-off')).toBe(isCutOff);
  });

  it("finds nothing in the session of the vendor's page", () => {
    const findings = lintOn(murmr, [...ASKED, bytes(), bytes(), done({ total_chunks: 2, duration_ms: 200 })]);
    expect(findings).toEqual([]);
  });

  it('accepts the generations of a server that cuts by frame or by character', () => {
    const long = 'This is a first sentence of some length, with a clause. And this is another one. ';
    for (const generations of [1, 2, 3, 4]) {
      const spoken = Array.from({ length: generations }, () => [bytes(), done()]).flat();
      expect(lintOn(murmr, [...BINARY, text(long), flush, ...spoken])).toEqual([]);
    }
  });
});
