import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../core/endpoint.ts';
import { into, lintOn, out, type Step } from '../../lint/recordings.test-helper.ts';
import { protocolOf } from '../../protocols.ts';
import { elevenLabsMulti, elevenLabsStream } from '../endpoints.ts';
import { finalFrame } from '../wire/server-frames.ts';

/** Sessions of published programs and of the vendor's samples, without findings. */

const VOICE = 'wss://api.elevenlabs.io/v1/text-to-speech/EXAVITQu4vr4xnSDxMaL';
const opened = (path: string, query: string): Step => ({ open: true, address: `${VOICE}/${path}?${query}` });
const multi = (query: string): Step => opened('multi-stream-input', query);
const single = (query: string): Step => opened('stream-input', query);

/** One segment in two frames, as recorded: the second has no alignment. `rate`: bytes per ms. */
function speech(
  text: string,
  contextId: string | null,
  { rate = 48, isSynced = false } = {},
  ms = 200,
): Step[] {
  const chars = [...text];
  const alignment = {
    chars,
    charStartTimesMs: chars.map((_, at) => at * 50),
    charDurationsMs: chars.map(() => 50),
  };
  const first = 2 * Math.round((rate * chars.length * 50) / 2) - 436;
  return [first, 436].map((bytes, at) => {
    const aligned = at === 0 || isSynced ? alignment : null;
    const of = contextId === null ? {} : { contextId };
    const frame = {
      audio: btoa('\0'.repeat(bytes)),
      isFinal: null,
      normalizedAlignment: aligned,
      alignment: aligned,
    };
    return into({ ...frame, ...of }, ms);
  });
}
const final = (contextId: string | null): Step => into(finalFrame(contextId));

const SENTENCES = [
  'Good morning, all of you. ',
  'The train is late. ',
  'Yes. ',
  'So there is time for a coffee. ',
];
const TOKENS = [
  'Good',
  ' mor',
  'ning',
  ',',
  ' all',
  ' of',
  ' you',
  '.',
  ' The',
  ' U',
  '.',
  'S',
  '.',
  ' train',
  ' is',
  ' late',
  '.',
];
const LONG_PAUSE: Step = { pass: 9_000 };

const LIVEKIT =
  'model_id=eleven_turbo_v2_5&output_format=pcm_22050&enable_ssml_parsing=false&enable_logging=true&inactivity_timeout=180&apply_text_normalization=auto&sync_alignment=true&auto_mode=true';
/** With sentences in auto mode; `rest` ends the turn or interrupts it. */
const livekit = (id: string, rest: Step[]): Step[] => [
  out({ text: ' ', voice_settings: {}, context_id: id }),
  ...SENTENCES.flatMap((sentence) => [
    out({ text: sentence, context_id: id, flush: true }, 300),
    ...speech(sentence, id, { rate: 44.1, isSynced: true }),
  ]),
  ...rest,
];
const livekitEnd = (id: string): Step[] => [
  out({ text: '', context_id: id, flush: true }),
  out({ context_id: id, close_context: true }),
];

const PIPECAT = 'model_id=eleven_turbo_v2_5&output_format=pcm_24000&auto_mode=true';
const pipecat = (id: string, texts: readonly string[], isEnded: boolean): Step[] => [
  out({ text: ' ', context_id: id, voice_settings: { stability: 0.5 } }),
  ...texts.flatMap((text) => [out({ text, context_id: id }, 400), ...speech(text, id)]),
  ...(isEnded ? [out({ context_id: id, flush: true })] : []),
  out({ context_id: id, close_context: true }),
];

const PYTHON = 'model_id=eleven_multilingual_v2&output_format=mp3_44100_128';

