import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { Speaker } from '../messages.ts';
import { audioFrame, completed, samplesOf, started, World } from '../testing/world.ts';

const endpoint = ENDPOINTS.find(({ contexts }) => contexts !== null);
const a: Speaker = { id: 'a', settings: { voice_id: 1071 }, keepOpen: false };
const b: Speaker = { id: 'b', settings: { voice_id: 1072, speed: 1.1 }, keepOpen: false };
const whole = { kind: 'whole' } as const;
const PAUSE_MS = 200;
const usage = {
  audio_seconds: 0.1,
  characters: 12,
  cost_cents: 0.01,
  currency: 'eur',
  model_id: 'kugel-3',
};

function stage(
  listening: 'inTurn' | 'together' = 'inTurn',
  speakers: readonly Speaker[] = [a, b],
  tokens?: (text: string) => Promise<string[]>,
): World {
  const world = new World(tokens, endpoint);
  world.do({ type: 'settings', settings: { language: 'en' } });
  world.do({ type: 'speakers', speakers });
  world.do({ type: 'listen', listening, pauseMs: PAUSE_MS });
  world.attachPlayer();
  world.connect();
  return world;
}

const lines = (...speakers: string[]) =>
  speakers.map((speaker, line) => ({ speaker, text: `Line ${line} of ${speaker}.`, line }));

/** The server opens the context and speaks so much of a turn. */
const inContext = (frame: object, context: string) => ({ ...frame, context_id: context });
function speaks(world: World, context: string, ms: number, value: number): void {
  world.socket.say(inContext(started('x'), context));
  world.socket.say(inContext(audioFrame(samplesOf(ms, value)), context));
  world.socket.say(inContext(completed(), context));
  world.socket.say({ final: true, context_id: context });
}
const opens = (world: World, context: string) =>
  world.socket.say({ context_created: true, context_id: context });

/** Stretches of the same loudness among what was heard, in samples of 16 kHz; what glides is left out. */
function stretches(heard: readonly number[]): { value: number; samples: number; from: number }[] {
  const found: { value: number; samples: number; from: number }[] = [];
  heard.forEach((sample, at) => {
    const value = Math.round(sample * 32_768);
    const last = found.at(-1);
    if (last && last.value === value) last.samples += 1;
    else found.push({ value, samples: 1, from: at });
  });
  return found.filter(({ samples }) => samples > 100);
}
const voiced = (world: World) => stretches(world.heard).filter(({ value }) => value !== 0);

describe('opening', () => {
  it('3.3.5 opens a context with its first text, and flushes when it is open', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    expect(world.socket.sent).toEqual([
      { text: 'Line 0 of a.', context_id: 'a', language: 'en', voice_settings: { voice_id: 1071 } },
    ]);
    opens(world, 'a');
    expect(world.socket.sent.slice(1)).toEqual([{ flush: true, context_id: 'a' }]);
    world.advance(20);
    expect(world.turn(1)).toMatchObject({ context: 'a', voice: 1071, line: 0, state: 'waiting' });
  });

  it('takes speech as the confirmation of an opening, and continues without one after a while', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: false });
    world.socket.say(inContext(started('x'), 'a'));
    expect(world.socket.sent).toContainEqual({ flush: true, context_id: 'a' });
    expect(world.socket.sent).not.toContainEqual({ flush: true, context_id: 'b' });
    world.advance(1600);
    expect(world.socket.sent).toContainEqual({ flush: true, context_id: 'b' });
  });

  it('opens a context without speaking, also before there is a connection', () => {
    const world = new World(undefined, endpoint);
    world.do({ type: 'speakers', speakers: [a] });
    world.do({ type: 'openContext', context: 'a' });
    world.socket.open();
    expect(world.socket.sent).toMatchObject([
      { text: ' ', context_id: 'a', voice_settings: { voice_id: 1071 } },
    ]);
  });

  it('3.3.9 keeps a context over turns', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    opens(world, 'a');
    speaks(world, 'a', 100, 8000);
    world.advance(500);
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    expect(world.socket.sent.slice(2)).toEqual([
      { text: 'Line 0 of a.', context_id: 'a' },
      { flush: true, context_id: 'a' },
    ]);
  });

  it('3.3.8 closes a context whose speaker has other settings now, and opens it anew', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    opens(world, 'a');
    speaks(world, 'a', 100, 8000);
    world.do({ type: 'speakers', speakers: [{ ...a, settings: { voice_id: 268 } }, b] });
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    expect(world.socket.sent.at(-1)).toEqual({ close_context: true, context_id: 'a' });
    world.socket.say({ context_closed: true, context_id: 'a' });
    expect(world.socket.sent.at(-1)).toMatchObject({ context_id: 'a', voice_settings: { voice_id: 268 } });
  });

  it('3.3.2 says what was refused, sends nothing more for it, and harms nobody', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: true });
    opens(world, 'a');
    world.socket.say({
      error: 'Too many contexts',
      error_code: 'TOO_MANY_CONTEXTS',
      code: 429,
      context_id: 'b',
    });
    speaks(world, 'a', 100, 8000);
    world.advance(2000);
    expect(
      world.socket.sent.filter((frame) => (frame as { context_id: string }).context_id === 'b'),
    ).toHaveLength(1);
    expect(world.turn(2).state).toBe('failed');
    expect(world.turn(1).state).toBe('ended');
    expect(world.seen.contexts?.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'closing'],
      ['b', 'refused'],
    ]);
    expect(world.problems).toHaveLength(1);
  });

  it('takes a new connection for a setting that holds for a whole one', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    opens(world, 'a');
    speaks(world, 'a', 100, 8000);
    world.do({ type: 'settings', settings: { language: 'en', output_format: 'ulaw_8000' } });
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    expect(world.socket.sent[0]).toMatchObject({
      output_format: 'ulaw_8000',
      voice_settings: { voice_id: 1071 },
    });
  });
});

