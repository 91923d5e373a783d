import { describe, expect, it } from 'vitest';
import type { Intent } from '../../core/endpoint.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { MultiDialect } from './multi-dialect.ts';

const KEY = 'sk_test_1';

/** A frame of the server: audio of a context, or its final. */
const audio = (contextId?: string) => ({ audio: 'AAAB', isFinal: null, alignment: null, contextId });
const final = (contextId?: string) => ({ audio: null, isFinal: true, alignment: null, contextId });
const timeout = (contextId?: string) => ({
  ...{ message: 'Have not received a new text input', error: 'input_timeout_exceeded', code: 1008 },
  contextId,
});

const say = (context: string, text = 'Hi. '): Intent => ({ kind: 'say', context, text });
const endTurn = (context: string): Intent => ({ kind: 'endTurn', context });
const cancel = (context: string | null): Intent => ({ kind: 'cancel', context });

/** An intent of the page or a frame of the server. */
type Step = Intent | object;

/** Runs the steps on a new connection. Returns the frames sent and the events decoded, in short, and the dialect. */
function run(...steps: readonly Step[]) {
  const dialect = new MultiDialect({}, KEY, { encoding: 'pcm_s16le', sampleRate: 24_000 });
  const sent: unknown[] = [];
  const events: SpeechEvent[] = [];
  for (const step of steps) {
    if ('kind' in step) sent.push(...dialect.encode(step).map((frame) => JSON.parse(String(frame))));
    else events.push(...dialect.decode(JSON.stringify(step)));
  }
  return { dialect, sent, events };
}

const TOLD: readonly SpeechEvent['type'][] = ['audio', 'turnEnded', 'contextClosed', 'error'];

/** Who is heard or over, in order. */
const heard = (...steps: readonly Step[]): string =>
  run(...steps)
    .events.filter(({ type }) => TOLD.includes(type))
    .map((event) => `${event.type} ${'context' in event ? event.context : ''}`)
    .join(', ');

describe('a turn', () => {
  it('is a context, whose first message has key and settings', () => {
    const opens = { speed: 0.9, chunk_length_schedule: [50] };
    const { sent } = run({ ...say('Ann'), opens } as Intent, say('Ann', 'You. '), endTurn('Ann'));
    expect(sent).toEqual([
      {
        text: 'Hi. ',
        context_id: 'Ann',
        voice_settings: { speed: 0.9 },
        generation_config: { chunk_length_schedule: [50] },
        xi_api_key: KEY,
      },
      { text: 'You. ', context_id: 'Ann' },
      { flush: true, context_id: 'Ann' },
      { context_id: 'Ann', close_context: true },
    ]);
  });

  it('keeps its settings for the next turn of its speaker, under the same name where that is free', () => {
    const opens = { speed: 0.9 };
    const again = run(
      { ...say('Ann'), opens } as Intent,
      endTurn('Ann'),
      audio('Ann'),
      final('Ann'),
      say('Ann'),
    );
    expect(again.sent.at(-1)).toMatchObject({ context_id: 'Ann', voice_settings: opens, xi_api_key: KEY });
    const cut = run({ ...say('Ann'), opens } as Intent, endTurn('Ann'), cancel('Ann'), say('Ann'));
    expect(cut.sent.at(-1)).toMatchObject({ context_id: 'Ann~2', voice_settings: opens });
  });

  it('without a name has none on the wire', () => {
    const { sent } = run(say(''), endTurn(''), cancel(''), say(''));
    expect(sent).toMatchObject([
      { text: 'Hi. ' },
      { flush: true },
      { close_context: true },
      { context_id: '~2' },
    ]);
    expect(JSON.stringify(sent.slice(0, 3))).not.toContain('context_id');
    expect(heard(say(''), audio(), final())).toBe('audio , turnEnded , contextClosed ');
  });

  it('says nothing for an empty text, and flushes or closes nothing where none is open', () => {
    const intents = ['flush', 'endTurn', 'keepAlive'].map((kind) => ({ kind, context: 'Ann' }) as Intent);
    const close: Intent = { kind: 'closeContext', context: 'Ann', immediate: false };
    expect(run(say('Ann', ''), ...intents, close, cancel(null)).sent).toEqual([]);
  });

  it('is opened without text, kept alive, and closed with or without the rest of its text', () => {
    const open: Intent = { kind: 'openContext', context: 'Ann', settings: { stability: 1 } };
    const close = (immediate: boolean): Intent => ({ kind: 'closeContext', context: 'Ann', immediate });
    const { sent } = run(open, open, { kind: 'keepAlive', context: 'Ann' }, close(false), open, close(true));
    expect(sent).toEqual([
      { text: ' ', context_id: 'Ann', voice_settings: { stability: 1 }, xi_api_key: KEY },
      { text: '', context_id: 'Ann' },
      { flush: true, context_id: 'Ann' },
      { context_id: 'Ann', close_context: true },
      { text: ' ', context_id: 'Ann~2', voice_settings: { stability: 1 }, xi_api_key: KEY },
      { context_id: 'Ann~2', close_context: true },
    ]);
  });
});

