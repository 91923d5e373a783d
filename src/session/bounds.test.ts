import { describe, expect, it } from 'vitest';
import { audioFrame, completed, ended, finished, samplesOf, started, World } from './testing/world.ts';

function speaking(): World {
  const world = new World();
  world.connect();
  world.do({ type: 'speak', text: 'Go.' });
  return world;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Limits that keep the page usable under a server that sends without end. The recording has all of it. */
describe('under a hostile server', () => {
  it('the oldest turns are condensed to one chunk with the same sums beyond 30,000 chunks', () => {
    const world = new World();
    world.attachPlayer();
    world.connect();
    for (const id of [3, 4, 5]) {
      for (const frame of [started('text', id), audioFrame(samplesOf(10), 0, id), completed(id)])
        world.socket.say(frame);
    }
    world.socket.say(ended());
    world.advance(1000);
    const before = world.turn(1);
    expect(before.chunks).toHaveLength(3);
    for (let turn = 0; turn < 4; turn += 1) {
      for (let id = 0; id < 8000; id += 1) world.socket.say(started('One.', id));
      for (const frame of [finished, ended()]) world.socket.say(frame);
      world.advance(400);
    }
    const counts = [...world.turns.values()].map(({ chunks }) => chunks.length);
    expect(counts).toEqual([1, 1, 8000, 8000, 8000]);
    const { heardFromMs, heardToMs } = before;
    const sums = { samples: 480, startSample: 0, audioFrames: 3, generationMs: 60, heardFromMs, heardToMs };
    expect(world.turn(1).chunks).toMatchObject([{ id: 3, text: null, words: null, ...sums }]);
  });

  it('the last of 10,000 chunks of a turn counts those beyond, and the first 500 changed ones are reported', () => {
    const world = speaking();
    world.advance(16);
    for (let id = 0; id < 10_010; id += 1) world.socket.say(audioFrame(samplesOf(1), 0, id));
    const counts = [1, 2, 3].map(() => {
      world.advance(16);
      return world.turn(1).chunks.length;
    });
    expect(counts).toEqual([500, 1000, 1500]);
    world.advance(400);
    expect(world.turn(1).chunks).toHaveLength(10_000);
    expect(world.turn(1).chunks.at(-1)?.samples).toBe(11 * 16);
  });

  it('a report has only the chunks that changed', () => {
    const world = speaking();
    for (let id = 0; id < 300; id += 1) world.socket.say(started('One.', id));
    world.advance(40);
    const before = world.turn(1).chunks;
    world.socket.say(completed(7));
    world.advance(40);
    const after = world.turn(1).chunks;
    expect(after.flatMap((chunk, at) => (chunk === before[at] ? [] : at))).toEqual([7]);
  });

  it('a chunk has 10,000 characters of its text, a turn 50,000, and both the length of the rest', () => {
    const world = speaking();
    for (let id = 0; id < 20; id += 1) world.socket.say(started('word '.repeat(200_000), id));
    world.advance(40);
    const { chunks } = world.turn(1);
    const kept = chunks.map(({ text }) => text?.length ?? 0);
    expect(kept).toEqual(Array.from({ length: 20 }, (_, id) => (id < 5 ? 10_000 : 0)));
    expect(sum(chunks.map(({ cutChars }) => cutChars)) + sum(kept)).toBe(20_000_000);
    // A shorter text leaves room for others.
    for (const [id, length] of [
      [0, 5],
      [6, 20_000],
    ] as const)
      world.socket.say(started('a'.repeat(length), id));
    world.advance(40);
    expect([0, 6].map((id) => world.turn(1).chunks[id]?.text?.length)).toEqual([5, 9995]);
  });

  it('words behind the kept text are dropped, and long ones are cut', () => {
    const world = speaking();
    world.socket.say(started('a'.repeat(1_000_000)));
    const word = (text: string, char_start: number, char_end: number) => ({
      ...{ word: text, start_ms: 0, end_ms: 1, char_start, char_end, score: 1 },
    });
    const word_timestamps = [word('b'.repeat(500_000), 0, 5), word('x', 900_000, 900_001)];
    world.socket.say({ word_timestamps, chunk_id: 0 });
    world.advance(40);
    expect(world.turn(1).chunks[0]?.words?.map((each) => each.word.length)).toEqual([100]);
  });

  it('names have 60 characters', () => {
    const world = speaking();
    const closing = structuredClone(ended()) as { usage?: object };
    world.socket.say({ ...closing, usage: { ...closing.usage, model_id: 'm'.repeat(1_000_000) } });
    world.advance(40);
    expect(world.turn(1).usage).toMatchObject({ modelId: 'm'.repeat(60) });
  });
});
