import { describe, expect, it } from 'vitest';
import { into, lintOn, out, type Step } from '../../lint/recordings.test-helper.ts';
import { openLinter } from '../../rules.ts';
import { kugelEndpoints, kugelStream } from '../endpoints.ts';
import { KUGEL_RULES, type KugelRuleId } from './rules.ts';

const { 'kugel-multi': kugelMulti, 'kugel-tts': kugelTts } = kugelEndpoints;

/** For each rule the smallest recordings that break it: the rule is found there, and no other violation is. */

const RATE = 24_000;
/** 0.1 s of silence. */
const SAMPLES = RATE / 10;
const silence = (bytes: number): string => btoa('\0'.repeat(bytes));

const CONFIG = { voice_id: 1071, language: 'en' };
const config = out(CONFIG);
const cancel = out({ cancel: true });
const closeSocket = out({ close_socket: true });
const text = (words = 'Hello there.') => out({ text: words });
const flush = out({ flush: true });

const interrupted = into({ interrupted: true });
const warning = into({ warning: 'Ended.' });

/** Frames of the server. `more` overrides their fields. */
const started = (chunk = 0, more: object = {}) =>
  into({ generation_started: true, chunk_id: chunk, text: 'Hello there.', ...more });
const audio = (idx = 0, more: object = {}) =>
  into({
    audio: silence(SAMPLES * 2),
    enc: 'pcm_s16le',
    idx,
    sr: RATE,
    samples: SAMPLES,
    chunk_id: 0,
    ...more,
  });
const complete = (more: object = {}) =>
  into({ chunk_complete: true, chunk_id: 0, audio_seconds: 0.1, gen_ms: 5, ...more });
const word = (from: number, to: number, more: object = {}) => ({
  word: 'Hello',
  start_ms: from,
  end_ms: to,
  char_start: 0,
  char_end: 5,
  score: 1,
  ...more,
});
const words = (...list: object[]) => into({ word_timestamps: list, chunk_id: 0 });
const TOTALS = { total_audio_seconds: 0.1, total_text_chunks: 1, total_audio_chunks: 1 };
const UNCHARGED = { audio_seconds: 0, characters: 0, cost_cents: 0 };
const NOTHING = { total_audio_seconds: 0, total_text_chunks: 0, total_audio_chunks: 0 };
const final = (more: object = {}) => into({ final: true, ...TOTALS, ...more });
const USAGE = {
  audio_seconds: 0.1,
  characters: 12,
  cost_cents: 0.01,
  currency: 'eur',
  model_id: 'kugel-3',
};
const closed = (usage: object = {}, more: object = {}) =>
  into({ session_closed: true, ...TOTALS, usage: { ...USAGE, ...usage }, ...more });
const REFUSED = into({ error: 'Voice not found', error_code: 'NOT_FOUND', code: 404 });
const NOBODY = out({ voice_id: 'nobody' });
const FORBIDDEN = into({ error: 'Forbidden: project 2', error_code: 'UNAUTHORIZED', code: 403 });
const UNKNOWN = into({ error: 'Unknown dictionary', error_code: 'VALIDATION_ERROR', code: 400 });
const DICTIONARIES = { dictionary_ids: [3] };
const CHUNK = [started(), audio(), complete()];
const TURN = [text(), flush, ...CHUNK, final(), closed()];
const SPOKEN = [config, text(), flush, ...CHUNK];
/** A turn up to the start of its chunk, and up to its one audio frame. */
const BEGUN = SPOKEN.slice(0, 4);
const HEARD = SPOKEN.slice(0, 5);
/** The offsets of a second word. */
const SECOND = { char_start: 6, char_end: 11 };
const WORDY = [out({ ...CONFIG, word_timestamps: true }), text(), flush, started(), audio()];
/** A turn of ten seconds, so that its price can be told. */
const longTurn = (cost: number) => [
  text(),
  flush,
  started(),
  audio(0, { audio: silence(SAMPLES * 200), samples: SAMPLES * 100 }),
  complete({ audio_seconds: 10 }),
  final({ total_audio_seconds: 10 }),
  closed({ audio_seconds: 10, cost_cents: cost }, { total_audio_seconds: 10 }),
];

