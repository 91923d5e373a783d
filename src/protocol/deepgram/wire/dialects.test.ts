import { describe, expect, it } from 'vitest';
import type { Dialect, Intent } from '../../core/endpoint.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { readFluxIntents, readSpeakIntents } from './dialect.ts';
import { FluxDialect } from './flux-dialect.ts';
import { type SpeechFigures, speakWarning } from './server-frames.ts';
import { SpeakDialect } from './speak-dialect.ts';

const FORMAT = { encoding: 'pcm_s16le', sampleRate: 24_000 } as const;

const say = (text = 'Hi. '): Intent => ({ kind: 'say', context: '', text });
const flush: Intent = { kind: 'flush', context: '' };
const cancel = (playedMs?: number): Intent => ({
  kind: 'cancel',
  context: null,
  ...(playedMs === undefined ? {} : { playedMs }),
});
/** Another client sends it. */
const followed = (intent: Intent) => ({ followed: intent });
const AUDIO = new Uint8Array([0, 1]);

/** An intent, a message of the server, or audio. */
type Step = Intent | object;

/** Runs the steps on a new connection: what is sent (also by itself, after a message), and the events in short. */
function run(dialect: Dialect, steps: readonly Step[]) {
  const sent: unknown[] = [];
  const events: SpeechEvent[] = [];
  const send = (frames: readonly unknown[]) => sent.push(...frames.map((frame) => JSON.parse(String(frame))));
  for (const step of steps) {
    if ('kind' in step) send(dialect.encode(step));
    else if ('followed' in step) dialect.follow?.(step.followed as Intent);
    else {
      const frame = step === AUDIO ? AUDIO : JSON.stringify(step);
      events.push(...dialect.decode(frame));
      send(dialect.replies?.() ?? []);
    }
  }
  const told = events.map((event) => {
    if (event.type === 'chunkStarted') return `${event.isMore ? 'grown' : 'started'} ${event.text}`;
    if (event.type === 'interrupted') return `interrupted ${event.heard ?? ''}`.trim();
    if (event.type === 'error') return `error ${event.name}`;
    return event.type;
  });
  return { sent, events, told };
}

const speak = (...steps: readonly Step[]) => run(new SpeakDialect(FORMAT), steps);
const flux = (...steps: readonly Step[]) => run(new FluxDialect(FORMAT), steps);

const END = ['chunkCompleted', 'audioEnded', 'turnEnded'];
const flushed = (sequence_id = 0) => ({ type: 'Flushed', sequence_id });
const cleared = { type: 'Cleared', sequence_id: 0 };

describe('/v1/speak', () => {
  it('deepgram-turn-4 sends text and a flush, and the n-th Flushed ends the n-th turn', () => {
    const { sent, told } = speak(
      say(),
      say('You. '),
      flush,
      say('Two. '),
      flush,
      AUDIO,
      flushed(),
      AUDIO,
      flushed(1),
    );
    expect(sent).toEqual([
      { type: 'Speak', text: 'Hi. ' },
      { type: 'Speak', text: 'You. ' },
      { type: 'Flush' },
      { type: 'Speak', text: 'Two. ' },
      { type: 'Flush' },
    ]);
    expect(told).toEqual(['started Hi. You. ', 'audio', ...END, 'started Two. ', 'audio', ...END]);
  });

  it('deepgram-turn-6 a chunk that is spoken before the flush grows', () => {
    expect(speak(say(), AUDIO, say('You. '), flush, AUDIO, flushed()).told).toEqual([
      'started Hi. ',
      'audio',
      'grown Hi. You. ',
      'audio',
      ...END,
    ]);
  });

  it.each<[string, Step[], string[]]>([
    ['audio that is on its way', [AUDIO, cleared], ['started Hi. ', 'audio', 'interrupted']],
    ['a stale Flushed', [AUDIO, flushed(), cleared], ['started Hi. ', 'audio', ...END, 'interrupted']],
    ['nothing', [cleared], ['interrupted']],
  ])('deepgram-cancel-2 after a Clear comes %s, and the next turn is whole', (_, between, told) => {
    const { sent, told: all } = speak(
      say(),
      flush,
      cancel(),
      ...between,
      say('New. '),
      flush,
      AUDIO,
      flushed(1),
    );
    expect(sent).toContainEqual({ type: 'Clear' });
    expect(all).toEqual([...told, 'started New. ', 'audio', ...END]);
  });

  it('deepgram-turn-15 a refused flush fails its turn, and its text waits for the next flush', () => {
    const refused = speakWarning('EXCESSIVE_FLUSH', 'Rate limit exceeded for flushes.');
    expect(speak(say(), flush, refused, say('You. '), flush, AUDIO, flushed()).told).toEqual([
      'error EXCESSIVE_FLUSH',
      'started Hi. You. ',
      'audio',
      ...END,
    ]);
  });

  it.each([
    [{ type: 'Warning', code: 'A', description: 'b' }, 'A: b'],
    [{ type: 'Warning', warn_code: 'A', warn_msg: 'b' }, 'A: b'],
    [{ type: 'Warning', description: 'b' }, 'b'],
  ])('deepgram-message-26 reads %j', (frame, message) => {
    expect(speak(frame).events).toMatchObject([{ type: 'warning', message, endsTurn: false }]);
  });

  it('deepgram-end-2 a close that was asked for ends the turn that no flush ended', () => {
    const dialect = new SpeakDialect(FORMAT);
    run(dialect, [say(), { ...flush, kind: 'disconnect' }, AUDIO]);
    expect(dialect.closed(1000).map(({ type }) => type)).toEqual(END);
    expect(dialect.closed(1000)).toEqual([]);
  });

  it('counts characters, because no message has them', () => {
    const { events } = speak(say(), say('You. '), flush, AUDIO, flushed());
    expect(events.at(-1)).toMatchObject({ type: 'turnEnded', usage: { characters: 9 } });
  });
});