const SESSIONS: [string, Endpoint, Step[]][] = [
  [
    'LiveKit, two turns',
    elevenLabsMulti,
    [
      multi(LIVEKIT),
      ...livekit('one', livekitEnd('one')),
      final('one'),
      LONG_PAUSE,
      ...livekit('two', livekitEnd('two')),
      final('two'),
      { close: 1000 },
    ],
  ],
  [
    'LiveKit, interrupted while it writes, with late audio',
    elevenLabsMulti,
    [
      multi(LIVEKIT),
      ...livekit('one', [out({ context_id: 'one', close_context: true })]),
      out({ text: ' ', voice_settings: {}, context_id: 'two' }),
      out({ text: 'No. ', context_id: 'two', flush: true }),
      ...speech('Late. ', 'one', { rate: 44.1, isSynced: true }),
      final('one'),
      ...speech('No. ', 'two', { rate: 44.1, isSynced: true }),
      ...livekitEnd('two'),
      final('two'),
      { close: 1000 },
    ],
  ],
  [
    'LiveKit with a schedule, words and no auto mode',
    elevenLabsMulti,
    [
      multi(LIVEKIT.replace('auto_mode=true', 'auto_mode=false')),
      out({
        text: ' ',
        voice_settings: {},
        context_id: 'one',
        generation_config: { chunk_length_schedule: [80, 120, 200, 260] },
      }),
      ...'Good morning, all of you. '.split(/(?<= )/).map((text) => out({ text, context_id: 'one' })),
      ...livekitEnd('one'),
      ...speech('Good morning, all of you. ', 'one', { rate: 44.1, isSynced: true }),
      final('one'),
    ],
  ],
  [
    'LiveKit for Python without text',
    elevenLabsMulti,
    [
      multi('model_id=eleven_turbo_v2_5&output_format=mp3_22050_32&auto_mode=true'),
      out({ text: ' ', voice_settings: {}, context_id: 'one' }),
      ...livekitEnd('one'),
      final('one'),
    ],
  ],
  [
    'Pipecat, with keep-alives and an interruption',
    elevenLabsMulti,
    [
      multi(PIPECAT),
      { pass: 10_000 },
      out({ text: '' }),
      ...pipecat(
        'one',
        SENTENCES.map((sentence) => sentence.trim()),
        true,
      ),
      final('one'),
      { pass: 10_000 },
      out({ text: '', context_id: 'one' }),
      ...pipecat('two', ['First item', 'Second item', 'Third'], false),
      out({ text: ' ', context_id: 'three', voice_settings: { stability: 0.5 } }),
      final('two'),
      out({ text: 'Hm', context_id: 'three' }, 300),
      ...speech('Hm', 'three'),
      out({ text: '', context_id: 'three' }, 9000),
      out({ context_id: 'three', flush: true }),
      out({ context_id: 'three', close_context: true }),
      final('three'),
      out({ close_socket: true }),
      { close: 1000 },
    ],
  ],
  [
    'Pipecat with tokens, interrupted before any audio',
    elevenLabsMulti,
    [
      multi('model_id=eleven_turbo_v2_5&output_format=pcm_24000&auto_mode=false'),
      out({ text: ' ', context_id: 'one' }),
      ...TOKENS.map((text) => out({ text, context_id: 'one' }, 30)),
      out({ text: '', context_id: 'one' }, 50),
      out({ context_id: 'one', close_context: true }, 400),
      final('one'),
      out({ close_socket: true }),
      { close: 1000 },
    ],
  ],
  [
    'elevenlabs-python, which ends with the close',
    elevenLabsStream,
    [
      single(PYTHON),
      out({
        text: ' ',
        try_trigger_generation: true,
        voice_settings: null,
        generation_config: { chunk_length_schedule: [50] },
      }),
      ...'Good morning, all of you. '
        .split(/(?<= )/)
        .map((text) => out({ text, try_trigger_generation: true }, 2000)),
      out({ text: '' }),
      ...speech('Good morning, all of you. ', null),
      final(null),
      { close: 1000, ms: 750 },
    ],
  ],
  [
    'the sample of the vendor for stream-input',
    elevenLabsStream,
    [
      single('model_id=eleven_flash_v2_5&output_format=pcm_24000'),
      out({
        text: ' ',
        voice_settings: { stability: 0.5, similarity_boost: 0.8, use_speaker_boost: false },
        generation_config: { chunk_length_schedule: [120, 160, 250, 290] },
        xi_api_key: '[key]',
      }),
      out({ text: 'The twilight sun cast its warm golden hues upon the vast rolling fields.' }),
      out({ text: '' }),
      ...speech('The twilight sun cast its warm golden hues upon the vast rolling fields. ', null),
      final(null),
      { close: 1000, ms: 10 },
    ],
  ],
  [
    'the sample of the vendor for several contexts',
    elevenLabsMulti,
    [
      multi('model_id=eleven_flash_v2_5&output_format=pcm_24000'),
      out({ text: 'Hello, I am the first. ', context_id: 'one', voice_settings: { stability: 0.5 } }),
      out({ text: 'And there is more. ', context_id: 'one', flush: true }),
      ...speech('Hello, I am the first. And there is more. ', 'one'),
      out({ context_id: 'one', close_context: true }),
      out({ text: 'I am the second. ', context_id: 'two' }),
      final('one'),
      out({ context_id: 'two', text: '' }),
      out({ text: 'Thank you. ', context_id: 'two' }, 3000),
      out({ context_id: 'two', flush: true }),
      ...speech('I am the second. Thank you. ', 'two'),
      out({ close_socket: true }),
      final('two'),
      { close: 1000 },
    ],
  ],
  [
    'the recorded tokens of ALLM, without a space at the end',
    elevenLabsStream,
    [
      single('model_id=eleven_flash_v2_5&output_format=pcm_24000'),
      out({ text: ' ' }),
      ...['Hel', 'lo', ' world', '.'].map((text) => out({ text })),
      out({ text: '', flush: true }, 500),
      out({ text: '' }),
      ...speech('Hello world. ', null),
      final(null),
      { close: 1000, ms: 750 },
    ],
  ],
  [
    'tokens of a model',
    elevenLabsStream,
    [
      single('model_id=eleven_flash_v2_5&output_format=ulaw_8000'),
      out({ text: ' ' }),
      ...TOKENS.map((text) => out({ text }, 30)),
      out({ text: '' }),
      ...speech(TOKENS.join(''), null, { rate: 8 }),
      final(null),
      { close: 1000, ms: 750 },
    ],
  ],
  [
    'Japanese without spaces, in auto mode',
    elevenLabsStream,
    [
      single('output_format=pcm_24000&auto_mode=true'),
      out({ text: ' ' }),
      ...['こんにちは', '世界', 'です', '。'].map((text) => out({ text })),
      out({ text: '' }),
      ...speech('こんにちは世界です。', null),
      final(null),
    ],
  ],
];

