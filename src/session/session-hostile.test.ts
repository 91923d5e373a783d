import { describe, expect, it } from 'vitest';
import { completed, ended, finished, World } from './testing/world.ts';

const chunk = (id: number, text: string): object => ({ generation_started: true, chunk_id: id, text });

describe('a hostile server', () => {
  it('gets its oldest turns condensed instead of growing the page', () => {
    const world = new World();
    world.connect();
    for (let turn = 0; turn < 12; turn += 1) {
      for (let id = 0; id < 5000; id += 1) world.socket.say(chunk(id, `Chunk ${id}.`));
      for (const frame of [completed(), finished, ended()]) world.socket.say(frame);
      world.advance(400);
    }
    const counts = [...world.turns.values()].map(({ chunks }) => chunks.length);
    expect(counts).toHaveLength(12);
    expect(counts[0]).toBe(1);
    expect(counts.at(-1)).toBe(5000);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThan(32_000);
  });

  it('has only the start of its texts reported, with their length', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'Go.' });
    for (let id = 0; id < 20; id += 1) world.socket.say(chunk(id, 'word '.repeat(200_000)));
    world.advance(40);
    const { chunks } = world.turn(1);
    const kept = chunks.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
    expect(kept).toBeLessThan(100_000);
    expect(chunks.reduce((sum, { cutChars }) => sum + cutChars, kept)).toBe(20_000_000);
  });

  it('has a report cost only the chunks that changed', () => {
    const world = new World();
    world.connect();
    world.do({ type: 'speak', text: 'Go.' });
    for (let id = 0; id < 500; id += 1) world.socket.say(chunk(id, 'One.'));
    world.advance(40);
    const before = world.turn(1).chunks;
    world.socket.say({ chunk_complete: true, chunk_id: 7, audio_seconds: 0, gen_ms: 5 });
    world.advance(40);
    const after = world.turn(1).chunks;
    expect(after.flatMap((one, at) => (one === before[at] ? [] : at))).toEqual([7]);
  });

  it('reports names of a bounded length', () => {
    const world = new World();
    world.connect();
    world.socket.say(chunk(0, 'One.'));
    const closing = structuredClone(ended()) as { usage?: { model_id?: string } };
    world.socket.say({ ...closing, usage: { ...closing.usage, model_id: 'm'.repeat(1_000_000) } });
    world.advance(40);
    const { usage } = world.turn(1);
    expect(typeof usage === 'object' && usage.modelId?.length).toBe(60);
  });
});