describe('closing and usage', () => {
  it('3.3.11 closes each context behind its last line, and adds up the bills', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b', 'a'), source: whole, closeAfter: true });
    opens(world, 'a');
    opens(world, 'b');
    const closes = world.socket.sent.filter((frame) => 'close_context' in (frame as object));
    expect(closes).toEqual([
      { close_context: true, context_id: 'a' },
      { close_context: true, context_id: 'b' },
    ]);
    for (const context of ['a', 'b', 'a']) speaks(world, context, 100, 8000);
    world.advance(20);
    expect(world.seen.totals?.unknownCosts).toBe(0);
    for (const context of ['a', 'b']) world.socket.say({ context_closed: true, context_id: context, usage });
    world.advance(20);
    expect(world.turn(1).usage).toBe('withContext');
    expect(world.seen.contexts).toMatchObject([
      { id: 'a', state: 'closed', billed: { costCents: 0.01, characters: 12 }, unbilledSeconds: 0 },
      { id: 'b', state: 'closed', billed: { costCents: 0.01 } },
    ]);
    expect(world.seen.totals).toMatchObject({ turns: 3, costCents: 0.02, currency: 'eur', unknownCosts: 0 });
  });

  it('keeps what was billed when it goes to another endpoint', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: true });
    opens(world, 'a');
    opens(world, 'b');
    speaks(world, 'a', 100, 8000);
    speaks(world, 'b', 100, 8000);
    world.socket.say({ context_closed: true, context_id: 'a', usage });
    world.do({
      type: 'target',
      target: { endpoint: 'kugel-stream', base: 'ws://other', key: 'k' },
      settings: {},
    });
    world.advance(20);
    expect(world.seen.contexts).toEqual([]);
    expect(world.seen.totals).toMatchObject({ costCents: 0.01, currency: 'eur', unknownCosts: 1 });
  });

  it('does not know the charge of audio whose connection was lost', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    opens(world, 'a');
    speaks(world, 'a', 100, 8000);
    world.socket.close(1006);
    world.advance(20);
    expect(world.seen.contexts).toMatchObject([{ state: 'closed', billed: null, unknownCosts: 1 }]);
    expect(world.seen.totals?.unknownCosts).toBe(1);
  });

  it('3.3.3 reports when an idle context will be closed, and marks it closed then', () => {
    const world = stage();
    world.do({ type: 'openContext', context: 'a' });
    opens(world, 'a');
    world.advance(20);
    const idleAtMs = world.seen.contexts?.[0]?.idleAtMs ?? 0;
    expect(idleAtMs - world.nowMs).toBeGreaterThan(19_000);
    world.advance(20_000);
    world.socket.say({ context_closed: true, context_id: 'a' });
    world.advance(20);
    expect(world.seen.contexts).toMatchObject([{ state: 'closed', idleAtMs: null, unknownCosts: 0 }]);
  });

  it('opens a context again with the text where it may be gone already', () => {
    const world = stage();
    world.do({ type: 'openContext', context: 'a' });
    opens(world, 'a');
    world.advance(19_500);
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    expect(world.socket.sent.at(-1)).toMatchObject({
      text: 'Line 0 of a.',
      voice_settings: { voice_id: 1071 },
    });
  });

  it('3.3.3 keeps the line whose text crossed with the end of its idle context', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    opens(world, 'a');
    speaks(world, 'a', 300, 1000);
    world.advance(19_500);
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    world.socket.say({ context_closed: true, context_id: 'a', usage });
    world.advance(20);
    expect(world.seen.contexts).toMatchObject([{ state: 'opening', billed: { costCents: 0.01 } }]);
    opens(world, 'a');
    speaks(world, 'a', 300, 2000);
    world.advance(1000);
    expect(world.problems).toEqual([]);
    expect(voiced(world).map(({ value }) => value)).toEqual([1000, 2000]);
    expect(world.turn(2).state).toBe('ended');
    expect(world.seen.contexts).toMatchObject([{ state: 'open', unknownCosts: 0 }]);
  });

  it('speaks a line that waited for its context to close', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: true });
    opens(world, 'a');
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: true });
    speaks(world, 'a', 300, 1000);
    world.socket.say({ context_closed: true, context_id: 'a', usage });
    opens(world, 'a');
    speaks(world, 'a', 300, 2000);
    world.advance(1500);
    expect(world.problems).toEqual([]);
    expect([1, 2].map((id) => world.turn(id).state)).toEqual(['ended', 'ended']);
    expect(voiced(world).map(({ value }) => value)).toEqual([1000, 2000]);
  });

  it('3.3.4 keeps contexts alive that are wanted open, on its own timer', () => {
    const world = stage('inTurn', [{ ...a, keepOpen: true }, b]);
    world.do({ type: 'openContext', context: 'a' });
    world.do({ type: 'openContext', context: 'b' });
    opens(world, 'a');
    opens(world, 'b');
    world.advance(60_000);
    const keepAlives = world.socket.sent.filter((frame) => (frame as { text?: string }).text === '');
    expect(keepAlives.length).toBeGreaterThanOrEqual(4);
    expect(keepAlives.every((frame) => (frame as { context_id: string }).context_id === 'a')).toBe(true);
    expect(world.seen.contexts?.[0]).toMatchObject({ keepAlives: keepAlives.length, idleAtMs: null });
    world.do({ type: 'speakers', speakers: [a, b] });
    world.advance(60_000);
    expect(world.socket.sent.filter((frame) => (frame as { text?: string }).text === '')).toHaveLength(
      keepAlives.length,
    );
    expect(world.timers).toBe(0);
  });

  it('opens what is wanted open again when a lost connection comes back', () => {
    const world = stage('inTurn', [{ ...a, keepOpen: true }, b]);
    for (const context of ['a', 'b']) {
      world.do({ type: 'openContext', context });
      opens(world, context);
    }
    world.socket.close(1006);
    world.advance(2000);
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    expect(world.socket.sent).toMatchObject([{ text: ' ', context_id: 'a' }]);
  });

  it('opens a context on the next connection where this one is about to end, unless that is called off', () => {
    for (const [disconnects, sockets] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const world = stage();
      world.do({ type: 'openContext', context: 'b' });
      opens(world, 'b');
      world.do({ type: 'disconnect' });
      world.do({ type: 'openContext', context: 'a' });
      if (disconnects === 2) world.do({ type: 'disconnect' });
      world.socket.close(1000);
      expect(world.sockets).toHaveLength(sockets);
      if (disconnects === 2) continue;
      world.socket.open();
      expect(world.socket.sent).toMatchObject([{ text: ' ', context_id: 'a' }]);
    }
  });

  it('3.3.18 drops what still comes for a context that was closed', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    opens(world, 'a');
    world.do({ type: 'closeContext', context: 'a', immediate: true });
    expect(world.socket.sent.at(-1)).toEqual({ close_context: true, context_id: 'a', immediate: true });
    speaks(world, 'a', 100, 8000);
    world.socket.say({ context_closed: true, context_id: 'a' });
    speaks(world, 'a', 100, 8000);
    world.advance(300);
    expect(voiced(world)).toEqual([]);
    expect(world.turns.size).toBe(1);
    expect(world.turn(1).state).toBe('cancelled');
  });
});

