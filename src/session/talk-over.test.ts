import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { measuresOf } from './measures/turn-measures.ts';
import { record } from './testing/recorded.ts';
import { placesTo, ramp, rampPlaces, ServedWorld } from './testing/served.ts';
import { SceneWorld } from './testing/stage.ts';
import type { World } from './testing/world.ts';

/** A person speaks over the voice. The audio thread plays 16 samples a ms in quanta of 8 ms. */
const QUANTUM_MS = 8;
const GLIDE_SAMPLES = 64;

/** Noticed this long after its onset, and this long before the session hears of it. */
const NOTICED_MS = 90;
const HOP_MS = 1;

function speech(world: World, kind: 'pause' | 'confirm' | 'cancel'): void {
  const decidedMs = world.nowMs - HOP_MS;
  world.do({ type: 'talkOver', speech: { kind, onsetMs: decidedMs - NOTICED_MS, decidedMs } });
}

const goOn = (world: World): void => world.do({ type: 'talkOver', speech: { kind: 'continue' } });

/** 1 s of audio, of which 200 ms were played. The server is still to end the turn. */
function speaking() {
  const world = new ServedWorld(endpointOf('kugel-stream'), 16_000);
  const { entries } = record(world);
  world.attachPlayer();
  const socket = world.connect();
  world.speak('A long story.');
  sendWhole(world);
  world.advance(200);
  expect(world.heard.at(-1)).not.toBe(0);
  return { world, entries, socket };
}

/** Sends 1 s of audio in frames that are shorter than the prebuffer target. */
function sendWhole(world: ServedWorld): void {
  for (let from = 0; from < 16_000; from += 3200) world.say(ramp(3200, from));
}

/** Asserts that nothing was heard from that sample on after a quantum and a glide. */
function expectSilenceFrom({ heard }: ServedWorld, from: number): void {
  expect(heard.slice(from).findLastIndex((sample) => sample !== 0)).toBeLessThan(128 + GLIDE_SAMPLES);
}

