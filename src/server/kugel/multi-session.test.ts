import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeClock, settle } from '../fake-clock.test-helper.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import type { TestEngine } from '../test-engine.test-helper.ts';
import { MultiSession } from './multi-session.ts';
import { MAX_UNSPOKEN_CHARS, MAX_WAITING_TURNS } from './refusals.ts';
import { createSessionWorld } from './session-world.test-helper.ts';
import { type Frame, kindsOf } from './socket-client.test-helper.ts';

let clock: FakeClock;
let engine: TestEngine;
let session: MultiSession;
let frames: Frame[];
let closes: [number, string][];
let logged: unknown[];

function open(priced = true): void {
  const world = createSessionWorld(priced);
  ({ clock, engine, frames, closes, logged } = world);
  session = new MultiSession(world.options);
}

beforeEach(() => open());

const send = (message: unknown) => session.text(JSON.stringify(message));
const VOICE = { voice_settings: { voice_id: 1071 } };
const create = (id: string, more: Frame = {}) => send({ text: ' ', context_id: id, ...VOICE, ...more });
const say = (id: string, text: string, more: Frame = {}) => send({ text, context_id: id, ...more });

/** Kinds of frames in order, all of them or those of one context. */
const kinds = (id?: string): string[] => kindsOf(id === undefined ? frames : ofContext(id));
const ofContext = (id: string): Frame[] => frames.filter((frame) => frame.context_id === id);
const of = (marker: string): Frame[] => frames.filter((frame) => marker in frame);
const usage = (id: string): Frame | undefined =>
  of('context_closed').find((frame) => frame.context_id === id)?.usage as Frame | undefined;

const CHUNK = ['generation_started', 'audio', 'chunk_complete'];
const ERROR = { request_id: 'r-1' };

describe('creation', () => {
  it('3.3.6, 3.3.7 a blank text creates the context, which speaks nothing', async () => {
    create('ctx1');
    await clock.advance(5000);
    expect(frames).toEqual([{ context_created: true, context_id: 'ctx1' }]);
    expect(engine.requests).toEqual([]);
  });

  it('3.3.5 so does an empty text with voice_settings', () => {
    create('a', { text: '' });
    send({ context_id: 'b', ...VOICE });
    expect(kinds()).toEqual(['context_created', 'context_created']);
  });

  it('seed: the first text creates it too, and may bring its flush', async () => {
    say('call-42', 'Hello, how can I help you today?', { ...VOICE, output_format: 'ulaw_8000', flush: true });
    await settle();
    expect(kinds()).toEqual(['context_created', ...CHUNK, 'final']);
    expect(of('audio')[0]).toMatchObject({ enc: 'mulaw', sr: 8000, context_id: 'call-42' });
  });

  it('10.18 flush with voice settings creates, flush of an unknown context is refused', async () => {
    send({ flush: true, context_id: 'a', ...VOICE });
    await settle();
    expect(kinds('a')).toEqual(['context_created', 'final']);
    send({ flush: true, context_id: 'b' });
    expect(ofContext('b')).toMatchObject([{ ...ERROR, error_code: 'VALIDATION_ERROR', code: 400 }]);
  });

  it('a keep-alive for an unknown context changes nothing and is no error', () => {
    say('gone', '');
    expect(frames).toEqual([]);
  });

  it('3.3.8 the voice is bound at creation; another one later is not taken', async () => {
    create('a');
    say('a', 'Hello', { voice_settings: { voice_id: 1072 }, voice_id: 1072, flush: true });
    await settle();
    expect(engine.requests[0]?.voice).toBe(LOCAL_CATALOGUE.find(1071));
  });

  it('3.3.8 a voice at the top level gives no context its voice: MISSING_VOICE_ID', async () => {
    send({ voice_id: 1071 });
    send({ text: ' ', context_id: 'a', voice_id: 1071 });
    say('a', 'Hello', { flush: true });
    expect(kinds('a')).toEqual(['context_created', 'error']);
    expect(of('error')).toMatchObject([
      { ...ERROR, error_code: 'MISSING_VOICE_ID', code: 400, context_id: 'a' },
    ]);
    send({ flush: true, context_id: 'a' });
    await settle();
    expect(kinds('a').at(-1)).toBe('final');
    expect(engine.requests).toEqual([]);
  });

  it('text that would create a context without a voice creates none', () => {
    say('a', 'Hello');
    expect(frames).toMatchObject([{ error_code: 'MISSING_VOICE_ID', context_id: 'a' }]);
    create('a');
    expect(kinds().at(-1)).toBe('context_created');
  });

  it('3.3.21 the first frame of the LiveKit plugin creates nothing and is no error', () => {
    send({ text: '', voice_id: 1071, model_id: 'kugel-3' });
    expect(frames).toEqual([]);
  });

  it('text without a context is refused', () => {
    send({ text: 'Hello' });
    expect(frames).toMatchObject([{ error_code: 'VALIDATION_ERROR', code: 400 }]);
    expect(frames[0]).not.toHaveProperty('context_id');
  });
});

