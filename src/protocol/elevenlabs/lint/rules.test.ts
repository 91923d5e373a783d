import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../core/endpoint.ts';
import { into, lintOn, out, type Step } from '../../lint/recordings.test-helper.ts';
import { elevenLabsMulti, elevenLabsStream } from '../endpoints.ts';
import { ELEVENLABS_RULES, type ElevenLabsRuleId } from './rules.ts';

/** For each rule the smallest recordings that break it: the rule is found there, and no other violation is. */

const BASE = 'wss://api.elevenlabs.io/v1/text-to-speech/EXAVITQu4vr4xnSDxMaL';
const FORMAT = 'output_format=pcm_24000';
const single = (query = ''): Step => ({ open: true, address: `${BASE}/stream-input?${FORMAT}${query}` });
const multi = (query = ''): Step => ({ open: true, address: `${BASE}/multi-stream-input?${FORMAT}${query}` });
const bare = (query: string): Step => ({ open: true, address: `${BASE}/stream-input?${query}` });

const VOICE = { voice_settings: { stability: 0.5, similarity_boost: 0.8 } };
const first = (more: object = {}) => out({ text: ' ', ...VOICE, xi_api_key: '[key]', ...more });
const text = (words = 'Hello there. ', more: object = {}) => out({ text: words, ...more });
const flush = out({ text: '', flush: true });
const end = out({ text: '' });
/** Of a context. */
const inA = (fields: object, ms = 10) => out({ ...fields, context_id: 'a' }, ms);
const flushA = inA({ flush: true });
const closeA = inA({ close_context: true });

/** Half a second in the words `Hi. `. */
const MS = 500;
const pcm = (bytes: number) => btoa('\0'.repeat(bytes));
const ALIGNMENT = {
  chars: ['H', 'i', '.', ' '],
  charStartTimesMs: [0, 100, 200, 300],
  charDurationsMs: [100, 100, 100, MS - 300],
};
const audio = (more: object = {}, ms = 10) =>
  into(
    {
      audio: pcm(MS * 48),
      isFinal: null,
      normalizedAlignment: ALIGNMENT,
      alignment: ALIGNMENT,
      ...more,
    },
    ms,
  );
const final = (more: object = {}) =>
  into({ audio: null, isFinal: true, normalizedAlignment: null, alignment: null, ...more });
const error = (name: string, message = 'No.', more: object = {}) =>
  into({ message, error: name, code: 1008, ...more });
const ofA = { contextId: 'a' };
const aligned = (more: object) => ({ alignment: { ...ALIGNMENT, ...more } });

const OPEN: Step[] = [single(), first()];
const SPOKEN: Step[] = [...OPEN, text(), end];
const MULTI: Step[] = [multi(), inA({ text: ' ', ...VOICE, xi_api_key: '[key]' })];
const MULTI_TEXT: Step[] = [...MULTI, inA({ text: 'Hello there. ' })];
const MULTI_SPOKEN: Step[] = [...MULTI_TEXT, flushA, closeA];
const wordsOf = (line: string) => line.split(' ').map((word) => text(word));
/** The number of contexts that are spoken. */
const contexts = (count: number, more: object = {}, ms = 10) =>
  Array.from({ length: count }, (_, at) => out({ text: 'Hi. ', context_id: `c${at}`, ...more }, ms));