describe('speech over the voice', () => {
  it('cancels it at once: silent within a quantum and a ramp, and the server is told', () => {
    const { world, socket } = speaking();
    const before = world.heard.length;
    speech(world, 'cancel');
    expect(socket.sent.at(-1)).toEqual({ cancel: true });
    world.advance(100);
    expectSilenceFrom(world, before);
    expect(world.turn(1).state).toBe('cancelled');
  });

  it('pauses it first, and a false alarm lets it go on with the next sample', () => {
    const { world, socket } = speaking();
    const sent = socket.sent.length;
    const before = world.heard.length;
    speech(world, 'pause');
    world.advance(400);
    expect(world.seen.player?.isPaused).toBe(true);
    expectSilenceFrom(world, before);
    goOn(world);
    world.end();
    world.advance(1500);
    expect(rampPlaces(world.heard)).toEqual(placesTo(16_000));
    expect(socket.sent).toHaveLength(sent);
    const turn = world.turn(1);
    expect(turn).toMatchObject({ state: 'ended', bargeIn: null, underruns: [], silencedMs: null });
    expect(world.seen.player?.isPaused).toBe(false);
    // Two ranges, with the silence of the pause between them, to the sample.
    const [first, second] = turn.played;
    expect(turn.played).toHaveLength(2);
    expect(second?.sample).toBe(first?.count);
    const silentMs = (second?.atMs ?? 0) - (first?.atMs ?? 0) - (first?.count ?? 0) / 16;
    expect(Math.abs(silentMs - 400)).toBeLessThanOrEqual(QUANTUM_MS + GLIDE_SAMPLES / 16);
  });

  it('that lasts cancels what it paused, and is measured from its onset', () => {
    const { world, socket } = speaking();
    const decidedMs = world.nowMs - HOP_MS;
    const news = { onsetMs: decidedMs - NOTICED_MS, decidedMs };
    world.do({ type: 'talkOver', speech: { kind: 'pause', ...news } });
    world.advance(300);
    world.do({ type: 'talkOver', speech: { kind: 'confirm', ...news } });
    expect(socket.sent.at(-1)).toEqual({ cancel: true });
    world.advance(40);
    socket.say({ interrupted: true });
    world.advance(100);
    const turn = world.turn(1);
    expect(turn).toMatchObject({
      state: 'cancelled',
      bargeIn: { onsetMs: news.onsetMs, pressedMs: decidedMs },
    });
    expect(world.seen.player?.isPaused).toBe(false);
    const measures = measuresOf(turn);
    expect(measures.talkOverDecisionMs).toBeCloseTo(NOTICED_MS);
    // Silent since the pause, not since the cancel.
    expect(measures.bargeInSilenceMs).toBeLessThanOrEqual(HOP_MS + QUANTUM_MS);
    expect(measures.talkOverSilenceMs).toBeCloseTo(NOTICED_MS + (measures.bargeInSilenceMs ?? Number.NaN));
    expect(measures.talkOverInterruptedMs).toBeCloseTo(NOTICED_MS + HOP_MS + 340);
    expect(turn.heardToMs).toBe(turn.bargeIn?.silentMs);
    expect(world.marks.filter(({ kind }) => ['speech', 'paused', 'cancel'].includes(kind))).toMatchObject([
      { kind: 'speech', atMs: news.onsetMs, turn: 1 },
      { kind: 'paused', turn: 1 },
      { kind: 'cancel', turn: 1 },
    ]);
  });

  it('replaces the connection where the protocol has no cancel', () => {
    const world = new ServedWorld(endpointOf('murmr'));
    world.attachPlayer(world.rate);
    world.speak('A long story.');
    world.accept();
    world.say(1000);
    world.advance(300);
    speech(world, 'cancel');
    world.advance(100);
    expect(world.sockets).toHaveLength(2);
    expect(world.turn(1).state).toBe('cancelled');
  });

  it('where nothing is spoken changes nothing, and does not touch a turn that begins during it', () => {
    const world = new ServedWorld(endpointOf('kugel-stream'), 16_000);
    const { entries } = record(world);
    world.attachPlayer();
    world.connect();
    speech(world, 'pause');
    world.speak('Yes?');
    sendWhole(world);
    world.end();
    world.advance(50);
    speech(world, 'confirm');
    goOn(world);
    world.advance(2000);
    expect(rampPlaces(world.heard)).toEqual(placesTo(16_000));
    expect(entries().filter(({ kind }) => ['paused', 'continued', 'cancelled'].includes(kind))).toEqual([]);
  });

  it('whose end is never reported pauses for a while: the microphone was unplugged', () => {
    const { world } = speaking();
    world.end();
    speech(world, 'pause');
    world.advance(10_000);
    expect(rampPlaces(world.heard)).toEqual(placesTo(16_000));
    expect(world.turn(1)).toMatchObject({ state: 'ended', underruns: [] });
  });

  it('leaves a press on Cancel its effect while the voice is paused', () => {
    const { world, socket } = speaking();
    speech(world, 'pause');
    world.advance(100);
    world.do({ type: 'cancel' });
    expect(socket.sent.at(-1)).toEqual({ cancel: true });
    world.advance(100);
    socket.say({ interrupted: true });
    world.do({ type: 'speak', text: 'Something new.' });
    world.say(100);
    world.end();
    world.advance(1000);
    expect(world.turn(2)).toMatchObject({ state: 'ended', silencedMs: null });
    expect(world.turn(2).heardToMs).not.toBeNull();
    expect(world.turn(1).bargeIn).toMatchObject({ onsetMs: null });
  });

  it('is in the recording with its times, and never with its sound', () => {
    const { world, entries } = speaking();
    speech(world, 'pause');
    world.advance(200);
    goOn(world);
    world.advance(200);
    speech(world, 'cancel');
    const acts = entries().flatMap(({ direction, kind, payload }) =>
      direction === 'player' && ['paused', 'continued', 'cancelled'].includes(kind)
        ? [[kind, JSON.parse(String(payload))]]
        : [],
    );
    const times = { speechMs: NOTICED_MS, delayMs: HOP_MS };
    expect(acts).toEqual([
      ['paused', times],
      ['continued', {}],
      ['cancelled', times],
    ]);
  });

  it('within an underrun ends it there, and counts no silence of the pause', () => {
    const world = new ServedWorld(endpointOf('kugel-stream'), 16_000);
    world.attachPlayer();
    world.connect();
    world.speak('A long story.');
    world.say(200);
    world.advance(600);
    expect(world.turn(1).underruns).toMatchObject([{ lengthMs: null }]);
    speech(world, 'pause');
    world.advance(50);
    const [dry] = world.turn(1).underruns;
    expect(dry?.lengthMs).toBeLessThan(600);
    const from = world.heard.length;
    world.say(ramp(4800));
    world.advance(500);
    goOn(world);
    world.end();
    world.advance(1000);
    expect(world.turn(1).underruns).toEqual([dry]);
    expect(rampPlaces(world.heard.slice(from))).toEqual(placesTo(4800));
  });

  it('keeps an interrupting line from cutting off the line that it paused', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a', 'b'], { interrupts: 1 });
    for (const context of ['a', 'b']) stage.begins(context, 3000, 8000);
    stage.advance(1000);
    speech(stage, 'pause');
    stage.advance(2000);
    expect(stage.turn(1).silencedMs).toBeNull();
    goOn(stage);
    stage.advance(600);
    expect(stage.turn(1).silencedMs).not.toBeNull();
  });
});