const STREAM: [KugelRuleId, string, Step[]][] = [
  ['not-json', 'text of the server that is no JSON', [into('hello')]],
  ['not-json', 'a list of the client', [out('[1]')]],
  ['not-json', 'JSON of more than 32 levels', [out(`{"text":${'['.repeat(32)}${']'.repeat(32)}}`)]],
  ['message-too-big', 'over 1 MiB', [out({ text: 'a'.repeat(1024 * 1024) })]],
  ['lone-surrogate', 'an emoji cut in two', [config, out('{"text":"Hi \\ud83d"}')]],
  ['language-script', 'Arabic in English', [config, out({ text: 'مرحبا' })]],
  [
    'connection-per-turn',
    'one turn on each of two connections',
    [config, ...TURN, { close: 1000 }, ...[config, text()].map((step) => ({ ...step, on: 2 }))],
  ],
  ['binary-message', 'bytes of the server', [into(new Uint8Array(4))]],
  ['binary-message', 'bytes of the client', [out(new Uint8Array(4))]],
  ['server-shape', 'audio without samples', [...BEGUN, audio(0, { samples: undefined })]],
  ['server-shape', 'final that is not true', [...SPOKEN, final({ final: 1 })]],
  ['client-shape', 'speed out of its range', [out({ ...CONFIG, speed: 3 })]],
  ['client-shape', 'rate against format', [out({ output_format: 'ulaw_8000', sample_rate: 16_000 })]],
  ['client-shape', 'dictionaries without their project', [out({ ...CONFIG, ...DICTIONARIES })]],
  ['client-shape', 'a key that no update may carry', [out({ update_settings: { voice_id: 1 } })]],
  ['several-kinds', 'final and session_closed in one', [...SPOKEN, final(), closed({}, { final: true })]],
  ['unknown-kind', 'no marker', [into({ hello: true })]],
  ['unknown-kind', 'a frame of the other endpoint', [into({ context_created: true, context_id: 'a' })]],
  ['new-field', 'a field of a later version', [...SPOKEN, final({ mood: 'good' }), closed()]],
  ['error-incomplete', 'no error_code', [into({ error: 'No.', code: 400 })]],
  ['error-number', '400 for a key', [into({ error: 'No.', error_code: 'UNAUTHORIZED', code: 400 })]],

  ['no-turn', 'audio before any text', [config, audio()]],
  ['after-session-closed', 'audio after the end of its turn', [config, ...TURN, audio(1)]],
  ['after-session-closed', 'final after session_closed', [config, ...TURN, final()]],
  [
    'after-interrupted',
    'audio of the abandoned turn',
    [config, text(), started(), cancel, interrupted, audio()],
  ],
  ['after-interrupted', 'final of the abandoned turn', [...SPOKEN, cancel, interrupted, final()]],
  ['after-final', 'audio after final', [...SPOKEN, final(), audio(1)]],
  ['final-missing', 'session_closed alone', [...SPOKEN, closed()]],
  ['final-twice', 'final again', [...SPOKEN, final(), final()]],
  ['final-unasked', 'the turn is open', [config, text(), ...CHUNK, final(), closed(), { pass: 3000 }]],
  ['generation-started-missing', 'audio first', [config, text(), flush, audio()]],
  ['chunk-order', 'chunk 2 after chunk 0', [...SPOKEN, started(2)]],
  ['chunk-order', 'chunk 0 again', [...SPOKEN, started(0)]],
  ['chunk-overlap', 'chunk 1 begins in chunk 0', [...HEARD, started(1)]],
  ['chunk-complete-early', 'before its audio', [...BEGUN, complete(), audio()]],
  ['audio-after-chunk-complete', 'one more frame', [...SPOKEN, audio(1)]],
  ['chunk-complete-twice', 'again', [...SPOKEN, complete()]],
  ['chunk-complete-missing', 'never', [...HEARD, final()]],
  ['interrupted-unasked', 'nobody cancelled', [config, interrupted]],
  ['settings-updated-unasked', 'nobody updated', [config, into({ settings_updated: true, settings: {} })]],
  ['warning-unasked', 'no turn is open', [config, into({ warning: 'Turn ended.' })]],
  [
    'close-code',
    '4003 for a key',
    [into({ error: 'No.', error_code: 'UNAUTHORIZED', code: 401 }), { close: 4003 }],
  ],
  ['close-unexplained', '4001 without an error', [{ open: true }, { close: 4001 }]],
  ['turn-cut-off', 'closed in mid-turn', [...SPOKEN, { close: 1006 }]],

  ['idx-gap', 'frame 1 missing', [...HEARD, audio(2)]],
  ['idx-gap', 'the first one missing', [...BEGUN, audio(1)]],
  ['idx-repeat', 'frame 0 again', [...HEARD, audio(0)]],
  ['samples-bytes', 'one sample more than bytes', [...BEGUN, audio(0, { samples: SAMPLES + 1 })]],
  ['samples-bytes', 'an odd byte', [...BEGUN, audio(0, { audio: silence(SAMPLES * 2 + 1) })]],
  ['audio-base64', 'other letters', [...BEGUN, audio(0, { audio: '*'.repeat(400) })]],
  ['wrong-codec', 'mu-law for PCM', [...BEGUN, audio(0, { enc: 'mulaw', audio: silence(SAMPLES) })]],
  ['wrong-rate', '22,050 for 24,000', [...BEGUN, audio(0, { sr: 22_050 })]],
  [
    'wrong-rate',
    'the rate of the turn before',
    [config, ...TURN, out({ sample_rate: 8000 }), text(), flush, started(), audio()],
  ],

  ['words-unasked', 'not switched on', [...SPOKEN, words(word(0, 50))]],
  ['words-missing', 'a chunk has none', [...WORDY, complete(), final(), closed()]],
  ['word-ends-early', 'end before start', [...WORDY, words(word(50, 20))]],
  ['words-backwards', 'starts before the one before', [...WORDY, words(word(50, 60), word(10, 20, SECOND))]],
  ['words-backwards', 'over two frames', [...WORDY, words(word(50, 60)), words(word(10, 20, SECOND))]],
  ['words-overlap', 'starts within the one before', [...WORDY, words(word(0, 50), word(40, 60, SECOND))]],
  ['words-beyond-chunk', 'known when they come', [...WORDY, complete(), words(word(50, 200))]],
  ['words-beyond-chunk', 'known when the chunk is complete', [...WORDY, words(word(50, 200)), complete()]],
  ['word-offsets', 'outside of the text', [...WORDY, words(word(0, 50, { char_end: 99 }))]],
  ['word-offsets-backwards', 'back in the text', [...WORDY, words(word(0, 50, SECOND), word(50, 60))]],

  ['chunk-seconds', 'longer than its audio', [...HEARD, complete({ audio_seconds: 0.3 })]],
  ['total-seconds', 'longer than its audio', [...SPOKEN, final({ total_audio_seconds: 1.5 })]],
  ['total-chunks', 'two for one', [...SPOKEN, final({ total_text_chunks: 2 })]],
  ['total-audio-frames', 'two for one', [...SPOKEN, final({ total_audio_chunks: 2 })]],
  ['totals-differ', 'one frame more', [...SPOKEN, final(), closed({}, { total_audio_chunks: 2 })]],
  ['usage-missing', 'no usage', [...SPOKEN, final(), into({ session_closed: true, ...TOTALS })]],
  [
    'usage-seconds',
    'more than was spoken',
    [...SPOKEN, final(), closed({ audio_seconds: 9, cost_cents: 0.81 })],
  ],
  ['usage-characters', 'more than were sent', [...SPOKEN, final(), closed({ characters: 142 })]],
  ['usage-model', 'another one', [...SPOKEN, final(), closed({ model_id: 'kugel-2' })]],
  ['cost-unexplained', 'null alone', [...SPOKEN, final(), closed({ cost_cents: null })]],
  ['cost-unexplained', 'told and not to be told', [...SPOKEN, final(), closed({ cost_unavailable: true })]],
  ['cost-silent-zero', 'ten seconds for nothing', [config, ...longTurn(0)]],
  ['currency-missing', 'a bare number', [...SPOKEN, final(), closed({ currency: undefined })]],
  ['price-varies', 'twice as much', [config, ...longTurn(0.9), ...longTurn(1.8)]],
  ['price-unlisted', 'ten times as much', [config, ...longTurn(9)]],

  ['idle-turn-soon', 'text and no flush', [config, text(), { pass: 4500 }]],
  ['idle-turn-ended', 'the warning', [config, text(), { pass: 5000 }, warning]],
  ['idle-end-early', 'after 3 s', [config, text(), { pass: 3000 }, warning]],
  ['idle-end-absent', 'nothing happens', [config, text(), { pass: 9000 }]],
  ['answer-absent', 'a flush', [config, text(), flush, { pass: 31_000 }]],
  ['answer-absent', 'a cancel', [config, text(), cancel, { pass: 6000 }]],
  ['answer-absent', 'an update', [out({ update_settings: { speed: 1 } }), { pass: 16_000 }]],
  ['cancel-slow', 'after 2 s', [config, text(), cancel, { pass: 2000 }, interrupted]],

  ['text-too-long', '10,001 characters', [out({ ...CONFIG, text: 'a'.repeat(10_001) })]],
  ['unknown-field', 'a setting with a wrong name', [out({ ...CONFIG, voice: 1071 })]],
  ['voice-missing', 'text before config', [text()]],
  ['after-close-socket', 'text', [...SPOKEN, closeSocket, text()]],
  ['flush-nothing', 'before any text', [config, flush]],
  ['cancel-nothing', 'before any text', [config, cancel]],
  ['clamped', 'cfg_scale of 9', [out({ ...CONFIG, cfg_scale: 9 })]],
  ['config-mid-turn', 'another speed', [config, text(), out({ speed: 1.1 })]],
  ['language-missing', 'a turn without it', [out({ voice_id: 1071 }), text()]],
  ['flush-mid-sentence', 'and on it goes', [config, text('Hello my'), flush, text('dear friend.')]],
  [
    'tiny-turns',
    'word by word',
    [config, ...['One ', 'Two ', 'Three ', 'Four '].flatMap((token) => [text(token), flush])],
  ],
  [
    'auto-mode-flush',
    'after each sentence',
    [
      out({ ...CONFIG, auto_mode: true }),
      text('This is one whole sentence.'),
      flush,
      text('This is another.'),
    ],
  ],
  ['auto-mode-schedule', 'both', [out({ ...CONFIG, auto_mode: true, chunk_length_schedule: [50] })]],
  ['slow-start', 'after 500 characters', [out({ ...CONFIG, chunk_length_schedule: [500] })]],
];

