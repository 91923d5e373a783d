import { describe, expect, it } from 'vitest';
import type { SimulationProfile } from '#text/simulated-model.ts';
import { World } from '../testing/world.ts';

const EVEN: SimulationProfile = {
  timeToFirstTokenMs: 100,
  tokensPerSecond: 10,
  jitter: 0,
  burst: { every: 0, size: 0 },
  stall: { chance: 0, ms: 0 },
};

/** Tokens are ready when the promises of the tokenizer have been kept. */
const tokensReady = async (): Promise<void> => {
  for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
};

async function simulating(text = 'One two three.'): Promise<World> {
  const world = new World();
  world.connect();
  world.do({ type: 'simulate', text, profile: EVEN, seed: 1 });
  await tokensReady();
  return world;
}

describe('a simulated model', () => {
  it('sends each token when it is due, then flushes', async () => {
    const world = await simulating();
    world.advance(20);
    expect(world.seen.source).toMatchObject({ state: 'running', total: 3, sent: 0, nextToken: 'One ' });
    world.advance(80);
    expect(world.socket.sent.slice(1)).toEqual([{ text: 'One ' }]);
    world.advance(100);
    expect(world.socket.sent.slice(1)).toEqual([{ text: 'One ' }, { text: 'two ' }]);
    world.advance(120);
    expect(world.socket.sent.slice(3)).toEqual([{ text: 'three.' }, { flush: true }]);
    expect(world.seen.source).toMatchObject({ state: 'done', sent: 3, nextToken: null });
    expect(world.turn(1)).toMatchObject({ origin: 'simulated', text: 'One two three.', textFrames: 3 });
  });

  it('stops at a cancel', async () => {
    const world = await simulating();
    world.advance(110);
    world.do({ type: 'cancel' });
    world.advance(1000);
    expect(world.socket.sent.slice(1)).toEqual([{ text: 'One ' }, { cancel: true }]);
    expect(world.seen.source).toMatchObject({ state: 'stopped', sent: 1 });
  });

  it('stops before it has begun, when it is cancelled while its tokens are cut', async () => {
    const world = new World();
    world.connect();
    world.do({ type: 'simulate', text: 'One two.', profile: EVEN, seed: 1 });
    world.do({ type: 'cancel' });
    await tokensReady();
    world.advance(1000);
    expect(world.socket.sent).toHaveLength(1);
  });

  it('stops when its turn fails', async () => {
    const world = await simulating();
    world.advance(110);
    world.socket.say({ error: 'Audio generation failed', error_code: 'INTERNAL_ERROR', code: 500 });
    world.advance(1000);
    expect(world.socket.sent.slice(1)).toEqual([{ text: 'One ' }]);
    expect(world.seen.source?.state).toBe('stopped');
  });

  it('2.3.12 continues in another turn when the server ended the first for idleness', async () => {
    const world = await simulating();
    world.advance(110);
    world.socket.say({ warning: 'Turn ended after 5s of inactivity.' });
    world.advance(300);
    expect(world.turn(1).text).toBe('One ');
    expect(world.turn(2)).toMatchObject({ text: 'two three.', origin: 'simulated' });
  });

  it('keeps what was due while there was no connection yet', async () => {
    const world = new World();
    world.do({ type: 'simulate', text: 'One two.', profile: EVEN, seed: 1 });
    await tokensReady();
    world.advance(1000);
    world.socket.open();
    expect(world.socket.sent.slice(1)).toEqual([{ text: 'One ' }, { text: 'two.' }, { flush: true }]);
  });

  it('says in words when its vocabulary cannot be loaded', async () => {
    const world = new World(() => Promise.reject(new Error('offline')));
    world.do({ type: 'simulate', text: 'One.', profile: EVEN, seed: 1 });
    await tokensReady();
    world.advance(20);
    expect(world.problems[0]).toContain('no vocabulary');
  });
});
