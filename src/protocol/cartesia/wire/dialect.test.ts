import { describe, expect, it } from 'vitest';
import type { Intent, Settings } from '../../core/endpoint.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { CartesiaDialect, readCartesiaIntents } from './dialect.ts';
import { chunkFrame, doneFrame, flushDoneFrame, timestampsFrame } from './server-frames.ts';
import { audioFormatOf } from './settings.ts';

/** 50 ms at 24 kHz. */
const AUDIO = 'AAAA'.repeat(600);

const audio = (context: string, flushId: number | null = null) => chunkFrame(context, AUDIO, 40, flushId);
const done = doneFrame;
const error = (fields: object) => ({ type: 'error', status_code: 400, done: true, ...fields });
const times = (context: string, words: string[], start: number[], flushId: number | null = null) =>
  timestampsFrame(context, { words, start, end: start.map((from) => from + 0.01) }, flushId);

const say = (context: string, text = 'Hi. '): Intent => ({ kind: 'say', context, text });
const flush = (context: string): Intent => ({ kind: 'flush', context });
const endTurn = (context: string): Intent => ({ kind: 'endTurn', context });
const cancel = (context: string | null): Intent => ({ kind: 'cancel', context });

/** An intent of the page or a frame of the server. */
type Step = Intent | object;

const INITIAL: Settings = { cartesia_version: '2026-08-14', voice: 'v-1' };

/** Runs the steps on a new connection. Replies go out behind every frame, as in a session. */
function run(settings: Settings, ...steps: readonly Step[]) {
  const dialect = new CartesiaDialect(settings, audioFormatOf(settings));
  const sent: Record<string, unknown>[] = [];
  const events: SpeechEvent[] = [];
  for (const step of steps) {
    if (!('kind' in step)) events.push(...dialect.decode(JSON.stringify(step)));
    const frames = 'kind' in step ? dialect.encode(step) : dialect.replies();
    sent.push(...frames.map((frame) => JSON.parse(String(frame)) as Record<string, unknown>));
  }
  return { dialect, sent, events };
}

/** Transcript, context and flags of what was sent. */
const said = (...steps: readonly Step[]): string[] =>
  run(INITIAL, ...steps).sent.map(
    ({ transcript, context_id: id, continue: continues, flush: flushes, cancel: cancels }) =>
      cancels ? `cancel ${id}` : `${id} ${transcript}${flushes ? ' flush' : ''}${continues ? '' : ' end'}`,
  );

const TOLD: readonly SpeechEvent['type'][] = [
  'audio',
  'phonemes',
  'turnEnded',
  'contextClosed',
  'error',
  'malformed',
  'unknown',
];

const heardOf = (events: readonly SpeechEvent[]): string =>
  events
    .filter(({ type }) => TOLD.includes(type))
    .map((event) => `${event.type} ${'context' in event ? event.context : ''}`.trim())
    .join(', ');

/** Who is heard or over, in order. */
const heard = (...steps: readonly Step[]): string => heardOf(run(INITIAL, ...steps).events);

const phonemes = (start: readonly number[]) => ({
  ...{ type: 'phoneme_timestamps', context_id: 'a', status_code: 206, done: false },
  phoneme_timestamps: { phonemes: ['h'], start, end: [1] },
});