const VOICE = { voice_settings: { voice_id: 1071 } };
const create = (id = 'a', more: object = {}) =>
  out({ text: ' ', context_id: id, language: 'en', ...VOICE, ...more });
const created = (id = 'a') => into({ context_created: true, context_id: id });
const say = (id = 'a') => out({ text: 'Hello there.', context_id: id });
const flushOf = (id = 'a') => out({ flush: true, context_id: id });
const of = (step: Step, id = 'a'): Step =>
  'in' in step ? { ...step, in: { ...(step.in as object), context_id: id } } : step;
const finalOf = (id = 'a') => into({ final: true, context_id: id });
const { characters: _, ...BILL } = USAGE;
const contextClosed = (usage: object | undefined = BILL, id = 'a') =>
  into({ context_closed: true, context_id: id, usage });
const sessionClosed = (seconds: number) => into({ session_closed: true, total_audio_seconds: seconds });
const contextEnded = into({ context_closed: true, context_id: 'a' });
const close = (more: object = {}) => out({ close_context: true, context_id: 'a', ...more });
const cancelOf = out({ cancel: true, context_id: 'a' });
const OPENED = [create(), created()];
const SPOKEN_CHUNK = CHUNK.map((step) => of(step));
const SAID = [...OPENED, say(), flushOf(), ...SPOKEN_CHUNK];
/** A context that spoke, up to its end. */
const ENDED = [...SAID, finalOf(), close(), finalOf()];