describe('a speaker who is taken away', () => {
  it('speaks no line that has yet to go out', async () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('b', 'b', 'a'), source: simulated, closeAfter: false });
    await advance(world, 100);
    opens(world, 'b');
    world.do({ type: 'speakers', speakers: [a] });
    expect(world.socket.sent.at(-1)).toEqual({ close_context: true, context_id: 'b' });
    world.socket.say({ context_closed: true, context_id: 'b' });
    await advance(world, 1500);
    expect([1, 2, 3].map((id) => world.turn(id).state)).toEqual(['lost', 'cancelled', 'waiting']);
    expect(world.socket.sent.at(-1)).toMatchObject({ context_id: 'a' });
    const isOfB = (frame: unknown) => (frame as { context_id?: string }).context_id === 'b';
    expect(world.socket.sent.findLast(isOfB)).toEqual({ close_context: true, context_id: 'b' });
  });

  it('is closed as soon as the context that is being opened is open', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('b'), source: whole, closeAfter: false });
    world.do({ type: 'speakers', speakers: [a] });
    expect(world.socket.sent).toHaveLength(1);
    opens(world, 'b');
    expect(world.socket.sent.slice(1)).toEqual([
      { flush: true, context_id: 'b' },
      { close_context: true, context_id: 'b' },
    ]);
  });
});