describe('a message', () => {
  it.each<[string, unknown]>([
    ['2026-08-14', { id: 'v-1' }],
    ['2026-03-01', { mode: 'id', id: 'v-1' }],
    ['2025-04-16', { mode: 'id', id: 'v-1' }],
  ])('cartesia-message-26 of version %s repeats all settings, in their places', (cartesia_version, voice) => {
    const settings = {
      ...INITIAL,
      cartesia_version,
      encoding: 'pcm_alaw',
      sample_rate: 8000,
      something_new: 1,
    };
    const speaker = { ...settings, speed: 0.9, emotion: 'calm', language: 'en' };
    const { sent } = run(settings, { ...say('Ann'), opens: speaker } as Intent, endTurn('Ann'));
    const whole = {
      model_id: 'sonic-3.6',
      something_new: 1,
      language: 'en',
      voice,
      output_format: { container: 'raw', encoding: 'pcm_alaw', sample_rate: 8000 },
      generation_config: { speed: 0.9, emotion: 'calm' },
      context_id: 'Ann',
    };
    expect(sent).toEqual([
      { ...whole, transcript: 'Hi. ', continue: true },
      { ...whole, transcript: '', continue: false },
    ]);
  });

  it.each<[string, Step[], string[]]>([
    ['of a turn', [say('a'), say('a', 'Ho.'), endTurn('a')], ['a Hi. ', 'a Ho.', 'a  end']],
    ['cartesia-chunk-1 of a flush, alone', [flush('a'), say('a'), flush('a')], ['a Hi. ', 'a  flush']],
    [
      'cartesia-context-1 of the next turn has another id',
      [say('a'), endTurn('a'), done('a'), say('a')],
      ['a Hi. ', 'a  end', 'a~2 Hi. '],
    ],
    ['cartesia-context-1 of a speaker without a name has an id', [say('')], ['~1 Hi. ']],
    [
      'of a cancel, once',
      [say('a'), cancel('a'), cancel(null), say('a')],
      ['a Hi. ', 'cancel a', 'a~2 Hi. '],
    ],
    ['of a cancel behind the end', [say('a'), endTurn('a'), cancel(null)], ['a Hi. ', 'a  end', 'cancel a']],
    ['cartesia-text-2 begins with a sign', [say('a', '€')], ['a €']],
    ['cartesia-text-2 begins with a letter or digit', [say('a', ' “'), say('a', 'Hi')], ['a  “Hi']],
    [
      'cartesia-text-2 of a turn without any goes out, because its refusal ends the turn',
      [say('a', '…'), endTurn('a')],
      ['a … end'],
    ],
    ['cartesia-text-2 says nothing for an empty text', [say('a', ''), endTurn('a'), flush('a')], []],
    [
      'cartesia-message-24 splits no tag',
      [say('a', 'Hi <bre'), say('a', 'ak time="1s" /> ho')],
      ['a Hi ', 'a <break time="1s" /> ho'],
    ],
    [
      'cartesia-message-24 splits a mark that is no tag',
      [say('a', '1 < 2'), endTurn('a')],
      ['a 1 < 2', 'a  end'],
    ],
    [
      'cartesia-limit-4 has no keep-alive and no close',
      [say('a'), { kind: 'keepAlive', context: 'a' }, { kind: 'disconnect' }],
      ['a Hi. '],
    ],
  ])('%s', (_, steps, frames) => {
    expect(said(...steps)).toEqual(frames);
  });
});