/** Another context that speaks. */
const SPEAKING_B = [
  ...[create('b'), created('b'), say('b'), flushOf('b')],
  ...[started(), audio(0)].map((step) => of(step, 'b')),
];

const MULTI: [KugelRuleId, string, Step[]][] = [
  ['server-shape', 'audio without a context', [...OPENED, say(), flushOf(), audio()]],
  ['client-shape', 'dictionaries without their project', [out(DICTIONARIES)]],
  ['client-shape', 'text without a context', [out({ text: 'Hello there.' })]],
  ['context-created-missing', 'speech comes first', [create(), say(), of(started())]],
  ['context-created-twice', 'again', [...OPENED, created()]],
  ['context-never-asked', 'of another client', [created('x')]],
  ['after-context-closed', 'audio', [...ENDED, contextClosed(), of(audio(1))]],
  [
    'after-context-closed',
    'context_closed again',
    [...OPENED, close(), finalOf(), contextClosed(undefined), contextClosed(undefined)],
  ],
  [
    'after-context-closed',
    'final after session_closed',
    [...OPENED, closeSocket, finalOf(), contextEnded, sessionClosed(0), finalOf()],
  ],
  ['session-closed-early', 'a context lives', [...OPENED, into({ session_closed: true })]],
  ['final-missing', 'a graceful close', [...SAID, finalOf(), say(), close(), contextClosed()]],
  ['final-after-immediate', 'a barge-in', [...OPENED, say(), close({ immediate: true }), finalOf()]],
  ['final-unasked', 'the turn is open', [...OPENED, say(), finalOf(), { pass: 3000 }]],
  ['after-final', 'audio after final', [...SAID, finalOf(), of(audio(1))]],
  ['idx-gap', 'in one of two contexts', [...SAID, ...SPEAKING_B, of(audio(2), 'b')]],
  [
    'wrong-codec',
    'mu-law was asked for',
    [create('a', { output_format: 'ulaw_8000' }), created(), say(), flushOf(), of(started()), of(audio())],
  ],
  [
    'interrupted-unasked',
    'of another context',
    [...OPENED, cancelOf, into({ interrupted: true, context_id: 'b' })],
  ],
  [
    'session-seconds',
    'more than its contexts',
    [...ENDED, contextClosed(), into({ session_closed: true, total_audio_seconds: 5.4 })],
  ],
  ['usage-missing', 'it spoke', [...ENDED, contextEnded]],
  ['usage-unearned', 'it never spoke', [...OPENED, close(), finalOf(), contextClosed()]],
  [
    'usage-seconds',
    'more than was spoken',
    [...ENDED, contextClosed({ ...BILL, audio_seconds: 7, cost_cents: 0.63 })],
  ],
  ['context-idle-soon', 'for 16 s', [...OPENED, { pass: 16_000 }]],
  ['context-idle-ended', 'after 20 s', [...OPENED, { pass: 20_000 }, contextEnded]],
  ['context-idle-absent', 'for 30 s', [...OPENED, { pass: 30_000 }]],
  ['answer-absent', 'to a new context', [create(), { pass: 31_000 }]],
  ['answer-absent', 'to a close', [...OPENED, close(), { pass: 31_000 }]],
  [
    'too-many-contexts',
    'the 21st',
    [
      ...Array.from({ length: 20 }, (_, place) => [create(`c${place}`), created(`c${place}`)]).flat(),
      create('one more'),
    ],
  ],
  ['unknown-field', 'in voice_settings', [create('a', { voice_settings: { voice_id: 1071, mood: 'good' } })]],
  [
    'nested-delivery',
    'speed in voice_settings',
    [create('a', { voice_settings: { voice_id: 1071, speed: 1.1 } })],
  ],
  [
    'voice-missing',
    'a voice at the top level',
    [out({ text: 'Hello there.', context_id: 'a', voice_id: 1071, language: 'en' })],
  ],
  ['context-unknown', 'flush of nothing', [flushOf('x')]],
  ['text-while-closing', 'after a close', [...OPENED, say(), close(), say()]],
  [
    'format-set-once',
    'another one',
    [create('a', { output_format: 'ulaw_8000' }), create('b', { output_format: 'pcm_16000' })],
  ],
  ['after-close-socket', 'another context', [...OPENED, closeSocket, create('b')]],
  ['flush-nothing', 'before any text', [...OPENED, flushOf()]],
  ['cancel-nothing', 'before any text', [...OPENED, cancelOf]],
  [
    'keep-alive-late',
    'after its end',
    [...OPENED, close(), finalOf(), contextEnded, out({ text: '', context_id: 'a' })],
  ],
  [
    'language-missing',
    'a turn without it',
    [out({ text: ' ', context_id: 'a', ...VOICE }), created(), say()],
  ],
];

