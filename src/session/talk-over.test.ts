import { describe, expect, it } from 'vitest';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { measuresOf } from './measures/turn-measures.ts';
import { record } from './testing/recorded.ts';
import { Stage } from './testing/stage.ts';
import { audioFrame, ended, finished, type ScriptedSocket, samplesOf, World } from './testing/world.ts';

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

/** Far from silence, so that every glide is steeper than the ramp. */
const FIRST = 1000;

/** A ramp, so that each sample tells its place, and never silent. */
const ramp = (ms: number): Int16Array => Int16Array.from({ length: ms * 16 }, (_, at) => FIRST + at);

/** Sends 1 s of audio in frames that are shorter than the start floor. */
function sendWhole(socket: ScriptedSocket): void {
  const samples = ramp(1000);
  for (let idx = 0; idx < 5; idx += 1)
    socket.say(audioFrame(samples.subarray(idx * 3200, (idx + 1) * 3200), idx));
}

/** 1 s of audio, of which 200 ms have been played. The server is still to end the turn. */
function speaking(endpoint = endpointOf(null)) {
  const world = new World(undefined, endpoint);
  const { entries } = record(world);
  world.attachPlayer();
  const socket = world.connect();
  world.do({ type: 'speak', text: 'A long story.' });
  sendWhole(socket);
  world.advance(200);
  expect(world.heard.at(-1)).not.toBe(0);
  return { world, entries, socket };
}

/** Samples of the ramp in the order of hearing: those that are one away from a neighbour. */
function places(heard: readonly number[]): number[] {
  const samples = heard.map((value) => value * 32_768);
  return samples.flatMap((sample, at) =>
    sample - (samples[at - 1] ?? 0) === 1 || (samples[at + 1] ?? 0) - sample === 1 ? [sample - FIRST] : [],
  );
}

const whole = Array.from({ length: 16_000 }, (_, at) => at);

describe('speech over the voice', () => {
  it('cancels it at once: silent within a quantum and a ramp, and the server is told', () => {
    const { world, socket } = speaking();
    const before = world.heard.length;
    speech(world, 'cancel');
    expect(socket.sent.at(-1)).toEqual({ cancel: true });
    world.advance(100);
    const after = world.heard.slice(before);
    expect(after.findLastIndex((sample) => sample !== 0)).toBeLessThan(128 + GLIDE_SAMPLES);
    expect(world.turn(1).state).toBe('cancelled');
  });

  it('pauses it first, and a false alarm lets it go on with the next sample', () => {
    const { world, socket } = speaking();
    const sent = socket.sent.length;
    const before = world.heard.length;
    speech(world, 'pause');
    world.advance(400);
    expect(world.seen.player?.isPaused).toBe(true);
    const paused = world.heard.slice(before);
    expect(paused.findLastIndex((sample) => sample !== 0)).toBeLessThan(128 + GLIDE_SAMPLES);
    goOn(world);
    for (const frame of [finished, ended(1)]) socket.say(frame);
    world.advance(1500);
    expect(places(world.heard)).toEqual(whole);
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

  it('replaces the connection where the protocol has no cancel, as Cancel does', () => {
    const endpoint = endpointOf(ENDPOINTS.find(({ can }) => !can.cancel)?.id);
    const world = new World(undefined, endpoint);
    world.attachPlayer(24_000);
    world.connect();
    world.socket.say({ type: 'config_ack', session_id: 'a1' });
    world.do({ type: 'speak', text: 'A long story.' });
    const chunk = Buffer.from(samplesOf(1000, 8000, 24_000).buffer).toString('base64');
    world.socket.say({ type: 'audio', chunk, sample_rate: 24_000, format: 'pcm_s16le' });
    world.advance(300);
    speech(world, 'cancel');
    world.advance(100);
    expect(world.sockets).toHaveLength(2);
    expect(world.turn(1).state).toBe('cancelled');
  });

  it('where nothing is spoken changes nothing, and does not touch a turn that begins during it', () => {
    const world = new World();
    const { entries } = record(world);
    world.attachPlayer();
    const socket = world.connect();
    speech(world, 'pause');
    world.do({ type: 'speak', text: 'Yes?' });
    sendWhole(socket);
    for (const frame of [finished, ended(1)]) socket.say(frame);
    world.advance(50);
    speech(world, 'confirm');
    goOn(world);
    world.advance(2000);
    expect(places(world.heard)).toEqual(whole);
    expect(entries().filter(({ kind }) => ['paused', 'continued', 'cancelled'].includes(kind))).toEqual([]);
  });

  it('that nobody ends lets the voice go on after a while: the microphone was unplugged', () => {
    const { world, socket } = speaking();
    for (const frame of [finished, ended(1)]) socket.say(frame);
    speech(world, 'pause');
    world.advance(10_000);
    expect(places(world.heard)).toEqual(whole);
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
    socket.say(audioFrame(samplesOf(100, 500)));
    for (const frame of [finished, ended(0.1)]) socket.say(frame);
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
    const world = new World();
    world.attachPlayer();
    const socket = world.connect();
    world.do({ type: 'speak', text: 'A long story.' });
    socket.say(audioFrame(ramp(200)));
    world.advance(600);
    expect(world.turn(1).underruns).toMatchObject([{ lengthMs: null }]);
    speech(world, 'pause');
    world.advance(50);
    const [dry] = world.turn(1).underruns;
    expect(dry?.lengthMs).toBeLessThan(600);
    const second = samplesOf(300);
    socket.say(audioFrame(second, 1));
    world.advance(500);
    goOn(world);
    for (const frame of [finished, ended(0.5)]) socket.say(frame);
    world.advance(1000);
    expect(world.turn(1).underruns).toEqual([dry]);
    expect(world.heard.filter((sample) => sample === 8000 / 32_768)).toHaveLength(second.length);
  });

  it('keeps an interrupting line from cutting off the line that it paused', () => {
    const stage = new Stage();
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