describe('heard in turn', () => {
  it('holds each line until the one before it was heard, and reports the saved time', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: false });
    opens(world, 'b');
    opens(world, 'a');
    world.advance(400);
    // The second line is there first, and waits all the same.
    speaks(world, 'b', 300, 4000);
    world.advance(100);
    expect(world.turn(2)).toMatchObject({ held: true, heardFromMs: null });
    speaks(world, 'a', 300, 8000);
    world.advance(1500);
    const [first, second] = voiced(world);
    expect([first?.value, second?.value]).toEqual([8000, 4000]);
    expect([first?.samples, second?.samples]).toEqual([4800, 4800]);
    const gapMs = ((second?.from ?? 0) - (first?.from ?? 0) - 4800) / 16;
    // To within a quantum and a tick.
    expect(gapMs).toBeGreaterThanOrEqual(PAUSE_MS - 8);
    expect(gapMs).toBeLessThan(PAUSE_MS + 60);
    const { turnTaking, wait } = world.turn(2);
    expect(turnTaking?.gapMs).toBeCloseTo(gapMs, 0);
    expect(turnTaking?.savedMs).toBeCloseTo((turnTaking?.readyMs ?? 0) - gapMs, 0);
    expect(turnTaking?.savedMs).toBeGreaterThan(100);
    expect(wait?.some(({ name }) => name === 'inTurn')).toBe(true);
    expect(world.turn(1).turnTaking).toBeNull();
  });

  it('counts the wait of a held line as its turn, also where its audio came before the sound output', () => {
    const world = stage();
    world.do({ type: 'detachPlayer' });
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    speaks(world, 'a', 1000, 1000);
    speaks(world, 'b', 300, 2000);
    world.advance(50);
    world.attachPlayer();
    world.advance(2000);
    const parts = new Map(world.turn(2).wait?.map(({ name, ms }) => [name, ms]));
    expect(parts.get('startFloor')).toBe(0);
    expect(parts.get('inTurn')).toBeGreaterThan(1000);
    expect(world.turn(2).turnTaking).toMatchObject({ readyMs: 0 });
  });

  it('counts the wait of a line as its turn where it is held after its audio has come', () => {
    const world = stage('together');
    world.do({ type: 'perform', lines: lines('a', 'a'), source: whole, closeAfter: false });
    opens(world, 'a');
    speaks(world, 'a', 1000, 1000);
    speaks(world, 'a', 300, 2000);
    world.advance(100);
    world.do({ type: 'listen', listening: 'inTurn', pauseMs: 500 });
    world.advance(2500);
    const parts = new Map(world.turn(2).wait?.map(({ name, ms }) => [name, ms]));
    expect(parts.get('startFloor')).toBeLessThan(150);
    expect(parts.get('inTurn')).toBeGreaterThan(1000);
  });

  it('keeps lines in turn when a replay is stopped before their audio has come', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: false });
    world.do({ type: 'stopReplay' });
    opens(world, 'a');
    opens(world, 'b');
    speaks(world, 'a', 500, 1000);
    speaks(world, 'b', 300, 2000);
    world.advance(2000);
    expect(voiced(world).map(({ value }) => value)).toEqual([1000, 2000]);
  });

  it('continues when a line is cancelled, fails or has no audio', () => {
    const world = stage('inTurn', [a, b, { ...a, id: 'c' }]);
    world.do({ type: 'perform', lines: lines('a', 'b', 'c', 'a'), source: whole, closeAfter: false });
    for (const context of ['a', 'b', 'c']) opens(world, context);
    speaks(world, 'c', 300, 2000);
    world.socket.say({ error: 'x', code: 500, context_id: 'b' });
    world.do({ type: 'cancel', context: 'a' });
    world.advance(1000);
    expect(voiced(world).map(({ value }) => value)).toEqual([2000]);
  });

  it('lets a line that interrupts cut off the one before it, with a real barge-in', () => {
    const world = stage();
    const [first, second] = lines('a', 'b');
    if (!first || !second) throw new Error('two lines');
    world.do({
      type: 'perform',
      lines: [first, { ...second, interrupts: true }],
      source: whole,
      closeAfter: false,
    });
    opens(world, 'a');
    opens(world, 'b');
    world.socket.say(inContext(started('x'), 'a'));
    world.socket.say(inContext(audioFrame(samplesOf(5000, 8000)), 'a'));
    speaks(world, 'b', 300, 4000);
    world.advance(3000);
    const [cut, interrupting] = voiced(world);
    expect(cut?.value).toBe(8000);
    expect((cut?.samples ?? 0) / 16).toBeGreaterThan(1450);
    expect((cut?.samples ?? 0) / 16).toBeLessThan(1650);
    expect(interrupting?.value).toBe(4000);
    expect(world.socket.sent).toContainEqual({ cancel: true, context_id: 'a' });
    expect(world.turn(1).state).toBe('cancelled');
  });

  it('plays every later line of a speaker who was cut off, also where all were there before', () => {
    const world = stage();
    const script = lines('a', 'b', 'a', 'b', 'a', 'b').map((line, at) => ({ ...line, interrupts: at === 3 }));
    world.do({ type: 'perform', lines: script, source: whole, closeAfter: true });
    opens(world, 'a');
    opens(world, 'b');
    for (const [context, value, ms] of [
      ['a', 1000, 300],
      ['b', 2000, 300],
      ['a', 3000, 5000],
      ['b', 4000, 300],
      ['a', 5000, 300],
      ['b', 6000, 300],
    ] as const) {
      speaks(world, context, ms, value);
    }
    for (const context of ['a', 'b']) world.socket.say({ context_closed: true, context_id: context });
    world.advance(9000);
    const heard = voiced(world);
    expect(heard.map(({ value }) => value)).toEqual([1000, 2000, 3000, 4000, 5000, 6000]);
    expect(heard[2]?.samples).toBeLessThan(1650 * 16);
    expect([3, 4, 5].map((id) => world.turn(id).silencedMs !== null)).toEqual([true, false, false]);
    expect(world.turn(5).state).toBe('ended');
  });

  it('3.3.22 does not cancel a context on the server while later lines of it are on their way', () => {
    const world = stage();
    const script = lines('a', 'b', 'a').map((line, at) => ({ ...line, interrupts: at === 1 }));
    world.do({ type: 'perform', lines: script, source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    world.socket.say(inContext(started('x'), 'a'));
    world.socket.say(inContext(audioFrame(samplesOf(2500, 1000)), 'a'));
    speaks(world, 'b', 300, 2000);
    world.advance(1800);
    expect(world.turn(1).state).toBe('cancelled');
    // The rest of the line that was cut off, and then the next.
    world.socket.say(inContext(audioFrame(samplesOf(500, 1000), 1), 'a'));
    world.socket.say({ final: true, context_id: 'a' });
    speaks(world, 'a', 300, 3000);
    world.advance(2000);
    expect(world.socket.sent.some((frame) => 'cancel' in (frame as object))).toBe(false);
    expect(voiced(world).map(({ value }) => value)).toEqual([1000, 2000, 3000]);
    expect(world.turn(1).lateFrames).toBe(1);
    expect(world.turn(3).state).toBe('ended');
    expect(world.problems).toEqual([]);
  });

  it('lets the next line go out when the server has confirmed that the one before it is cut off', () => {
    const world = stage('inTurn', [a, b, { ...a, id: 'c' }]);
    const script = lines('a', 'b').map((line, at) => ({ ...line, interrupts: at === 1 }));
    world.do({ type: 'perform', lines: script, source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    world.socket.say(inContext(started('x'), 'a'));
    world.socket.say(inContext(audioFrame(samplesOf(2500, 1000)), 'a'));
    speaks(world, 'b', 300, 2000);
    world.advance(1800);
    expect(world.socket.sent.at(-1)).toEqual({ cancel: true, context_id: 'a' });
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    const texts = () => world.socket.sent.filter((frame) => 'text' in (frame as object)).length;
    expect(texts()).toBe(2);
    world.socket.say({ interrupted: true, context_id: 'a' });
    expect(texts()).toBe(3);
  });

  it('ends a replay, whoever spoke what is heard again', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    speaks(world, 'a', 300, 1000);
    speaks(world, 'b', 3000, 2000);
    world.advance(5000);
    world.do({ type: 'replay', turn: 2, fromSample: 0 });
    world.advance(300);
    expect(world.seen.player?.replaying).toBe(true);
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    const from = world.heard.length;
    speaks(world, 'a', 600, 4000);
    world.advance(1000);
    expect(stretches(world.heard.slice(from)).filter(({ value }) => value !== 0)).toMatchObject([
      { value: 4000, samples: 9600 },
    ]);
    expect(world.seen.player?.replaying).toBe(false);
  });

  it('keeps the order of a script whose speakers speak more than once', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b', 'a', 'b'), source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    for (const [context, value] of [
      ['a', 1000],
      ['a', 3000],
      ['b', 2000],
      ['b', 4000],
    ] as const) {
      speaks(world, context, 200, value);
    }
    world.advance(3000);
    expect(voiced(world).map(({ value, samples }) => [value, samples])).toEqual([
      [1000, 3200],
      [2000, 3200],
      [3000, 3200],
      [4000, 3200],
    ]);
  });
});