const request = (more: object = {}) => out({ ...CONFIG, text: 'Hello there.', ...more });
const LENGTH = { chunks: 1, total_samples: SAMPLES, dur_ms: 100, gen_ms: 5, rtf: 0.05 };
const onlyFinal = (more: object = {}, usage: object = {}) =>
  into({ final: true, ...LENGTH, usage: { ...USAGE, ...usage }, ...more });
/** A request up to its one audio frame. */
const ANSWERED = [request(), audio()];

const MISCOUNTED = [...ANSWERED, onlyFinal({}, { characters: 99 })];

const TTS: [KugelRuleId, string, Step[]][] = [
  ['client-shape', 'no text', [out(CONFIG)]],
  ['client-shape', 'speed out of its range', [request({ speed: 3 })]],
  ['client-shape', 'dictionaries without their project', [request(DICTIONARIES)]],
  ['usage-characters', 'others, after a refused request', [request(), REFUSED, ...MISCOUNTED]],
  ['usage-characters', 'others, after a foreign project', [request(), FORBIDDEN, ...MISCOUNTED]],
  ['voice-missing', 'a voice in an earlier request only', [...ANSWERED, onlyFinal(), out({ text: 'Hi.' })]],
  ['unknown-field', 'a key of another endpoint', [request({ flush: true })]],
  ['language-missing', 'a request without it', [request({ language: undefined })]],
  ['cancel-nothing', 'before any request', [cancel]],
  ['unknown-kind', 'a frame of the streaming endpoints', [...ANSWERED, complete()]],
  ['new-field', 'a field of a later version', [...ANSWERED, onlyFinal({ mood: 'good' })]],
  ['no-turn', 'audio before any request', [audio()]],
  ['after-final', 'audio after the end of its request', [...ANSWERED, onlyFinal(), audio(1)]],
  ['after-final', 'final sent twice', [...ANSWERED, onlyFinal(), onlyFinal()]],
  ['after-interrupted', 'final of the abandoned request', [...ANSWERED, cancel, interrupted, onlyFinal()]],
  ['turn-cut-off', 'no final', [...ANSWERED, { close: 1000 }]],
  ['answer-absent', 'nothing for 31 s', [...ANSWERED, { pass: 31_000 }]],
  ['idx-gap', 'frame 1 is missing', [...ANSWERED, audio(2)]],
  ['chunk-order', 'chunk 2 after chunk 0', [...ANSWERED, audio(1, { chunk_id: 2 })]],
  [
    'audio-after-chunk-complete',
    'chunk 0 after chunk 1',
    [...ANSWERED, audio(1, { chunk_id: 1 }), audio(2, { chunk_id: 0 })],
  ],
  ['wrong-rate', 'another one', [request({ sample_rate: 16_000 }), audio()]],
  ['words-unasked', 'not switched on', [...ANSWERED, words(word(0, 50))]],
  ['words-missing', 'switched on', [request({ word_timestamps: true }), audio(), onlyFinal()]],
  [
    'words-beyond-chunk',
    'longer than all audio',
    [request({ word_timestamps: true }), audio(), words(word(0, 150)), onlyFinal()],
  ],
  ['total-seconds', 'of dur_ms', [...ANSWERED, onlyFinal({ dur_ms: 200 }, { audio_seconds: 0.2 })]],
  ['total-seconds', 'of total_samples', [...ANSWERED, onlyFinal({ total_samples: 1 })]],
  ['total-audio-frames', 'one too many', [...ANSWERED, onlyFinal({ chunks: 2 })]],
  ['usage-missing', 'none in final', [...ANSWERED, onlyFinal({ usage: undefined })]],
  ['usage-seconds', 'others', [...ANSWERED, onlyFinal({}, { audio_seconds: 0.3 })]],
  ['usage-characters', 'others', MISCOUNTED],
  ['usage-model', 'another one', [request({ model_id: 'kugel-2' }), audio(), onlyFinal()]],
  [
    'close-code',
    '4500 for a key',
    [into({ error: 'x', error_code: 'UNAUTHORIZED', code: 401 }), { close: 4500 }],
  ],
];

