import { describe, expect, it } from 'vitest';
import type { PlayedRange } from '#player/played-ranges.ts';
import { measuresOf } from './measures/turn-measures.ts';
import { record } from './testing/recorded.ts';
import { SceneWorld } from './testing/stage.ts';
import { audioFrame, ended, finished, samplesOf, started, World } from './testing/world.ts';

/** The audio clock stands still in mid-turn: a suspended or interrupted output, or a device that has stopped. */

const RATE = 16_000;
/** A report of the audio thread and a quantum. */
const REPORT_MS = 40;
/** After this time the page knows of a standstill. */
const NOTICED_MS = 150;

/** A turn of 2 s, all of which was received. */
function speaking() {
  const world = new World();
  world.attachPlayer();
  world.connect();
  const recorded = record(world);
  world.do({ type: 'speak', text: 'Hello there.' });
  world.socket.say(started('Hello there.'));
  for (let idx = 0; idx < 10; idx += 1) world.socket.say(audioFrame(samplesOf(200), idx));
  return { world, ...recorded };
}

function end(world: World): void {
  world.socket.say(finished);
  world.socket.say(ended(2));
}

function standFor(world: World, ms: number): void {
  world.setStill(true);
  world.advance(ms);
  world.setStill(false);
}

const silencesOf = (played: readonly PlayedRange[]): number[] =>
  played.slice(1).map(({ atMs }, at) => {
    const before = played[at];
    return before ? atMs - before.atMs - (1000 * before.count) / RATE : 0;
  });

function expectNear(found: readonly number[], expected: readonly number[]): void {
  expect(found.map((ms, at) => Math.abs(ms - (expected[at] ?? 0)) <= REPORT_MS)).toEqual(
    expected.map(() => true),
  );
}

