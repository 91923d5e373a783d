import { expect, it } from 'vitest';
import { audioFrame, ended, started, World } from '../testing/world.ts';

const RATE = 16_000;
const FRAMES = 12;

/** Speaks a turn whose audio comes twice as fast as it plays. Returns the reason of its prebuffer target. */
function speak(world: World): string {
  const socket = world.connect();
  world.do({ type: 'speak', text: 'Hello.' });
  socket.say(started('Hello.'));
  let reason = '';
  for (let frame = 0; frame < FRAMES; frame += 1) {
    socket.say(audioFrame(new Int16Array(RATE / 10).fill(1)));
    world.advance(50);
    if (frame === 0) reason = world.seen.player?.tracks[0]?.targetReason ?? '';
  }
  socket.say(ended());
  world.advance(2000);
  return reason;
}

const aim = (world: World, base: string): void =>
  world.do({
    type: 'target',
    target: { endpoint: world.endpoint.id, base, key: 'local' },
    settings: { voice_id: 1071 },
  });

const CAREFUL = 'one audio frame of 100 ms + 60 ms until gaps are known';
const LEARNED = 'one audio frame of 100 ms because recent turns had no gaps';

it('the prebuffer target is learned for each server, over reconnections and visits to another one', () => {
  const world = new World();
  world.attachPlayer(RATE);
  expect(speak(world)).toBe(CAREFUL);
  expect(speak(world)).toBe(LEARNED);
  world.do({ type: 'disconnect' });
  world.advance(100);
  expect(speak(world)).toBe(LEARNED);
  aim(world, 'ws://other/prefix');
  expect(speak(world)).toBe(CAREFUL);
  aim(world, 'ws://server/prefix');
  expect(speak(world)).toBe(LEARNED);
});