describe('a context that the server ends by itself', () => {
  it.each<[string, Step[], string, string[]]>([
    [
      'cartesia-context-4 is the end of the turn',
      [say('a'), audio('a'), done('a'), endTurn('a')],
      'audio a, turnEnded a, contextClosed a',
      ['a Hi. '],
    ],
    [
      'cartesia-context-12 goes on in another one where text was on its way, whose refusal is dropped',
      [
        say('a'),
        audio('a'),
        say('a', 'Ho. '),
        say('a', 'Yo.'),
        done('a'),
        error({ context_id: 'a' }),
        audio('a~2'),
        endTurn('a'),
        done('a~2'),
      ],
      'audio a, audio a, turnEnded a, contextClosed a',
      ['a Hi. ', 'a Ho. ', 'a Yo.', 'a~2 Ho. Yo.', 'a~2  end'],
    ],
    [
      'cartesia-text-2 does not go on for a mark alone',
      [say('a'), audio('a'), say('a', '. '), done('a')],
      'audio a, turnEnded a, contextClosed a',
      ['a Hi. ', 'a . '],
    ],
    [
      'does not go on where it never spoke',
      [say('a'), done('a')],
      'turnEnded a, contextClosed a',
      ['a Hi. '],
    ],
  ])('%s', (_, steps, events, frames) => {
    expect(heard(...steps)).toBe(events);
    expect(said(...steps)).toEqual(frames);
  });

  it('has timed out, and one that was ended or cancelled has not', () => {
    const closes = (...steps: Step[]) =>
      run(INITIAL, say('a'), audio('a'), ...steps, done('a')).events.at(-1);
    expect(closes()).toMatchObject({ type: 'contextClosed', timedOut: true });
    expect(closes(endTurn('a'))).toMatchObject({ type: 'contextClosed', timedOut: false });
    expect(closes(cancel('a'))).toMatchObject({ type: 'contextClosed', timedOut: false });
  });

  it('leaves the numbers of chunks to the next one, whose words count anew', () => {
    const { events } = run(
      INITIAL,
      say('a'),
      audio('a'),
      say('a', 'Ho.'),
      done('a'),
      audio('a~2'),
      times('a~2', ['Ho.'], [0.02]),
    );
    expect(events).toMatchObject([
      { type: 'chunkStarted', chunk: 0, text: 'Hi. ' },
      { type: 'audio', chunk: 0 },
      { type: 'chunkCompleted', chunk: 0 },
      { type: 'chunkStarted', chunk: 1, text: 'Ho.' },
      { type: 'audio', chunk: 1 },
      { type: 'words', chunk: 1, words: [{ word: 'Ho.', startMs: 20 }] },
    ]);
  });
});