describe.each([
  { endpoint: kugelTts, recordings: TTS },
  { endpoint: kugelStream, recordings: STREAM },
  { endpoint: kugelMulti, recordings: MULTI },
])('$endpoint.id', ({ endpoint, recordings }) => {
  it.each(recordings)('%s: %s', (rule, _, steps) => {
    const findings = lintOn(endpoint, steps);
    expect(findings.map(({ id }) => id)).toContain(rule);
    expect(
      findings
        .filter(({ id, severity }) => severity === 'violation' && id !== rule)
        .map(({ message }) => message),
    ).toEqual([]);
    // Once, however long it goes on.
    expect(findings.filter(({ id }) => id === rule)).toHaveLength(1);
  });
});

describe('a refusal', () => {
  const credits = into({ error: 'No.', error_code: 'INSUFFICIENT_CREDITS', code: 402 });
  const missing = into({ error: 'No.', error_code: 'NOT_FOUND', code: 404 });

  it.each<[string, Step[], boolean]>([
    ['that closes', [...HEARD, credits, { close: 4003 }], false],
    ['whose close code was lost', [...HEARD, credits, { close: 1006 }], false],
    ['that keeps the connection', [...HEARD, missing, { close: 1006 }], true],
    ['before the turn', [config, credits, ...HEARD.slice(1), { close: 1006 }], true],
  ])('%s', (_, steps, isCutOff) => {
    const ids = lintOn(kugelStream, steps).map(({ id }) => id);
    expect(ids.includes('turn-cut-off')).toBe(isCutOff);
  });
});

