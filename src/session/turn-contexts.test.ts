import { beforeEach, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { samplesOf, World } from './testing/world.ts';

/** Speakers whose turns are contexts of their own on the wire, which the server ends by itself after a silence. */

const RATE = 24_000;
const SLOW = {
  kind: 'simulated',
  profile: {
    timeToFirstTokenMs: 0,
    tokensPerSecond: 1,
    jitter: 0,
    burst: { every: 0, size: 0 },
    stall: { chance: 0, ms: 0 },
  },
  seed: 1,
} as const;

let world: World;

beforeEach(() => {
  world = new World(undefined, endpointOf('cartesia'));
  world.attachPlayer(RATE);
  world.do({ type: 'speakers', speakers: [{ id: 'Ann', settings: world.voice, keepOpen: false }] });
});

const context = (type: string, fields: object) =>
  world.socket.say({ type, context_id: 'Ann', status_code: 206, ...fields });

/** Texts by context, as they were sent. */
function texts(): Record<string, string> {
  const all: Record<string, string> = {};
  for (const frame of world.socket.sent as { context_id: string; transcript: string }[])
    all[frame.context_id] = (all[frame.context_id] ?? '') + frame.transcript;
  return all;
}

it('says the rest of a line in another turn, where the server has ended the first', async () => {
  const text = 'One two three four five six seven eight.';
  world.do({ type: 'perform', lines: [{ speaker: 'Ann', text, line: 0 }], source: SLOW, closeAfter: false });
  world.socket.open();
  await world.advanceSettled(2500);
  context('chunk', {
    done: false,
    step_time: 5,
    data: Buffer.from(samplesOf(100, 8000, RATE).buffer).toString('base64'),
  });
  context('done', { done: true });
  await world.advanceSettled(20_000);
  const said = texts();
  expect(Object.keys(said)).toEqual(['Ann', 'Ann~2']);
  expect(Object.values(said).join('')).toBe(text);
  expect(world.turn(1)).toMatchObject({ state: 'ended', line: 0 });
  expect(world.turn(2)).toMatchObject({ line: 0, textFrames: expect.any(Number) });
});