describe('the frames of the server', () => {
  it.each<[string, Step[], string]>([
    [
      'a turn to its end',
      [say('Ann'), audio('Ann'), final('Ann')],
      'audio Ann, turnEnded Ann, contextClosed Ann',
    ],
    [
      'two speakers',
      [say('Ann'), say('Bob'), audio('Bob'), audio('Ann'), final('Bob')],
      'audio Bob, audio Ann, turnEnded Bob, contextClosed Bob',
    ],
    [
      'late audio of a cancelled turn, until the next turn speaks',
      [
        say('Ann'),
        cancel('Ann'),
        audio('Ann'),
        say('Ann'),
        audio('Ann'),
        audio('Ann~2'),
        audio('Ann'),
        final('Ann'),
      ],
      'audio Ann, audio Ann, turnEnded Ann, audio Ann',
    ],
    [
      'the end of both turns',
      [say('Ann'), cancel('Ann'), say('Ann'), final('Ann'), audio('Ann~2'), final('Ann~2')],
      'turnEnded Ann, audio Ann, turnEnded Ann, contextClosed Ann',
    ],
    ['a final without audio', [say('Ann'), endTurn('Ann'), final('Ann')], 'error Ann, contextClosed Ann'],
    [
      'a final without text',
      [say('Ann', ' '), endTurn('Ann'), final('Ann')],
      'turnEnded Ann, contextClosed Ann',
    ],
    [
      'a final of a cancelled turn without audio',
      [say('Ann'), endTurn('Ann'), cancel(null), final('Ann')],
      'turnEnded Ann, contextClosed Ann',
    ],
    [
      'another client',
      [audio('x'), audio('y'), final('x')],
      'audio x, audio y, turnEnded x, contextClosed x',
    ],
    ['an idle context', [say('Ann'), audio('Ann'), timeout('Ann')], 'audio Ann, contextClosed Ann'],
    ['an idle socket', [say('Ann'), timeout()], 'error null'],
    ['an error of a context', [say('Ann'), { ...timeout('Ann'), error: 'x' }], 'error Ann'],
  ])('tell %s', (_, steps, events) => {
    expect(heard(...steps)).toBe(events);
  });

  it('say that a context timed out', () => {
    expect(run(say('Ann'), timeout('Ann')).events).toMatchObject([{ type: 'contextClosed', timedOut: true }]);
  });
});

describe('room', () => {
  const busy = ['a', 'b', 'c', 'd', 'e'].map((speaker) => say(speaker));

  it.each<[string, Step[], string, boolean]>([
    ['for a speaker', [], 'a', true],
    ['for no sixth', busy, 'f', false],
    ['for more text of an open one', busy, 'a', true],
    ['for none while a closed one speaks', [...busy, endTurn('a'), audio('a')], 'f', false],
    ['behind its final', [...busy, endTurn('a'), final('a')], 'f', true],
    ['not for two turns of one speaker', [say('a'), endTurn('a')], 'a', false],
    ['behind a cancelled turn of the same speaker', [say('a'), endTurn('a'), cancel('a')], 'a', true],
    ['for none while cancelled ones speak', [...busy, cancel(null)], 'a', false],
  ])('is %s', (_, steps, speaker, hasRoom) => {
    expect(run(...steps).dialect.hasRoom(speaker)).toBe(hasRoom);
  });
});

describe('a followed connection', () => {
  function follow(...steps: readonly Step[]): string {
    const { dialect } = run();
    const events = steps.flatMap((step) => {
      if (!('kind' in step)) return dialect.decode(JSON.stringify(step));
      dialect.follow(step as Intent);
      return [];
    });
    return events.flatMap(({ type }) => (TOLD.includes(type) ? [type] : [])).join(', ');
  }
  const flush: Intent = { kind: 'flush', context: 'a' };

  it.each<[string, Step[], string]>([
    [
      'knows of text that was not spoken',
      [say('a'), flush, endTurn('a'), final('a')],
      'error, contextClosed',
    ],
    ['and that it was dropped', [say('a'), endTurn('a'), final('a')], 'turnEnded, contextClosed'],
    ['and that there was none', [flush, endTurn('a'), final('a')], 'turnEnded, contextClosed'],
    [
      'and that a name is used again',
      [say('a'), audio('a'), final('a'), say('a'), flush, final('a')],
      'audio, turnEnded, contextClosed, error, contextClosed',
    ],
  ])('%s', (_, steps, events) => {
    expect(follow(...steps)).toBe(events);
  });
});