describe('frames of the server', () => {
  it.each<[string, Step[], string]>([
    [
      'cartesia-context-3 of two speakers',
      [say('a'), say('b'), audio('b'), audio('a'), done('b')],
      'audio b, audio a, turnEnded b, contextClosed b',
    ],
    [
      'of a cancelled turn, until the next one speaks',
      [say('a'), cancel('a'), say('a'), audio('a'), audio('a~2'), audio('a'), done('a'), done('a~2')],
      'audio a, turnEnded a, audio a, turnEnded a, contextClosed a',
    ],
    [
      'cartesia-cancel-3 the end behind a cancel',
      [say('a'), cancel('a'), done('a')],
      'turnEnded a, contextClosed a',
    ],
    ['of another client', [audio('x'), done('x')], 'audio x, turnEnded x, contextClosed x'],
    [
      'cartesia-turn-2 behind the end',
      [say('a'), endTurn('a'), done('a'), audio('a'), done('a')],
      'turnEnded a, contextClosed a',
    ],
    [
      'cartesia-error-1 an error of a context',
      [say('a'), error({ context_id: 'a', error: 'X: y' })],
      'error a, contextClosed a',
    ],
    [
      'cartesia-error-5 an error of the connection',
      [say('a'), error({ title: 'X', message: 'y' })],
      'error null',
    ],
    ['cartesia-chunk-7 a flush without audio', [say('a'), flushDoneFrame('a', 1)], ''],
    ['cartesia-message-30 phonemes', [say('a'), phonemes([0])], 'phonemes a'],
    ['cartesia-message-30 phonemes without times', [phonemes([])], 'malformed'],
    [
      'cartesia-words-1 words without times',
      [timestampsFrame('a', { words: ['a', 'b'], start: [0], end: [1, 2] })],
      'malformed',
    ],
    ['cartesia-message-35 an end in a chunk', [say('a'), { ...audio('a'), done: true }], 'audio a'],
    ['of a new kind', [{ type: 'pong' }], 'unknown'],
  ])('%s', (_, steps, events) => {
    expect(heard(...steps)).toBe(events);
  });

  it.each<[number]>([[0], [1], [7]])('cartesia-chunk-3 are chunks by their flush id, from %i on', (first) => {
    const steps = [say('a', 'One. '), flush('a'), say('a', 'Two.'), endTurn('a')];
    const frames = [
      audio('a', first),
      times('a', ['One.'], [0.01], first),
      audio('a', first + 1),
      times('a', ['Two.'], [0.07], first + 1),
      done('a'),
    ];
    expect(run(INITIAL, ...steps, ...frames).events).toMatchObject([
      { type: 'chunkStarted', chunk: 0, text: 'One. ' },
      { type: 'audio', chunk: 0 },
      { type: 'words', chunk: 0, words: [{ startMs: 10, endMs: 20, charStart: 0, charEnd: 4 }] },
      { type: 'chunkCompleted', chunk: 0 },
      { type: 'chunkStarted', chunk: 1, text: 'Two.' },
      { type: 'audio', chunk: 1 },
      { type: 'words', chunk: 1, words: [{ charStart: 0, charEnd: 4 }] },
      { type: 'chunkCompleted', chunk: 1 },
      { type: 'audioEnded' },
      { type: 'turnEnded', usage: { characters: 9 } },
      { type: 'contextClosed' },
    ]);
  });

  it.each<[string, Settings, (number | null)[], (string | null)[]]>([
    ['cartesia-chunk-4 without ids, all texts', {}, [null, null], ['One. Two.']],
    ['cartesia-chunk-6 with delay 0, each text', { max_buffer_delay_ms: 0 }, [1, 2], ['One. ', 'Two.']],
    [
      'cartesia-chunk-6 with one id for all, all texts in the end',
      { max_buffer_delay_ms: 0 },
      [1, 1],
      ['One. ', 'One. Two.'],
    ],
    ['with more ids than texts, none', { max_buffer_delay_ms: 0 }, [1, 2, 3], ['One. ', 'Two.', null]],
  ])('chunks have their text: %s', (_, settings, ids, texts) => {
    const frames = ids.map((id) => audio('a', id));
    const { events } = run(
      { ...INITIAL, ...settings },
      say('a', 'One. '),
      say('a', 'Two.'),
      endTurn('a'),
      ...frames,
      done('a'),
    );
    expect(events.flatMap((event) => (event.type === 'chunkStarted' ? [event.text] : []))).toEqual(texts);
  });

  it('cartesia-chunk-6 a blank text with delay 0 is no part of its own', () => {
    const intents = [say('a', 'One.'), say('a', ' '), say('a', 'Two.'), endTurn('a')];
    const { events } = run({ ...INITIAL, max_buffer_delay_ms: 0 }, ...intents, audio('a', 1), audio('a', 2));
    expect(events.flatMap((event) => (event.type === 'chunkStarted' ? [event.text] : []))).toEqual([
      'One.',
      ' Two.',
    ]);
  });

  it('a chunk has the text that comes while it speaks', () => {
    const { events } = run(INITIAL, say('a', 'One '), audio('a'), say('a', 'two.'), audio('a'), done('a'));
    expect(
      events.flatMap((event) => (event.type === 'chunkStarted' ? [[event.text, event.isMore]] : [])),
    ).toEqual([
      ['One ', undefined],
      ['One two.', true],
    ]);
  });

  it.each<[string, number, string, number]>([
    ['pcm_s16le', 24_000, 'pcm_s16le', 2],
    ['pcm_f32le', 44_100, 'pcm_f32le', 4],
    ['pcm_mulaw', 8000, 'mulaw', 1],
    ['pcm_alaw', 48_000, 'alaw', 1],
  ])('cartesia-audio-3 audio as %s at %i is %s', (encoding, sampleRate, name, bytes) => {
    const data = Buffer.alloc(bytes * sampleRate).toString('base64');
    const frames = [chunkFrame('a', data, 1, 1), chunkFrame('a', data, 1, 2), times('a', ['x'], [1.5], 2)];
    const { events } = run({ ...INITIAL, encoding, sample_rate: sampleRate }, say('a', 'x'), ...frames);
    expect(events).toContainEqual(expect.objectContaining({ type: 'audio', encoding: name, sampleRate }));
    // The second chunk begins one second into the context.
    expect(events.at(-1)).toMatchObject({ type: 'words', chunk: 1, words: [{ startMs: 500 }] });
  });

  it.each<[object, object]>([
    [
      { status_code: 400, error: 'Invalid model: The model is not valid' },
      {
        message: 'Invalid model: The model is not valid',
        name: 'model_not_found',
        code: 400,
        requestId: null,
      },
    ],
    [
      {
        status_code: 429,
        error_code: 'concurrency_limited',
        title: 'Too many',
        message: 'No.',
        request_id: 'r',
      },
      { message: 'Too many: No.', name: 'concurrency_limited', code: 429, requestId: 'r' },
    ],
    [{ status_code: 500 }, { message: '', name: null, code: 500 }],
  ])('cartesia-error-2 errors have one form: %j', (fields, event) => {
    expect(run(INITIAL, error({ context_id: 'a', ...fields })).events[0]).toMatchObject({
      type: 'error',
      ...event,
    });
  });
});