describe('an audio clock that stands still', () => {
  it.each<[string, number[]]>([
    ['for 1 s', [1000]],
    ['for 60 s', [60_000]],
    ['for less than the page needs to notice it', [90]],
    ['twice in a turn', [700, 3000]],
  ])('%s splits the played ranges, each with the time at which it left the speakers', (_, pausesMs) => {
    const { world, played } = speaking();
    end(world);
    for (const ms of pausesMs) {
      world.advance(400);
      standFor(world, ms);
    }
    world.advance(2000);
    const turn = world.turn(1);
    expectNear(silencesOf(turn.played), pausesMs);
    expect(turn.played.reduce((sum, { count }) => sum + count, 0)).toBe(2 * RATE);
    const [first] = turn.played;
    const wholeMs = 2000 + pausesMs.reduce((sum, ms) => sum + ms, 0);
    expectNear([(turn.heardToMs ?? 0) - (first?.atMs ?? 0)], [wholeMs]);
    expect(turn.underruns).toEqual([]);
    // So does the recording.
    const [heard] = played('heard');
    expect(heard?.spans.map(({ sample, count }) => [sample, count])).toEqual(
      turn.played.map(({ sample, count }) => [sample, count]),
    );
  });

  it('is reported while it lasts, with the turn that fell silent', () => {
    const { world } = speaking();
    world.advance(400);
    const stoppedMs = world.nowMs;
    world.setStill(true);
    world.advance(NOTICED_MS);
    expect(world.seen.player).toMatchObject({ isStill: true, state: 'playing' });
    const { pausedMs, played } = world.turn(1);
    expectNear([pausedMs ?? 0], [stoppedMs]);
    const track = world.seen.player?.tracks[0];
    world.advance(7000);
    expect(world.seen.player?.tracks[0]).toEqual(track);
    expect(world.turn(1)).toMatchObject({ pausedMs, played, heardToMs: null });
    world.setStill(false);
    world.advance(100);
    expect(world.seen.player).toMatchObject({ isStill: false, state: 'playing' });
    expect(world.turn(1).pausedMs).toBeNull();
  });

  it('before the first sample counts as waiting', () => {
    const world = new World();
    world.attachPlayer();
    world.connect();
    world.advance(500);
    world.setStill(true);
    world.do({ type: 'speak', text: 'Hello.' });
    world.socket.say(started('Hello.'));
    world.socket.say(audioFrame(samplesOf(800)));
    end(world);
    world.advance(5000);
    expect(world.turn(1).heardFromMs).toBeNull();
    world.setStill(false);
    const resumedMs = world.nowMs;
    world.advance(400);
    expectNear([world.turn(1).heardFromMs ?? 0], [resumedMs]);
    expect(world.turn(1).played).toHaveLength(1);
  });

  it('is no part of an underrun in which it lies', () => {
    const { world } = speaking();
    world.advance(2300);
    expect(world.turn(1).underruns).toMatchObject([{ lengthMs: null }]);
    standFor(world, 4000);
    world.advance(100);
    world.socket.say(audioFrame(samplesOf(800), 10));
    end(world);
    world.advance(600);
    const [underrun] = world.turn(1).underruns;
    expect(underrun?.lengthMs).toBeLessThan(1000);
    expectNear(silencesOf(world.turn(1).played), [4000 + (underrun?.lengthMs ?? 0)]);
  });

  it('has made the turn silent before a barge-in', () => {
    const { world, played } = speaking();
    world.advance(400);
    const stoppedMs = world.nowMs;
    world.setStill(true);
    world.advance(3000);
    world.do({ type: 'cancel', pressedMs: world.nowMs });
    world.advance(1000);
    world.setStill(false);
    world.advance(200);
    const turn = world.turn(1);
    expectNear([turn.heardToMs ?? 0], [stoppedMs]);
    expect(measuresOf(turn).bargeInSilenceMs).toBe(0);
    expect(played('heard')[0]?.spans).toHaveLength(1);
  });

  it('stands for every voice', () => {
    const stage = new SceneWorld({ listening: 'together' });
    stage.performOpened(['a', 'b']);
    stage.begins('a', 2000, 8000);
    stage.begins('b', 2000, 4000);
    stage.advance(500);
    standFor(stage, 2000);
    stage.advance(500);
    for (const id of [1, 2]) expectNear(silencesOf(stage.turn(id).played), [2000]);
  });

  it('is noticed while another voice is silent, and ends with the last track that played', () => {
    const stage = new SceneWorld({ listening: 'together' });
    stage.performOpened(['a', 'b']);
    stage.speaks('a', 500, 500);
    stage.begins('b', 2000, 8000);
    stage.advance(1500);
    expect(stage.seen.player?.tracks.map(({ state }) => state)).toEqual(['idle', 'playing']);
    const stoppedMs = stage.nowMs;
    stage.setStill(true);
    stage.advance(NOTICED_MS);
    expect(stage.seen.player).toMatchObject({ isStill: true, state: 'playing' });
    expectNear([stage.turn(2).pausedMs ?? 0], [stoppedMs]);
    stage.setStill(false);
    stage.advance(100);
    expect(stage.seen.player?.isStill).toBe(false);
    expectNear(silencesOf(stage.turn(2).played), [NOTICED_MS]);
  });

  it('lets no line interrupt one of which too little was heard', () => {
    const stage = new SceneWorld();
    stage.performOpened(['a', 'b'], { interrupts: 1 });
    stage.begins('a', 5000, 8000);
    stage.speaks('b', 300, 4000);
    stage.advance(500);
    standFor(stage, 5000);
    stage.advance(500);
    expect(stage.turn(1).silencedMs).toBeNull();
    stage.advance(1000);
    expect(stage.turn(1).silencedMs).not.toBeNull();
  });

  it('goes on with a repeat where it stood', () => {
    const { world } = speaking();
    end(world);
    world.advance(2500);
    const { played } = world.turn(1);
    world.do({ type: 'repeat', turn: 1, fromSample: 0 });
    world.advance(500);
    world.setStill(true);
    world.advance(NOTICED_MS);
    const track = world.seen.player?.tracks[0];
    world.advance(3000);
    expect(world.seen.player?.tracks[0]).toEqual(track);
    world.setStill(false);
    world.advance(100);
    const sample = world.seen.player?.tracks[0]?.sample ?? 0;
    expectNear([sample / 16], [(track?.sample ?? 0) / 16 + 100]);
    expect(world.turn(1).played).toEqual(played);
  });

  it('ends with another output, which plays the rest', () => {
    const { world } = speaking();
    end(world);
    world.advance(400);
    world.setStill(true);
    world.advance(2000);
    world.setStill(false);
    world.attachPlayer();
    world.advance(3000);
    const { played, heardToMs } = world.turn(1);
    expectNear(silencesOf(played), [2000]);
    expect(heardToMs).not.toBeNull();
  });
});