describe('speaking', () => {
  it('3.3.10 flush: every frame of the text before it, then final; the context stays open', async () => {
    create('a');
    say('a', 'One');
    send({ flush: true, context_id: 'a' });
    await settle();
    expect(kinds()).toEqual(['context_created', ...CHUNK, 'final']);
    expect(frames.at(-1)).toEqual({ final: true, context_id: 'a' });
    say('a', 'Two', { flush: true });
    await settle();
    expect(kinds()).toEqual(['context_created', ...CHUNK, 'final', ...CHUNK, 'final']);
  });

  it('a flush with nothing buffered is answered too, and each flush has its final', async () => {
    create('a');
    engine.hold();
    say('a', 'One', { flush: true });
    send({ flush: true, context_id: 'a' });
    say('a', 'Two', { flush: true });
    await settle();
    expect(kinds('a')).toEqual(['context_created', 'generation_started']);
    engine.release();
    await settle();
    expect(kinds('a')).toEqual(['context_created', ...CHUNK, 'final', 'final', ...CHUNK, 'final']);
  });

  it('text without a flush is spoken after 500 ms, without a final', async () => {
    create('a');
    say('a', 'No mark here');
    await clock.advance(499);
    expect(kinds()).toEqual(['context_created']);
    await clock.advance(1);
    expect(kinds()).toEqual(['context_created', ...CHUNK]);
    await clock.advance(10_000);
    expect(of('final')).toEqual([]);
  });

  it('3.3.9 an id is used over several turns, whose chunks and audio frames are numbered from 0', async () => {
    create('a');
    for (const text of ['First turn. It has two sentences.', 'Second']) {
      say('a', text, { flush: true });
      await settle();
    }
    expect(of('generation_started').map((frame) => frame.chunk_id)).toEqual([0, 1, 0]);
    expect(of('audio').filter((frame) => frame.idx === 0)).toHaveLength(2);
  });

  it('every frame of a context carries its id, and words too', async () => {
    create('a', { word_timestamps: true });
    say('a', 'Good morning', { flush: true });
    await settle();
    expect(kinds()).toEqual([
      'context_created',
      'generation_started',
      'audio',
      'word_timestamps',
      'chunk_complete',
      'final',
    ]);
    expect(ofContext('a')).toHaveLength(frames.length);
  });

  it('3.3.15 contexts are independent: twenty speak at once, and none waits for another', async () => {
    for (let at = 0; at < 20; at += 1) create(`c${at}`);
    for (let at = 0; at < 20; at += 1)
      say(`c${at}`, 'A line that takes a good many frames to be said. '.repeat(8));
    for (let at = 0; at < 20; at += 1) send({ flush: true, context_id: `c${at}` });
    await settle();
    await clock.advance(0);
    for (let round = 0; round < 20; round += 1) await settle();
    const firstAudio = Array.from({ length: 20 }, (_, at) =>
      frames.findIndex((frame) => 'audio' in frame && frame.context_id === `c${at}`),
    );
    const firstEnd = frames.findIndex((frame) => 'final' in frame);
    expect(firstEnd).toBeGreaterThan(Math.max(...firstAudio));
    expect(new Set(engine.requests.map((request) => request.context)).size).toBe(20);
  });

  it('ids may hold any characters', async () => {
    const id = 'a"b\\c\u2028 {}🙂';
    create(id);
    say(id, 'Hello', { flush: true });
    await settle();
    expect(kinds(id)).toEqual(['context_created', ...CHUNK, 'final']);
  });
});