const ON_STREAM: [ElevenLabsRuleId, string, Step[]][] = [
  ['not-json', 'text of the server that is no JSON', [...OPEN, into('hello')]],
  ['message-too-big', 'over 1 MiB', [...OPEN, text('a'.repeat(1024 * 1024))]],
  ['new-field', 'a field of a later version', [...SPOKEN, audio({ mood: 'good' })]],
  ['lone-surrogate', 'an emoji cut in two', [...OPEN, out('{"text":"Hi \\ud83d"}')]],
  ['language-script', 'Arabic in English', [single('&language_code=en'), first(), text('مرحبا ')]],
  ['binary-message', 'audio as bytes', [...SPOKEN, into(new Uint8Array(4))]],
  ['binary-message', 'bytes of the client', [single(), out(new Uint8Array(4))]],
  ['server-shape', 'audio that is a number', [...SPOKEN, into({ audio: 1, isFinal: null })]],
  ['client-shape', 'text that is a number', [...OPEN, out({ text: 1 })]],
  ['keys-missing', 'is_final', [...SPOKEN, audio(), into({ audio: null, is_final: true })]],
  ['keys-missing', 'no alignment', [...SPOKEN, audio({ alignment: undefined })]],
  ['unknown-kind', 'another marker', [...SPOKEN, into({ type: 'flush_done' })]],
  ['first-without-text', 'settings alone', [single(), out(VOICE)]],
  ['text-after-end', 'empty text as a keep-alive', [...OPEN, end, text()]],
  ['speech-unasked', 'before any text', [...OPEN, audio()]],
  ['audio-after-final', 'more of it', [...SPOKEN, audio(), final(), audio()]],
  ['final-twice', 'another', [...SPOKEN, audio(), final(), final()]],
  ['final-unasked', 'after a flush', [...OPEN, text(), flush, audio(), final()]],
  ['error-without-close', 'for 6 s', [...OPEN, error('invalid_api_key'), { pass: 6000 }]],
  ['close-behind-end', 'without waiting', [...SPOKEN, { close: 1006 }]],
  ['turn-cut-off', 'while speaking', [...SPOKEN, audio(), { close: 1005 }]],
  ['audio-base64', 'other letters', [...SPOKEN, audio({ audio: '****' })]],
  ['alignment-shape', 'lists of two lengths', [...SPOKEN, audio(aligned({ charDurationsMs: [1] }))]],
  ['alignment-shape', 'a time before 0', [...SPOKEN, audio(aligned({ charStartTimesMs: [-1, 0, 1, 2] }))]],
  ['alignment-backwards', 'one', [...SPOKEN, audio(aligned({ charStartTimesMs: [0, 200, 100, 300] }))]],
  [
    'alignment-again',
    'of the same text, while the spoken one goes on',
    [...SPOKEN, audio(), audio({ normalizedAlignment: { ...ALIGNMENT, chars: ['Y', 'o', '.', ' '] } })],
  ],
  ['alignment-audio', 'half of the audio', [...SPOKEN, audio({ audio: pcm(MS * 24) }), final()]],
  [
    'alignment-audio',
    'times that go on over segments',
    [
      ...SPOKEN,
      audio(),
      audio({ normalizedAlignment: { ...ALIGNMENT, charStartTimesMs: [500, 600, 700, 800] } }),
      final(),
    ],
  ],
  ['final-without-audio', 'for text', [...SPOKEN, final()]],
  ['idle-too-long', 'before any message', [single(), { pass: 22_000 }]],
  ['idle-too-long', 'after text', [...OPEN, text(), { pass: 22_000 }]],
  [
    'idle-too-long',
    'by the server, then the close',
    [...OPEN, { pass: 19_900 }, error('input_timeout_exceeded', 'Have not'), { close: 1008 }],
  ],
  ['answer-absent', 'to an end', [...SPOKEN, { pass: 31_000 }]],
  [
    'answer-absent',
    'to a flush',
    [single('&inactivity_timeout=180'), first(), text(), flush, { pass: 31_000 }],
  ],
  [
    'out-of-range',
    'a schedule of 10',
    [single(), first({ generation_config: { chunk_length_schedule: [10] } })],
  ],
  ['out-of-range', 'a speed of 2', [single(), first({ voice_settings: { speed: 2 } })]],
  ['out-of-range', 'a time-out of 300 s', [single('&inactivity_timeout=300')]],
  ['model-refused', 'v3', [single('&model_id=eleven_v3')]],
  ['unknown-parameter', 'the schedule', [single('&chunk_length_schedule=[50]')]],
  ['unknown-field', 'the model in the first message', [single(), first({ model_id: 'eleven_flash_v2_5' })]],
  ['unknown-field', 'a misspelled setting', [single(), first({ voice_settings: { similarity: 1 } })]],
  [
    'key-missing',
    'refused for it',
    [single(), first({ xi_api_key: undefined }), error('authentication_required'), { close: 1008 }],
  ],
  ['settings-changed', 'another stability', [...OPEN, text('Hi. ', { voice_settings: { stability: 0.1 } })]],
  ['settings-changed', 'none at first', [single(), out({ text: ' ' }), text('Hi. ', VOICE)]],
  ['words-glued', 'sentences', [...OPEN, text('Hello there.'), text('How are you?')]],
  [
    'words-glued',
    'words',
    [...OPEN, ...wordsOf('the quick brown fox jumps over the lazy dog and then all of the others follow it')],
  ],
  ['auto-mode-fragment', 'pieces of a word', [single('&auto_mode=true'), first(), text('Hel'), text('lo')]],
  [
    'auto-mode-fragment',
    'words',
    [single('&auto_mode=true'), first(), ...['Hello ', 'my ', 'dear '].map((word) => text(word))],
  ],
  ['format-missing', 'no format', [bare('model_id=eleven_flash_v2_5')]],
  [
    'auto-mode-schedule',
    'both',
    [single('&auto_mode=true'), first({ generation_config: { chunk_length_schedule: [50] } })],
  ],
  ['end-missing', 'for 11 s', [...OPEN, text(), flush, audio(), { pass: 11_000 }]],
];