describe('the track of a context that is closed', () => {
  it('is let go when nothing is heard of it, and comes back with what is', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: true });
    opens(world, 'a');
    opens(world, 'b');
    speaks(world, 'a', 40_000, 1000);
    speaks(world, 'b', 300, 2000);
    for (const context of ['a', 'b']) world.socket.say({ context_closed: true, context_id: context, usage });
    world.advance(35_000);
    // One is heard still, and the other waits for its turn.
    expect([...world.openTracks].sort()).toEqual(['a', 'b']);
    world.advance(60_000);
    expect([...world.openTracks]).toEqual([]);
    expect(world.turn(2).heardToMs).not.toBeNull();
    expect(world.timers).toBe(0);

    const from = world.heard.length;
    world.do({ type: 'replay', turn: 2, fromSample: 0 });
    world.advance(1000);
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    opens(world, 'a');
    speaks(world, 'a', 300, 3000);
    world.advance(1000);
    expect(stretches(world.heard.slice(from)).filter(({ value }) => value !== 0)).toMatchObject([
      { value: 2000, samples: 4800 },
      { value: 3000, samples: 4800 },
    ]);
    world.advance(60_000);
    expect([...world.openTracks]).toEqual(['a']);
  });
});

describe('heard together', () => {
  it('adds the voices up', () => {
    const world = stage('together');
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    speaks(world, 'a', 300, 8000);
    speaks(world, 'b', 300, 4000);
    world.advance(1000);
    expect(voiced(world).some(({ value }) => value === 12_000)).toBe(true);
  });

  it('is switched to in turn while it plays, and back, without losing a sample', () => {
    const world = stage('together');
    world.do({ type: 'perform', lines: lines('a', 'b', 'a'), source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    speaks(world, 'a', 500, 1000);
    speaks(world, 'a', 500, 4000);
    world.advance(250);
    world.do({ type: 'listen', listening: 'inTurn', pauseMs: PAUSE_MS });
    world.advance(600);
    // The second line has not come yet, and the third, which was queued behind the first, waits for it.
    expect(world.turn(3)).toMatchObject({ held: true, heardFromMs: null });
    world.do({ type: 'listen', listening: 'together', pauseMs: PAUSE_MS });
    world.advance(1000);
    const total = voiced(world).reduce((sum, { value, samples }) => sum + (value === 4000 ? samples : 0), 0);
    expect(total).toBe(8000);
    expect(world.turn(3).heardToMs).not.toBeNull();
  });
});

describe('barge-in', () => {
  it('3.3.22 on one speaker silences that one, and holds up only its text', () => {
    const world = stage('together');
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    for (const context of ['a', 'b']) {
      world.socket.say(inContext(started('x'), context));
      world.socket.say(inContext(audioFrame(samplesOf(1000, 4000)), context));
    }
    world.advance(400);
    world.do({ type: 'cancel', context: 'a' });
    expect(world.socket.sent.at(-1)).toEqual({ cancel: true, context_id: 'a' });
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: false });
    const sentTo = (context: string) =>
      world.socket.sent.filter((frame) => {
        const { context_id, text } = frame as { context_id?: string; text?: string };
        return context_id === context && text !== undefined;
      }).length;
    expect([sentTo('a'), sentTo('b')]).toEqual([1, 2]);
    world.socket.say({ interrupted: true, context_id: 'a' });
    expect(sentTo('a')).toBe(2);
    world.socket.say({ final: true, context_id: 'b' });
    world.advance(1200);
    expect(world.turn(1).state).toBe('cancelled');
    expect(world.turn(2).heardToMs).not.toBeNull();
  });

  it('reports silenced turns, also those that were not heard yet', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b', 'a', 'b'), source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    speaks(world, 'a', 200, 1000);
    speaks(world, 'b', 2000, 2000);
    speaks(world, 'a', 200, 3000);
    world.advance(1000);
    world.do({ type: 'cancel' });
    const atMs = world.nowMs;
    world.advance(1000);
    expect([1, 2, 3, 4].map((id) => world.turn(id).silencedMs)).toEqual([null, atMs, atMs, null]);
    expect([2, 3].map((id) => world.turn(id).heardToMs)).toEqual([atMs, null]);
  });

  it('3.3.22 on all names the contexts that are closing, which a cancel of all leaves alone', () => {
    const world = stage('together', [a, b, { ...a, id: 'c' }]);
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: true });
    world.do({ type: 'perform', lines: lines('c'), source: whole, closeAfter: false });
    for (const context of ['a', 'b', 'c']) {
      opens(world, context);
      world.socket.say(inContext(started('x'), context));
      world.socket.say(inContext(audioFrame(samplesOf(1000, 4000)), context));
    }
    world.advance(300);
    world.do({ type: 'cancel' });
    expect(world.socket.sent.filter((frame) => 'cancel' in (frame as object))).toEqual([
      { cancel: true, context_id: 'a' },
      { cancel: true, context_id: 'b' },
      { cancel: true },
    ]);
    // Answers that do not say which cancel they are for; text that goes out meanwhile is not interrupted by them.
    world.socket.say({ interrupted: true });
    world.do({ type: 'perform', lines: lines('c'), source: whole, closeAfter: false });
    world.socket.say({ interrupted: true });
    world.socket.say({ interrupted: true });
    for (const context of ['a', 'b']) world.socket.say({ context_closed: true, context_id: context });
    speaks(world, 'c', 300, 2000);
    world.advance(1000);
    expect(world.problems).toEqual([]);
    expect([1, 2, 3, 4].map((id) => world.turn(id).state)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
      'ended',
    ]);
    expect(world.turns.size).toBe(4);
  });

  it('sends no cancel of all where all that speak are closing', () => {
    const world = stage('together');
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: true });
    opens(world, 'a');
    world.do({ type: 'cancel' });
    expect(world.socket.sent.slice(3)).toEqual([{ cancel: true, context_id: 'a' }]);
  });

  it('of an output that is gone does not reach the next one', () => {
    const world = stage('together');
    const epoch = () => world.seen.player?.tracks.find(({ context }) => context === 'a')?.epoch ?? -1;
    world.do({ type: 'perform', lines: lines('a'), source: whole, closeAfter: false });
    opens(world, 'a');
    speaks(world, 'a', 300, 1000);
    world.advance(100);
    world.do({ type: 'cancel' });
    world.advance(100);
    const before = epoch();
    expect(before).toBeGreaterThan(0);
    world.do({ type: 'detachPlayer' });
    world.attachPlayer();
    world.advance(100);
    expect(epoch()).toBeGreaterThan(before);
  });

  it('on all is marked on every turn that it ends or silences', () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b', 'a', 'b'), source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    speaks(world, 'a', 200, 1000);
    speaks(world, 'b', 2000, 2000);
    world.advance(1000);
    world.do({ type: 'cancel' });
    world.advance(20);
    const marks = world.seen.marks?.filter(({ kind }) => kind === 'cancel') ?? [];
    expect(marks.map(({ context, turn }) => [context, turn]).sort()).toEqual([
      ['a', 3],
      ['b', 2],
      ['b', 4],
    ]);
  });

  it('on all silences all with one frame', () => {
    const world = stage('together');
    world.do({ type: 'perform', lines: lines('a', 'b'), source: whole, closeAfter: false });
    opens(world, 'a');
    opens(world, 'b');
    for (const context of ['a', 'b']) {
      world.socket.say(inContext(started('x'), context));
      world.socket.say(inContext(audioFrame(samplesOf(1000, 4000)), context));
    }
    world.advance(300);
    world.do({ type: 'cancel' });
    expect(world.socket.sent.filter((frame) => 'cancel' in (frame as object))).toEqual([{ cancel: true }]);
    world.socket.say({ interrupted: true });
    const before = world.heard.length;
    world.advance(500);
    expect(world.heard.slice(before + 200).every((sample) => sample === 0)).toBe(true);
    expect([world.turn(1).state, world.turn(2).state]).toEqual(['cancelled', 'cancelled']);
  });
});