const idsOn = (endpoint: Endpoint, steps: readonly Step[]): string[] =>
  lintOn(endpoint, steps).map(({ id, message }) => `${id}: ${message}`);

it.each(SESSIONS)('finds nothing in a session of %s', (_, endpoint, steps) => {
  expect(idsOn(endpoint, steps)).toEqual([]);
});

describe('the page', () => {
  const query = new URLSearchParams(
    Object.entries(elevenLabsMulti.initialSettings).map(([name, value]) => [name, String(value)]),
  );
  const settings = { stability: 0.4, chunk_length_schedule: [120] };

  it('finds nothing in a turn of stream-input', () => {
    const dialect = protocolOf(elevenLabsStream).open({
      settings: elevenLabsMulti.initialSettings,
      key: 'sk_1',
    });
    const context = '';
    const sent = [
      ...dialect.encode({ kind: 'open', settings }),
      ...dialect.encode({ kind: 'keepAlive', context }),
      ...TOKENS.flatMap((text) => dialect.encode({ kind: 'say', context, text })),
      ...dialect.encode({ kind: 'flush', context }),
      ...dialect.encode({ kind: 'endTurn', context }),
    ].map((frame) => out(frame, 40));
    const steps = [
      single(`${query}`),
      ...sent,
      ...speech(TOKENS.join(''), null),
      final(null),
      { close: 1000 },
    ];
    expect(idsOn(elevenLabsStream, steps)).toEqual([]);
  });

  it('finds nothing in two turns of a speaker, a barge-in, and another speaker', () => {
    const dialect = protocolOf(elevenLabsMulti).open({
      settings: elevenLabsMulti.initialSettings,
      key: 'sk_1',
    });
    const send = (...intents: Parameters<typeof dialect.encode>[0][]): Step[] =>
      intents.flatMap((intent) => dialect.encode(intent)).map((frame) => out(frame, 40));
    /** The server's frames for the context of these, which the dialect reads as well. */
    const answer = (sent: readonly Step[], text: string | null, isFinal: boolean): Step[] => {
      const last = sent.at(-1);
      const { context_id: id } = JSON.parse(last && 'out' in last ? String(last.out) : '{}');
      const steps = [...(text === null ? [] : speech(text, id)), ...(isFinal ? [final(id)] : [])];
      for (const step of steps) if ('in' in step) dialect.decode(JSON.stringify(step.in));
      return steps;
    };
    const say = (context: string) => TOKENS.map((text) => ({ kind: 'say', context, text }) as const);
    const text = TOKENS.join('');
    const first = send({ kind: 'openContext', context: 'ann', settings }, ...say('ann'), {
      kind: 'endTurn',
      context: 'ann',
    });
    const answered = answer(first, text, true);
    const second = send(...say('ann'));
    const begun = answer(second, text, false);
    const third = send({ kind: 'cancel', context: 'ann' }, ...say('ann'), {
      kind: 'keepAlive',
      context: 'ann',
    });
    const other = send(
      { kind: 'openContext', context: 'ben', settings },
      { kind: 'keepAlive', context: 'ben' },
    );
    const late = answer(second, null, true);
    const end = send({ kind: 'endTurn', context: 'ann' });
    const last = [...answer(end, text, true), ...send({ kind: 'disconnect' })];
    const turns = [...first, ...answered, ...second, ...begun, ...third, ...other, ...late, ...end, ...last];
    const steps: Step[] = [multi(`${query}`), ...turns, { close: 1000 }];
    expect(idsOn(elevenLabsMulti, steps)).toEqual([]);
  });
});