describe('the book of rules', () => {
  it('has a recording for every rule', () => {
    const covered = new Set([...STREAM, ...MULTI, ...TTS].map(([id]) => id));
    expect(Object.keys(KUGEL_RULES).filter((id) => !covered.has(id as KugelRuleId))).toEqual([]);
  });

  it('names the title and the reason of each rule', () => {
    for (const rule of openLinter(kugelStream.id).rules) {
      expect(rule.title).not.toMatch(/\.$/);
      expect(rule.why).toMatch(/\.$/);
    }
  });
});

describe('findings', () => {
  it('refer to their frame, its field and the related frame', () => {
    const [finding] = lintOn(kugelStream, [...SPOKEN, final({ total_text_chunks: 2 })]);
    expect(finding).toMatchObject({
      id: 'total-chunks',
      frame: 6,
      path: 'total_text_chunks',
      message: 'total_text_chunks: expected 1, as received, got 2',
      related: null,
    });
    const [late] = lintOn(kugelStream, [...SPOKEN, audio(1)]);
    expect(late).toMatchObject({ id: 'audio-after-chunk-complete', frame: 6, related: 5 });
  });

  it('name their context', () => {
    const [finding] = lintOn(kugelMulti, [...SAID, finalOf(), of(audio(1))]);
    expect(finding).toMatchObject({ id: 'after-final', context: 'a', connection: 1 });
  });

  it('never contain the value of an unknown field, which may be a key', () => {
    const secret = 'ka_live_canary';
    const findings = [
      ...lintOn(kugelStream, [out({ ...CONFIG, api_key: secret })]),
      ...lintOn(kugelMulti, [
        create('a', { token: secret, voice_settings: { voice_id: 1071, key: secret } }),
      ]),
    ];
    expect(findings.map(({ id }) => id)).toEqual(['unknown-field', 'unknown-field', 'unknown-field']);
    expect(JSON.stringify(findings)).not.toContain(secret);
  });

  it('of a schema name the path, the expected and the found value', () => {
    const [finding] = lintOn(kugelStream, [...BEGUN, audio(0, { sr: '24k' })]);
    expect(finding).toMatchObject({
      id: 'server-shape',
      path: 'sr',
      message: 'sr: expected a number, got "24k"',
    });
  });
});