const profile = {
  timeToFirstTokenMs: 50,
  tokensPerSecond: 20,
  jitter: 0,
  burst: { every: 0, size: 0 },
  stall: { chance: 0, ms: 0 },
};
const simulated = { kind: 'simulated', profile, seed: 1 } as const;

/** Models cut their texts in promises, which the clock of a world knows nothing of. */
async function advance(world: World, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    world.advance(50);
  }
}

describe('simulated models', () => {
  it('go on with the next line of a speaker when one has failed', async () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b', 'a', 'b'), source: simulated, closeAfter: true });
    await advance(world, 100);
    opens(world, 'a');
    opens(world, 'b');
    world.socket.say({ error: 'x', code: 500, context_id: 'a' });
    await advance(world, 1500);
    expect([1, 2, 3, 4].map((id) => world.turn(id).state)).toEqual([
      'failed',
      'waiting',
      'waiting',
      'waiting',
    ]);
    for (const [context, value] of [
      ['b', 2000],
      ['a', 3000],
      ['b', 4000],
    ] as const) {
      speaks(world, context, 300, value);
    }
    await advance(world, 2500);
    expect(voiced(world).map(({ value }) => value)).toEqual([2000, 3000, 4000]);
  });

  it('write their lines to the end, whoever flushes meanwhile', async () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a'), source: simulated, closeAfter: false });
    await advance(world, 100);
    opens(world, 'a');
    world.do({ type: 'flush' });
    await advance(world, 500);
    const frames = world.socket.sent as { text?: string; flush?: boolean }[];
    expect(frames.map(({ text = '' }) => text).join('')).toBe('Line 0 of a.');
    expect(frames.map(({ flush }) => flush === true)).toEqual([false, false, false, false, true]);
  });

  it('leave no context open behind a last line that failed', async () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a'), source: simulated, closeAfter: true });
    await advance(world, 100);
    opens(world, 'a');
    world.socket.say({ error: 'x', code: 500, context_id: 'a' });
    expect(world.socket.sent.at(-1)).toEqual({ close_context: true, context_id: 'a' });
  });

  it('go on with the lines that nothing was sent of when the connection comes back', async () => {
    const world = stage();
    world.do({ type: 'perform', lines: lines('a', 'b', 'a', 'b'), source: simulated, closeAfter: false });
    await advance(world, 100);
    world.socket.close(1006);
    await advance(world, 200);
    // Tokens do not hurry a connection that is tried again at its time.
    expect(world.sockets).toHaveLength(1);
    await advance(world, 1000);
    expect(world.sockets).toHaveLength(2);
    world.socket.open();
    await advance(world, 500);
    expect([1, 2, 3, 4].map((id) => world.turn(id).state)).toEqual(['lost', 'lost', 'sending', 'sending']);
    opens(world, 'a');
    opens(world, 'b');
    await advance(world, 500);
    speaks(world, 'a', 300, 3000);
    speaks(world, 'b', 300, 4000);
    await advance(world, 1500);
    expect(voiced(world).map(({ value }) => value)).toEqual([3000, 4000]);
  });

  it('fail every line where there are no tokens', async () => {
    const world = stage('inTurn', [a, b], async () => {
      throw new Error('no file');
    });
    world.do({ type: 'perform', lines: lines('a', 'b', 'a'), source: simulated, closeAfter: true });
    await advance(world, 200);
    expect([1, 2, 3].map((id) => world.turn(id).state)).toEqual(['failed', 'failed', 'failed']);
    expect(world.problems).toHaveLength(1);
  });

  it('write several lines at once, and those of one speaker one after the other', async () => {
    const world = stage('together');
    world.do({ type: 'perform', lines: lines('a', 'b', 'a'), source: simulated, closeAfter: false });
    await Promise.resolve();
    await Promise.resolve();
    world.advance(60);
    await Promise.resolve();
    opens(world, 'a');
    opens(world, 'b');
    expect([world.turn(1).textFrames, world.turn(2).textFrames, world.turn(3).textFrames]).toEqual([1, 1, 0]);
    world.advance(400);
    await Promise.resolve();
    await Promise.resolve();
    world.advance(400);
    expect(world.turn(1).text).toBe('Line 0 of a.');
    expect(world.turn(1).flushedMs).not.toBeNull();
    expect(world.turn(3).text).toBe('Line 2 of a.');
    const texts = world.socket.sent.flatMap((frame) => {
      const { context_id, text } = frame as { context_id?: string; text?: string };
      return context_id === 'a' && text !== undefined ? [text] : [];
    });
    expect(texts.join('')).toBe('Line 0 of a.Line 2 of a.');
  });
});