const ON_MULTI: [ElevenLabsRuleId, string, Step[]][] = [
  [
    'connection-per-turn',
    'one turn on each of two connections',
    [
      ...MULTI_SPOKEN,
      audio(ofA),
      final(ofA),
      { close: 1000 },
      ...MULTI_TEXT.map((step) => ({ ...step, on: 2 })),
    ],
  ],
  ['text-after-end', 'text for a closing context', [...MULTI_SPOKEN, inA({ text: 'More. ' })]],
  ['speech-unasked', 'another context', [...MULTI_SPOKEN, audio({ contextId: 'b' })]],
  ['speech-unasked', 'no contextId', [...MULTI_SPOKEN, audio()]],
  ['audio-after-final', 'of a context', [...MULTI_SPOKEN, audio(ofA), final(ofA), audio(ofA)]],
  ['final-twice', 'of a context', [...MULTI_SPOKEN, audio(ofA), final(ofA), final(ofA)]],
  ['final-unasked', 'after a flush', [...MULTI_TEXT, flushA, audio(ofA), final(ofA)]],
  ['final-without-audio', 'at once', [...MULTI_TEXT, flushA, final(ofA)]],
  [
    'idle-too-long',
    'of one context',
    [...MULTI, error('input_timeout_exceeded', 'Have not', ofA), { pass: 6000 }],
  ],
  [
    'answer-absent',
    'to a close',
    [multi('&inactivity_timeout=180'), inA({ text: 'Hi. ' }), closeA, { pass: 31_000 }],
  ],
  ['too-many-contexts', 'six', [multi(), ...contexts(6)]],
  [
    'too-many-contexts',
    'while one was closing',
    [
      multi(),
      ...contexts(5),
      out({ close_context: true, context_id: 'c0' }),
      inA({ text: 'Hi. ' }),
      error('max_active_conversations'),
      { close: 1008 },
    ],
  ],
  [
    'contexts-unclosed',
    'four of five',
    [
      multi(),
      ...contexts(4).flatMap((step, at) => [step, audio({ contextId: `c${at}` })]),
      inA({ text: 'Hi. ' }),
    ],
  ],
  ['settings-changed', 'of one context', [...MULTI, inA({ text: 'Hi. ', voice_settings: { speed: 1.1 } })]],
  ['keep-alive-first', 'empty text', [multi(), inA({ text: '' })]],
  ['flush-unknown', 'no text before', [multi(), flushA]],
  ['flush-unknown', 'after its final', [...MULTI_SPOKEN, audio(ofA), final(ofA), flushA]],
  ['end-missing', 'a space', [...MULTI_TEXT, inA({ text: ' ' }), { pass: 11_000 }]],
  ['end-missing', 'empty text', [...MULTI_TEXT, inA({ text: '' }), { pass: 11_000 }]],
  ['close-drops-text', 'right behind text', [...MULTI_TEXT, closeA]],
];

const RECORDINGS = [
  ...ON_STREAM.map((one) => [elevenLabsStream, ...one] as const),
  ...ON_MULTI.map((one) => [elevenLabsMulti, ...one] as const),
].map(([endpoint, rule, what, steps]) => [rule, `${what}, ${endpoint.id}`, endpoint, steps] as const);

/** A finding is shown as its rule and its message. */
const foundOn = (endpoint: Endpoint, steps: readonly Step[]): string[] =>
  lintOn(endpoint, steps).map(({ id, message }) => `${id} ${message}`);

describe('elevenlabs', () => {
  it.each(RECORDINGS)('%s: %s', (rule, _, endpoint, steps) => {
    const findings = lintOn(endpoint, steps);
    expect(findings.filter(({ id }) => id === rule)).toHaveLength(1);
    expect(
      findings
        .filter(({ id, severity }) => severity === 'violation' && id !== rule)
        .map(({ message }) => message),
    ).toEqual([]);
  });

  it('has a recording for every rule', () => {
    const covered = new Set<string>(RECORDINGS.map(([id]) => id));
    expect(Object.keys(ELEVENLABS_RULES).filter((id) => !covered.has(id))).toEqual([]);
  });

  it.each([1008, 1006])('finds no turn cut off by a refusal that closes with %s', (close) => {
    const steps: Step[] = [...SPOKEN, audio(), error('quota_exceeded'), { close }];
    const ids = lintOn(elevenLabsStream, steps).map(({ id }) => id);
    expect(ids).not.toContain('turn-cut-off');
    expect(ids).not.toContain('close-behind-end');
  });

  it('never repeats a key', () => {
    const secret = 'sk_live_canary';
    const findings = lintOn(elevenLabsStream, [
      single(`&key=${secret}`),
      first({ xi_api_key: secret, apikey: secret, voice_settings: { api_key: secret } }),
      error('invalid_api_key'),
      text('Hi. ', { xi_api_key: `${secret}2`, VOICE }),
    ]);
    expect(findings.length).toBeGreaterThan(2);
    expect(JSON.stringify(findings)).not.toContain(secret);
  });

  it('applies no rule of settings to a connection of unknown address', () => {
    const steps = [out({ text: ' ' }), text('Hel'), text('lo'), { pass: 200_000 }];
    expect(foundOn(elevenLabsStream, steps)).toEqual([]);
  });
});