const figures = (audio_duration_ms: number, billable_character_count = 4): SpeechFigures => ({
  speech_id: 'dg_sp_000000000001',
  audio_duration_ms,
  input_character_count: 4,
  billable_character_count,
  controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
});
const started = { type: 'SpeechStarted', speech_id: 'dg_sp_000000000001' };
const metadata = (ms: number) => ({ type: 'SpeechMetadata', ...figures(ms) });
const interrupted = (audio_played_ms: number, text_spoken?: string) => ({
  type: 'SpeechInterrupted',
  audio_played_ms,
  ...(text_spoken === undefined ? {} : { text_spoken, text_remaining: '' }),
  metadata: figures(0),
});
const warning = (code: string) => ({ type: 'Warning', code, description: 'x' });
const fluxFlushed = { type: 'Flushed', speech_id: 'dg_sp_000000000001' };
const interrupt = (value?: number) => ({
  type: 'Interrupt',
  ...(value === undefined ? {} : { playback_offset: { type: 'time_ms', value } }),
});

describe('/v2/speak', () => {
  it.each<[string, Step[]]>([
    ['first', [fluxFlushed, AUDIO]],
    ['before the metadata', [AUDIO, fluxFlushed]],
  ])('deepgram-turn-11 a turn ends with its metadata, and Flushed may come %s', (_, between) => {
    const { told, events } = flux(say(), started, say('You. '), flush, ...between, metadata(480));
    expect(told).toEqual(['started Hi. ', 'grown Hi. You. ', 'audio', ...END]);
    expect(events.at(-1)).toMatchObject({ usage: { audioSeconds: 0.48, characters: 4 } });
  });

  it('deepgram-cancel-5 the offset of an interrupt counts from the beginning of the session', () => {
    const { sent, told, events } = flux(
      ...[say(), flush, started, AUDIO, metadata(3000)],
      ...[say(), flush, started, AUDIO, cancel(480.4), interrupted(3480, 'Hi.')],
      ...[say(), flush, started, AUDIO, cancel(100)],
    );
    expect(sent).toContainEqual(interrupt(3480));
    expect(sent.at(-1)).toEqual(interrupt(3580));
    expect(told).toContain('interrupted Hi.');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'interrupted', usage: expect.objectContaining({ characters: 4 }) }),
    );
  });

  it.each([undefined, 0])('an interrupt of a turn that was not heard (%s) has no offset', (playedMs) => {
    expect(flux(say(), started, cancel(playedMs)).sent.at(-1)).toEqual(interrupt());
  });

  it('deepgram-cancel-8 asks again where the turn had no audio yet', () => {
    const { sent, told } = flux(
      ...[say(), flush, started, cancel(), warning('NO_AUDIO_GENERATED')],
      ...[AUDIO, interrupted(0), say('New. '), flush, started, AUDIO, metadata(40)],
    );
    expect(sent.filter((frame) => JSON.stringify(frame).includes('Interrupt'))).toEqual([
      interrupt(),
      interrupt(),
    ]);
    expect(told).toEqual([
      'started Hi. ',
      'warning',
      'audio',
      'interrupted',
      'started New. ',
      'audio',
      ...END,
    ]);
  });

  it('ends the text of a turn that is interrupted later, so that other text begins another', () => {
    const { sent } = flux(say(), started, cancel(), warning('NO_AUDIO_GENERATED'), AUDIO);
    expect(sent.slice(1)).toEqual([interrupt(), { type: 'Flush' }, interrupt()]);
  });

  it('deepgram-cancel-8 asks again without an offset that was refused', () => {
    const { sent } = flux(say(), started, AUDIO, cancel(40), warning('INVALID_INTERRUPT_OFFSET'));
    expect(sent.slice(-2)).toEqual([interrupt(40), interrupt()]);
  });

  it('deepgram-error-2 a turn that ends as its interrupt comes is over', () => {
    const { told } = flux(
      ...[say(), flush, started, AUDIO, cancel(40), metadata(40), warning('NO_ACTIVE_SPEECH')],
      ...[say('New. '), flush, started, AUDIO, metadata(40)],
    );
    expect(told.slice(5)).toEqual(['warning', 'interrupted', 'started New. ', 'audio', ...END]);
  });

  it('deepgram-cancel-10 interrupts every turn that was cancelled, and says once that all are over', () => {
    const { sent, told } = flux(
      ...[say(), flush, say('Two. '), flush, started, AUDIO, cancel(40)],
      ...[interrupted(40, 'Hi.'), started, AUDIO, interrupted(80)],
    );
    expect(sent.filter((frame) => JSON.stringify(frame).includes('Interrupt'))).toEqual([
      interrupt(40),
      interrupt(),
    ]);
    expect(told).toEqual(['started Hi. ', 'audio', 'started Two. ', 'audio', 'interrupted Hi.']);
  });

  it('deepgram-client-4 an interrupt of another client with nothing to interrupt is answered, and nothing is sent for it', () => {
    const { sent, told } = flux(followed(cancel()), warning('NO_ACTIVE_SPEECH'));
    expect(sent).toEqual([]);
    expect(told).toEqual(['warning', 'interrupted']);
  });

  it.each([
    ['the speech that nobody asked for', [AUDIO], 'first'],
    ['nothing, as a turn of white space has no speech', [followed(say(' ')), followed(flush)], 'nothing'],
  ] as const)('an interrupt of another client ends %s', (_, before, ends) => {
    const { events } = flux(...before, followed(cancel()), interrupted(40));
    expect(events.at(-1)).toMatchObject({ type: 'interrupted', ends });
  });

  it('an empty flush takes no turn', () => {
    const { told } = flux(flush, warning('NO_ACTIVE_SPEECH'), say(), flush, started, AUDIO, metadata(40));
    expect(told).toEqual(['warning', 'started Hi. ', 'audio', ...END]);
  });

  it('deepgram-error-2 on a slow network, the answer to an empty flush is not that to a later interrupt', () => {
    const { sent, told } = flux(
      ...[flush, say(), flush, cancel(), warning('NO_ACTIVE_SPEECH'), started, AUDIO, interrupted(40)],
      ...[say('New. '), flush, started, AUDIO, metadata(40)],
    );
    expect(sent.filter((frame) => JSON.stringify(frame).includes('Interrupt'))).toEqual([interrupt()]);
    expect(told).toEqual([
      ...['warning', 'started Hi. ', 'audio', 'interrupted'],
      ...['started New. ', 'audio', ...END],
    ]);
  });

  it.each(['', ' '])(
    'deepgram-text-8 a turn of %j has an end and no chunk, and the next one is whole',
    (blank) => {
      const { told } = flux(
        ...[say(blank), flush, say(), flush, started, warning('NO_SYNTHESIZABLE_TEXT'), metadata(0)],
        ...[started, AUDIO, metadata(40)],
      );
      expect(told).toEqual(['warning', ...END.slice(1), 'started Hi. ', 'audio', ...END]);
    },
  );

  it('deepgram-text-8 an empty text is read on this socket alone', () => {
    const empty = '{"type":"Speak","text":""}';
    expect(readFluxIntents(empty)).toEqual([say('')]);
    expect(readSpeakIntents(empty)).toEqual([]);
  });

  it('deepgram-end-4 text of another client behind its Close is no turn', () => {
    const { told } = flux(
      ...[followed(say()), followed({ kind: 'disconnect' }), followed(say('Late. '))],
      ...[started, AUDIO, metadata(40)],
    );
    expect(told).toEqual(['started Hi. ', 'audio', ...END]);
  });

  it('deepgram-message-12 a pace is configured on the connection, and again as 1 once it is unset', () => {
    const open = (settings: object): Intent => ({ kind: 'open', settings: { ...settings } });
    expect(
      flux(open({ model: 'flux-alexis-en' }), open({ speed: 1.1 }), open({ speed: 1.1 }), open({})).sent,
    ).toEqual([
      { type: 'Configure', speed: 1.1 },
      { type: 'Configure', speed: 1 },
    ]);
    const failure = { type: 'ConfigureFailure', code: 'SPEED_OUT_OF_RANGE', description: 'x' };
    expect(flux(failure).events).toMatchObject([
      { type: 'error', name: 'SPEED_OUT_OF_RANGE', ends: 'nothing' },
    ]);
  });

  it('deepgram-close-15 an error ends the connection', () => {
    const frame = { type: 'Error', code: 'NET-0004', description: 'No message.' };
    expect(flux(frame).events).toMatchObject([
      { type: 'error', context: null, name: 'NET-0004', message: 'No message.' },
    ]);
  });
});