describe('correct traffic has no finding', () => {
  const CORRECT: [string, Step[]][] = [
    ['a whole turn', [config, ...TURN, ...TURN]],
    [
      "figures of the vendor's page, rounded to one decimal",
      [
        config,
        text(),
        flush,
        started(),
        audio(0, { audio: silence(SAMPLES * 2 + 480), samples: SAMPLES + 240 }),
        complete({ audio_seconds: 0.1 }),
        final(),
        closed(),
      ],
    ],
    ['words that come late', [...WORDY, complete(), final(), words(word(0, 50)), closed()]],
    [
      'idx that counts on over turns',
      [config, ...TURN, text(), flush, started(), audio(1), complete(), final(), closed()],
    ],
    [
      'frames of a cancelled turn that are under way',
      [...BEGUN, cancel, audio(), complete(), final(), closed(), interrupted],
    ],
    [
      'a refusal in mid-turn',
      [...BEGUN, out({ voice_id: 'nobody' }), REFUSED, audio(), complete(), final(), closed()],
    ],
    [
      'the format of a turn after a refused config',
      [config, out({ voice_id: 'nobody', sample_rate: 8000 }), REFUSED, ...TURN],
    ],
    ['a turn by the voice of before, after an unknown one', [config, NOBODY, REFUSED, ...TURN]],
    [
      'text that was dropped after an unknown voice',
      [NOBODY, REFUSED, text(), flush, final(NOTHING), closed(UNCHARGED, NOTHING), config, ...TURN],
    ],
    [
      'an update that is answered after the refusal of an earlier message',
      [
        out({ voice_id: 'nobody' }),
        out({ update_settings: { speed: 1.1 } }),
        REFUSED,
        into({ settings_updated: true, settings: {} }),
      ],
    ],
  ];
  const REOPENED = [...SAID, finalOf(), close(), create()];
  it.each<[string, Step[]]>([
    [
      'an immediate close cuts the graceful one short',
      [...REOPENED, close({ immediate: true }), contextClosed()],
    ],
    [
      'an immediate close arrives too late for the graceful one',
      [
        ...REOPENED,
        close({ immediate: true }),
        finalOf(),
        contextClosed(),
        created(),
        contextClosed(undefined),
      ],
    ],
  ])('an immediate close after a frame that may have opened the context again: %s', (_, steps) => {
    expect(lintOn(kugelMulti, steps).filter(({ severity }) => severity !== 'advice')).toEqual([]);
  });

  it('an id that opens a third context before the ends of two arrive', () => {
    const now = close({ immediate: true });
    const ended = contextEnded;
    const steps = [create(), now, create(), flushOf(), say(), now, create()];
    const second = [created(), finalOf(), ...SPOKEN_CHUNK, contextClosed()];
    const findings = lintOn(kugelMulti, [...steps, created(), ended, ...second, created(), now, ended]);
    expect(findings.filter(({ severity }) => severity === 'violation')).toEqual([]);
  });

  it.each<[string, Step[]]>([
    ['a refused one', [request(), REFUSED, ...ANSWERED, onlyFinal()]],
    ['two of unknown dictionaries', [request(), request(), UNKNOWN, UNKNOWN, ...ANSWERED, onlyFinal()]],
    ['a refused one during the audio of another', [...ANSWERED, request(), REFUSED, onlyFinal()]],
    [
      'a refused one before the audio of another',
      [...ANSWERED.toSpliced(1, 0, request({ voice_id: 'x' }), REFUSED), onlyFinal()],
    ],
    [
      'one whose second chunk has no letters',
      [
        request({ word_timestamps: true }),
        audio(),
        words(word(0, 50)),
        audio(1, { chunk_id: 1 }),
        onlyFinal(
          { chunks: 2, total_samples: SAMPLES * 2, dur_ms: 200 },
          { audio_seconds: 0.2, cost_cents: 0.02 },
        ),
      ],
    ],
  ])('requests, %s', (_, steps) => {
    expect(lintOn(kugelTts, [...steps, { close: 1000 }])).toEqual([]);
  });

  it('accepts the dictionaries of a project that an earlier message named', () => {
    const project = { project_id: 1 };
    const ofStream = [out({ ...CONFIG, ...project }), out(DICTIONARIES), ...TURN];
    expect(lintOn(kugelStream, ofStream)).toEqual([]);
    expect(lintOn(kugelMulti, [out(project), REFUSED, out(DICTIONARIES)])).toEqual([]);
  });

  it('requests on one socket, whose chunks only their frames show', () => {
    const wordy = request({ word_timestamps: true });
    const second = { ...LENGTH, chunks: 2, total_samples: SAMPLES * 2, dur_ms: 200, debug: {} };
    const end = onlyFinal(second, { audio_seconds: 0.2, cost_cents: 0.02 });
    const late = [words(word(0, 50)), into({ word_timestamps: [word(0, 90)], chunk_id: 1 })];
    const steps = [wordy, audio(), audio(1, { chunk_id: 1 }), ...late, end];
    expect(lintOn(kugelTts, [...steps, ...ANSWERED, onlyFinal(), { close: 1000 }])).toEqual([]);
  });

  it('accepts the words of a context after its final', () => {
    const steps = [
      create('a', { word_timestamps: true }),
      created(),
      say(),
      flushOf(),
      ...SPOKEN_CHUNK,
      finalOf(),
      of(words(word(0, 50))),
      close(),
      finalOf(),
      contextClosed(),
    ];
    expect(lintOn(kugelMulti, steps)).toEqual([]);
    const without = steps.filter((step) => !('in' in step && 'word_timestamps' in (step.in as object)));
    expect(lintOn(kugelMulti, without).map(({ id }) => id)).toEqual(['words-missing']);
  });

  it.each(CORRECT)('%s', (_, steps) => {
    expect(lintOn(kugelStream, steps).filter(({ severity }) => severity !== 'advice')).toEqual([]);
  });
});