describe('room', () => {
  const busy = Array.from({ length: 15 }, (_, at) => say(`s${at}`));

  it.each<[string, Step[], string, boolean]>([
    ['for a speaker', [], 'a', true],
    ['for no sixteenth', busy, 'a', false],
    ['for more text of an open one', busy, 's0', true],
    ['not while the turn before is spoken', [say('a'), endTurn('a')], 'a', false],
    ['behind a cancel, which may have no answer', [...busy, cancel(null)], 'a', true],
  ])('is %s', (_, steps, speaker, hasRoom) => {
    expect(run(INITIAL, ...steps).dialect.hasRoom(speaker)).toBe(hasRoom);
  });
});

describe('a connection of another client', () => {
  const body = {
    model_id: 'sonic-3.5',
    voice: { mode: 'id', id: 'v' },
    output_format: { container: 'raw', encoding: 'pcm_f32le', sample_rate: 44_100 },
    context_id: 'c1',
  };

  function follow(...steps: readonly (object | string)[]): SpeechEvent[] {
    const dialect = new CartesiaDialect({}, audioFormatOf({}));
    return steps.flatMap((step) => {
      if (typeof step !== 'string') return dialect.decode(JSON.stringify(step));
      for (const intent of readCartesiaIntents(step)) dialect.follow(intent);
      return [];
    });
  }
  const message = (fields: object): string => JSON.stringify({ ...body, ...fields });

  it('is heard in the format of its messages, and its texts are known', () => {
    const texts = [
      message({ transcript: 'A.', continue: true, flush: true }),
      message({ transcript: 'B.', continue: false }),
    ];
    expect(follow(...texts, audio('c1', 0), audio('c1', 1), done('c1'))).toMatchObject([
      { type: 'chunkStarted', text: 'A.' },
      { type: 'audio', encoding: 'pcm_f32le', sampleRate: 44_100 },
      { type: 'chunkCompleted' },
      { type: 'chunkStarted', text: 'B.' },
      { type: 'audio' },
      { type: 'chunkCompleted' },
      { type: 'audioEnded' },
      { type: 'turnEnded' },
      { type: 'contextClosed', timedOut: false },
    ]);
  });

  it('cancels and closes the context', () => {
    const steps = [
      message({ transcript: 'A.', continue: true }),
      '{"context_id":"c1","cancel":true}',
      done('c1'),
    ];
    expect(follow(...steps)).toContainEqual(
      expect.objectContaining({ type: 'contextClosed', timedOut: false }),
    );
  });

  it.each<[string, object, Intent['kind'][]]>([
    ['text', { transcript: 'A.', continue: true }, ['say']],
    ['the end', { transcript: '', continue: false }, ['endTurn']],
    ['a flush', { transcript: '', continue: true, flush: true }, ['flush']],
    ['a blank end', { transcript: ' ', continue: false }, ['say', 'endTurn']],
    ['one text', { transcript: 'A.' }, ['say', 'endTurn']],
    ['cartesia-message-2 no text', { continue: true }, []],
  ])('%s is read as its intents', (_, fields, kinds) => {
    expect(readCartesiaIntents(message(fields)).map(({ kind }) => kind)).toEqual(kinds);
  });
});