describe('settings', () => {
  it('seed: session-level settings may stand anywhere, and hold for all contexts', async () => {
    send({ model_id: 'kugel-2', voice_settings: { language: 'de' } });
    create('a');
    say('b', 'Hallo', { voice_settings: { voice_id: 1072, sample_rate: 16_000 }, flush: true });
    say('a', 'Guten Tag', { flush: true });
    await settle();
    expect(engine.requests.map(({ language, sampleRate }) => [language, sampleRate])).toEqual([
      ['de', 16_000],
      ['de', 16_000],
    ]);
    send({ close_context: true, context_id: 'a' });
    await settle();
    expect(usage('a')).toMatchObject({ model_id: 'kugel-2' });
  });

  it('decision 7: they take effect with the next turn of each context', async () => {
    create('a', { language: 'en' });
    say('a', 'One');
    send({ language: 'fr' });
    send({ flush: true, context_id: 'a' });
    say('a', 'Two', { flush: true });
    await settle();
    expect(engine.requests.map((request) => request.language)).toEqual(['en', 'fr']);
  });

  it('seed: output_format is set once; another value is refused and changes nothing', async () => {
    create('a', { voice_settings: { voice_id: 1071, output_format: 'ulaw_8000' } });
    say('a', 'Hello', { output_format: 'pcm_24000', flush: true });
    expect(of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', code: 400, context_id: 'a' }]);
    expect(String(of('error')[0]?.error)).toMatch(/output_format: expected ulaw_8000, which was set once/);
    say('a', 'There', { output_format: 'ulaw_8000', flush: true });
    await settle();
    expect(engine.requests.map((request) => request.text)).toEqual(['There']);
    expect(of('audio')[0]).toMatchObject({ enc: 'mulaw', sr: 8000 });
  });

  it('1.5.4 a rate that disagrees with it is refused, the default rate is not', () => {
    send({ output_format: 'ulaw_8000' });
    send({ sample_rate: 24_000 });
    expect(frames).toEqual([]);
    send({ sample_rate: 16_000 });
    expect(frames).toMatchObject([{ error_code: 'VALIDATION_ERROR' }]);
  });

  it('3.3.19 speed and temperature are session-wide, the last writer wins, for contexts started later', async () => {
    create('a', { speed: 1.2, temperature: 0.9 });
    create('b', { speed: 0.8 });
    create('c');
    for (const id of ['a', 'b', 'c']) say(id, 'Hello', { flush: true });
    await settle();
    expect(engine.requests.map(({ speed, variation }) => [speed, variation])).toEqual([
      [1.2, 0.9],
      [0.8, 0.9],
      [0.8, 0.9],
    ]);
  });

  it('3.1 inside voice_settings they are dropped silently', async () => {
    create('a', { voice_settings: { voice_id: 1071, speed: 1.2, temperature: 7 } });
    say('a', 'Hello', { flush: true });
    await settle();
    expect(of('error')).toEqual([]);
    expect(engine.requests[0]).toMatchObject({ speed: 1, variation: 0.4 });
  });

  it('3.3.20 update_settings holds for contexts that start afterwards', async () => {
    create('a', { language: 'en' });
    send({ update_settings: { speed: 1.1, language: 'de' } });
    expect(frames.at(-1)).toEqual({
      settings_updated: true,
      settings: {
        cfg_scale: 2,
        temperature: 0.4,
        speed: 1.1,
        max_new_tokens: 2048,
        language: 'de',
        normalize: true,
      },
    });
    create('b');
    for (const id of ['a', 'b']) say(id, 'Hello', { flush: true });
    await settle();
    expect(engine.requests.map(({ speed, language }) => [speed, language])).toEqual([
      [1, 'en'],
      [1.1, 'de'],
    ]);
  });

  it('2.3.28 an update of the format is refused whole', () => {
    send({ update_settings: { speed: 1.1, sample_rate: 8000 } });
    expect(frames).toMatchObject([{ error_code: 'VALIDATION_ERROR' }]);
    send({ update_settings: {} });
    expect(of('settings_updated')[0]).toMatchObject({ settings: { speed: 1 } });
  });

  it('seed: dictionary_ids: omitted the active ones, empty none, a list exactly those', async () => {
    create('a', { language: 'en' });
    for (const dictionary_ids of [undefined, [], [3]]) {
      say('a', 'Hello', { flush: true, dictionary_ids });
      await settle();
    }
    expect(engine.requests.map(({ pronunciations }) => pronunciations[0]?.word)).toEqual([
      'SQL',
      undefined,
      'hello',
    ]);
  });
});

describe('3.3.3 inactivity', () => {
  it('closes a context after 20 s: context_closed without usage, as it never spoke', async () => {
    create('a');
    create('b');
    await clock.advance(10_000);
    say('b', '');
    await clock.advance(9999);
    expect(kinds()).toEqual(['context_created', 'context_created']);
    await clock.advance(1);
    expect(frames.at(-1)).toEqual({ context_closed: true, context_id: 'a' });
  });

  it('3.3.4 a keep-alive begins the time anew and generates nothing', async () => {
    create('a');
    for (let round = 0; round < 5; round += 1) {
      await clock.advance(19_000);
      say('a', '');
    }
    expect(kinds()).toEqual(['context_created']);
    expect(engine.requests).toEqual([]);
  });

  it('10.16 generation counts as activity', async () => {
    create('a');
    engine.hold();
    say('a', 'Hello', { flush: true });
    await clock.advance(60_000);
    expect(of('context_closed')).toEqual([]);
    engine.release();
    await clock.advance(19_999);
    expect(of('context_closed')).toEqual([]);
    await clock.advance(1);
    expect(kinds('a')).toEqual(['context_created', ...CHUNK, 'final', 'context_closed']);
  });

  it('decision 2 (15): final first, if it spoke since its last final', async () => {
    create('a');
    say('a', 'Never flushed');
    await clock.advance(20_500);
    expect(kinds('a')).toEqual(['context_created', ...CHUNK, 'final', 'context_closed']);
    expect(usage('a')).toMatchObject({ audio_seconds: 0.13, characters: 13 });
  });

  it('what an open tag still holds back is spoken before the end', async () => {
    create('a');
    say('a', 'Code <spell>AB');
    await clock.advance(20_000);
    expect(kinds('a')).toEqual(['context_created', ...CHUNK, 'final', 'context_closed']);
  });

  it('decision 2 (15): when the last one ends so, session_closed follows and the socket stays', async () => {
    create('a');
    create('b');
    say('a', 'Hello', { flush: true });
    await clock.advance(20_000);
    expect(kinds().slice(-3)).toEqual(['context_closed', 'context_closed', 'session_closed']);
    expect(frames.at(-1)).toEqual({ session_closed: true, total_audio_seconds: 0.05 });
    expect(closes).toEqual([]);
    create('a');
    expect(kinds().at(-1)).toBe('context_created');
  });

  it('one that was closed on request ends no session', async () => {
    create('a');
    send({ close_context: true, context_id: 'a' });
    await clock.advance(60_000);
    expect(of('session_closed')).toEqual([]);
  });

  it('decision 2 (21): inactivity_timeout from 1 to 180 s', async () => {
    create('a', { inactivity_timeout: 2 });
    await clock.advance(2000);
    expect(kinds('a')).toEqual(['context_created', 'context_closed']);
    send({ inactivity_timeout: 181 });
    expect(frames.at(-1)).toMatchObject({ error_code: 'VALIDATION_ERROR' });
  });
});

describe('closing', () => {
  it('3.3.11 queued sentences finish, then final, then context_closed with usage', async () => {
    create('a');
    say('a', 'Good morning. And then the rest');
    send({ close_context: true, context_id: 'a' });
    await settle();
    expect(kinds()).toEqual(['context_created', ...CHUNK, ...CHUNK, 'final', 'context_closed']);
    expect(usage('a')).toEqual({
      audio_seconds: 0.3,
      characters: 31,
      cost_cents: 0.03,
      currency: 'eur',
      model_id: 'kugel-3',
    });
  });

  it('seed: final of the flush, and again right before context_closed', async () => {
    create('a');
    say('a', 'Hello', { flush: true });
    send({ close_context: true, context_id: 'a' });
    await settle();
    expect(kinds()).toEqual(['context_created', ...CHUNK, 'final', 'final', 'context_closed']);
  });

  it('3.3.14 a context that never spoke carries no usage', async () => {
    create('a');
    send({ close_context: true, context_id: 'a' });
    expect(frames.slice(1)).toEqual([
      { final: true, context_id: 'a' },
      { context_closed: true, context_id: 'a' },
    ]);
  });

  it('3.3.12 immediate: nothing more is spoken, no final, context_closed follows', async () => {
    create('a');
    create('b');
    engine.hold();
    say('a', 'A long one that is being said. And a second sentence of it', { flush: true });
    say('b', 'Not disturbed', { flush: true });
    await settle();
    send({ close_context: true, context_id: 'a', immediate: true });
    expect(kinds('a')).toEqual(['context_created', 'generation_started', 'context_closed']);
    engine.release();
    await clock.advance(5000);
    expect(kinds('a')).toEqual(['context_created', 'generation_started', 'context_closed']);
    // 3.3.15: the other one goes on.
    expect(kinds('b')).toEqual(['context_created', ...CHUNK, 'final']);
  });

  it('usage covers the whole life: every turn, and what was sent of a cancelled one', async () => {
    create('a');
    for (const text of ['Hello', 'there']) say('a', text, { flush: true });
    await settle();
    say('a', 'x'.repeat(45));
    await clock.advance(500);
    send({ cancel: true, context_id: 'a' });
    send({ close_context: true, context_id: 'a' });
    const samples = of('audio').reduce((sum, frame) => sum + Number(frame.samples), 0);
    expect(usage('a')).toMatchObject({ audio_seconds: samples / 24_000, characters: 55 });
  });

  it('3.3.13 nothing of a context follows its context_closed, and 10.17 its id opens another', async () => {
    create('a');
    say('a', 'Hello');
    send({ close_context: true, context_id: 'a', immediate: true });
    say('a', 'Again', { ...VOICE, flush: true });
    await settle();
    expect(kinds('a')).toEqual(['context_created', 'context_closed', 'context_created', ...CHUNK, 'final']);
    expect(engine.requests.map((request) => request.text)).toEqual(['Again']);
  });

  it('10.18 close of an unknown context is answered without usage', () => {
    send({ close_context: true, context_id: 'x' });
    send({ close_context: true, context_id: 'y', immediate: true });
    expect(frames).toEqual([
      { context_closed: true, context_id: 'x' },
      { context_closed: true, context_id: 'y' },
    ]);
  });

  it('text for a context that is closing is refused, and does not disturb it', async () => {
    create('a');
    engine.hold();
    say('a', 'Hello');
    send({ close_context: true, context_id: 'a' });
    say('a', 'More', { flush: true });
    say('a', '');
    send({ close_context: true, context_id: 'a' });
    expect(of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', context_id: 'a' }]);
    engine.release();
    await settle();
    expect(kinds('a').filter((kind) => kind !== 'error')).toEqual([
      'context_created',
      ...CHUNK,
      'final',
      'context_closed',
    ]);
  });

  it('a graceful close may be cut short', async () => {
    create('a');
    engine.hold();
    say('a', 'Hello');
    send({ close_context: true, context_id: 'a' });
    await settle();
    send({ close_context: true, context_id: 'a', immediate: true });
    expect(kinds('a')).toEqual(['context_created', 'generation_started', 'context_closed']);
  });

  it('seed: cost_cents is null with cost_unavailable where the charge is unknown', async () => {
    open(false);
    create('a');
    say('a', 'Hello');
    send({ close_context: true, context_id: 'a' });
    await settle();
    expect(usage('a')).toEqual({
      audio_seconds: 0.05,
      characters: 5,
      cost_cents: null,
      cost_unavailable: true,
      model_id: 'kugel-3',
    });
  });
});

describe('3.3.1 the limit', () => {
  it('3.3.2 the 21st live context is refused alone; after a close there is room', async () => {
    for (let at = 0; at < 20; at += 1) create(`c${at}`);
    expect(of('error')).toEqual([]);
    say('c0', 'Hello', { flush: true });
    create('one-more');
    expect(of('error')).toMatchObject([
      { ...ERROR, error_code: 'TOO_MANY_CONTEXTS', code: 429, context_id: 'one-more' },
    ]);
    await settle();
    expect(kinds('c0')).toEqual(['context_created', ...CHUNK, 'final']);
    expect(closes).toEqual([]);
    send({ close_context: true, context_id: 'c7' });
    create('one-more');
    expect(kinds('one-more')).toEqual(['error', 'context_created']);
  });

  it('one that is still closing counts', async () => {
    for (let at = 0; at < 20; at += 1) create(`c${at}`);
    engine.hold();
    say('c0', 'Hello');
    send({ close_context: true, context_id: 'c0' });
    create('x');
    expect(of('error')).toHaveLength(1);
    engine.release();
    await settle();
    create('x');
    expect(of('error')).toHaveLength(1);
  });
});

describe('3.3.22 cancel', () => {
  it('of one: its text and speech are dropped, interrupted names it, the context stays open and empty', async () => {
    create('a');
    create('b');
    engine.hold();
    say('a', 'First. Second that waits', { flush: true });
    say('b', 'Not disturbed', { flush: true });
    await settle();
    send({ cancel: true, context_id: 'a' });
    expect(frames.at(-1)).toEqual({ interrupted: true, context_id: 'a' });
    engine.release();
    await settle();
    expect(kinds('a')).toEqual(['context_created', 'generation_started', 'interrupted']);
    expect(kinds('b')).toEqual(['context_created', ...CHUNK, 'final']);
    say('a', 'Fresh', { flush: true });
    await settle();
    expect(kinds('a').slice(3)).toEqual([...CHUNK, 'final']);
    expect(of('generation_started').at(-1)).toMatchObject({ chunk_id: 0, text: 'Fresh' });
  });

  it('of all: every context that takes text, one that is closing ends in its own time', async () => {
    for (const id of ['a', 'b', 'c']) create(id);
    engine.hold();
    for (const id of ['a', 'b', 'c']) say(id, 'Hello', { flush: true });
    send({ close_context: true, context_id: 'c' });
    await settle();
    send({ cancel: true });
    expect(frames.at(-1)).toEqual({ interrupted: true });
    engine.release();
    await settle();
    expect(kinds('a')).toEqual(['context_created', 'generation_started']);
    expect(kinds('c')).toEqual(['context_created', ...CHUNK, 'final', 'final', 'context_closed']);
  });

  it('of one that is closing: interrupted, then context_closed without final', async () => {
    create('a');
    engine.hold();
    say('a', 'Hello');
    send({ close_context: true, context_id: 'a' });
    await settle();
    send({ cancel: true, context_id: 'a' });
    expect(kinds('a')).toEqual(['context_created', 'generation_started', 'interrupted', 'context_closed']);
  });

  it('with nothing running, and of an unknown context, it is acknowledged', () => {
    send({ cancel: true });
    send({ cancel: true, context_id: 'x' });
    expect(frames).toEqual([{ interrupted: true }, { interrupted: true, context_id: 'x' }]);
  });
});

describe('3.3.16 the end of the connection', () => {
  it('10.20 close_socket drains, closes every context, then session_closed, then 1000', async () => {
    create('a');
    create('b');
    create('idle');
    engine.hold();
    say('a', 'Hello', { flush: true });
    say('b', 'There');
    send({ close_socket: true });
    await settle();
    expect(closes).toEqual([]);
    engine.release();
    await settle();
    expect(kinds('a')).toEqual(['context_created', ...CHUNK, 'final', 'final', 'context_closed']);
    expect(kinds('b')).toEqual(['context_created', ...CHUNK, 'final', 'context_closed']);
    expect(kinds('idle')).toEqual(['context_created', 'final', 'context_closed']);
    expect(frames.at(-1)).toEqual({ session_closed: true, total_audio_seconds: 0.1 });
    expect(closes).toEqual([[1000, '']]);
  });

  it('without a context it is answered at once', () => {
    send({ close_socket: true });
    expect(frames).toEqual([{ session_closed: true, total_audio_seconds: 0 }]);
    expect(closes).toEqual([[1000, '']]);
  });

  it('afterwards messages are refused, but a barge-in is taken', async () => {
    create('a');
    engine.hold();
    say('a', 'Hello');
    send({ close_socket: true });
    say('a', 'More');
    create('b');
    expect(of('error')).toHaveLength(2);
    await settle();
    send({ cancel: true });
    expect(kinds().slice(-3)).toEqual(['interrupted', 'context_closed', 'session_closed']);
    expect(closes).toEqual([[1000, '']]);
  });

  it('2.3.33 going away: an idle session closes 1012 at once, a busy one after its session_closed', async () => {
    session.goingAway();
    expect(frames).toEqual([]);
    expect(closes).toEqual([[1012, 'restarting']]);
    open();
    create('a');
    say('a', 'Hello');
    session.goingAway();
    expect(closes).toEqual([]);
    await settle();
    expect(kinds()).toEqual(['context_created', ...CHUNK, 'final', 'context_closed', 'session_closed']);
    expect(closes).toEqual([[1012, 'restarting']]);
  });

  it('2.3.33 going away: idle contexts end without a frame', async () => {
    for (const id of ['idle', 'spoken', 'busy']) create(id);
    say('spoken', 'Hello', { flush: true });
    await settle();
    engine.hold();
    say('busy', 'Hello');
    session.goingAway();
    engine.release();
    await settle();
    expect(frames.filter((frame) => 'context_closed' in frame)).toMatchObject([{ context_id: 'busy' }]);
    expect(kinds()).not.toContain('session_closed');
    expect(closes).toEqual([[1012, 'restarting']]);
    open();
    create('idle');
    frames.length = 0;
    session.goingAway();
    expect(frames).toEqual([]);
    expect(closes.at(-1)).toEqual([1012, 'restarting']);
  });

  it('2.3.25 a client that is gone gets nothing and costs nothing', async () => {
    create('a');
    engine.hold();
    say('a', 'Hello', { flush: true });
    await settle();
    session.gone();
    engine.release();
    await clock.advance(60_000);
    expect(kinds()).toEqual(['context_created', 'generation_started']);
  });
});

describe('decision 2.11 a refused message changes nothing', () => {
  const refused: [string, Frame, string, number][] = [
    ['decision 8: speed', { speed: 3 }, 'VALIDATION_ERROR', 400],
    ['decision 8: a nested field', { voice_settings: { max_new_tokens: 0 } }, 'VALIDATION_ERROR', 400],
    ['1.4 an unknown voice', { voice_settings: { voice_id: 99_999 } }, 'NOT_FOUND', 404],
    ['1.4 an unknown voice at the top level', { voice_id: 99_999 }, 'NOT_FOUND', 404],
    ['1.4 an unknown dictionary', { dictionary_ids: [77] }, 'VALIDATION_ERROR', 400],
    ['decision 13: text over 10,000', { text: 'x'.repeat(10_001) }, 'VALIDATION_ERROR', 400],
    [
      '1.5.4 formats that disagree',
      { output_format: 'ulaw_8000', sample_rate: 16_000 },
      'VALIDATION_ERROR',
      400,
    ],
  ];
  it.each(refused)('%s, reported with the context', async (_, message, name, code) => {
    create('a');
    say('a', 'Hello');
    send({ context_id: 'a', text: 'No', flush: true, temperature: 1, ...message });
    expect(of('error')).toMatchObject([{ ...ERROR, error_code: name, code, context_id: 'a' }]);
    create('b');
    say('a', ' there', { flush: true });
    say('b', 'Hi', { flush: true });
    await settle();
    expect(engine.requests.map(({ text, variation }) => [text, variation])).toEqual([
      ['Hello there', 0.4],
      ['Hi', 0.4],
    ]);
    expect(closes).toEqual([]);
  });

  it.each([['{"text":'], ['[]'], ['null'], ['7'], ['']])(
    'decision 5: %s is a VALIDATION_ERROR and the socket stays open',
    (message) => {
      session.text(message);
      expect(of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', code: 400 }]);
      expect(closes).toEqual([]);
    },
  );

  it('decision 5: so is a binary message', () => {
    session.binary();
    expect(of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', code: 400 }]);
  });

  it('bounds the turns that wait over all contexts', async () => {
    engine.hold();
    create('a');
    create('b');
    for (let turn = 0; turn < MAX_WAITING_TURNS; turn += 1) say(turn % 2 ? 'a' : 'b', 'a', { flush: true });
    expect(of('error')).toEqual([]);
    say('a', 'one more', { flush: true });
    send({ flush: true, context_id: 'b' });
    expect(of('error').map((frame) => frame.context_id)).toEqual(['a', 'b']);
    send({ cancel: true });
    say('a', 'fine', { flush: true });
    engine.release();
    await settle();
    expect(kinds('a').at(-1)).toBe('final');
  });

  it('bounds the text that waits over all contexts', async () => {
    engine.hold();
    create('a');
    create('b');
    for (let at = 0; at < MAX_UNSPOKEN_CHARS; at += 10_000)
      say(at % 20_000 ? 'a' : 'b', 'word '.repeat(2000));
    expect(of('error')).toEqual([]);
    say('a', 'word '.repeat(2000));
    expect(String(of('error')[0]?.error)).toMatch(/waiting to be spoken/);
  });
});

describe('failure of generation', () => {
  it('is an error of its context alone: no final, nothing charged, and both go on', async () => {
    create('a');
    create('b');
    engine.failNext();
    say('a', 'Hello', { flush: true });
    say('b', 'There', { flush: true });
    await settle();
    expect(kinds('a')).toEqual(['context_created', 'generation_started', 'error']);
    expect(of('error')).toMatchObject([
      { ...ERROR, error_code: 'INTERNAL_ERROR', code: 500, context_id: 'a' },
    ]);
    expect(kinds('b')).toEqual(['context_created', ...CHUNK, 'final']);
    expect(closes).toEqual([]);
    expect(JSON.stringify(logged)).not.toContain('Hello');
    say('a', 'Again', { flush: true });
    send({ close_context: true, context_id: 'a' });
    await settle();
    expect(usage('a')).toMatchObject({ audio_seconds: 0.05, characters: 5 });
  });

  it('1.8 a busy engine is MODEL_UNAVAILABLE for its context alone', async () => {
    create('a');
    engine.failNext(new EngineBusyError('busy'));
    say('a', 'Hello', { flush: true });
    say('a', 'There', { flush: true });
    await settle();
    expect(of('error')).toMatchObject([{ error_code: 'MODEL_UNAVAILABLE', code: 503, context_id: 'a' }]);
    expect(kinds('a').slice(-4)).toEqual([...CHUNK, 'final']);
    expect(closes).toEqual([]);
  });

  it('decision 2.11: ends the turn that failed, and speaks those that wait behind it', async () => {
    create('a');
    engine.failNext();
    say('a', 'Hello', { flush: true });
    say('a', 'There', { flush: true });
    say('a', 'Again');
    send({ close_context: true, context_id: 'a' });
    await settle();
    expect(kinds('a')).toEqual([
      'context_created',
      'generation_started',
      'error',
      ...CHUNK,
      'final',
      ...CHUNK,
      'final',
      'context_closed',
    ]);
    expect(usage('a')).toMatchObject({ audio_seconds: 0.1, characters: 10 });
  });
});
