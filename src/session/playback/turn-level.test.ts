import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PcmStore } from '#player/pcm-store.ts';
import { audioFrame, completed, ended, finished, started, World } from '../testing/world.ts';

const RATE = 16_000;
const tone = (level: number): Int16Array => new Int16Array(RATE / 10).fill(level);

describe('The level of a turn', () => {
  let world: World;
  let say: (frame: unknown) => void;
  /** Nothing else goes through all samples of a turn. */
  const readings = vi.spyOn(PcmStore.prototype, 'blocks');

  beforeEach(() => {
    readings.mockClear();
    world = new World();
    world.attachPlayer(RATE);
    const socket = world.connect();
    say = (frame) => socket.say(frame);
    world.do({ type: 'speak', text: 'Hello.' });
    say(started('Hello.'));
    say(audioFrame(tone(8192)));
  });

  afterAll(() => readings.mockRestore());

  const level = (): number | null => {
    world.advance(1000);
    return [...world.turns.values()][0]?.level ?? null;
  };

  it('is worked out once, although its audio ends before it does', () => {
    for (const frame of [completed(), finished, ended()]) say(frame);
    expect(level()).toBe(0.25);
    expect(readings).toHaveBeenCalledTimes(1);
  });

  it('is of all that came, also where more came behind the end of its audio', () => {
    for (const frame of [completed(), finished, audioFrame(tone(-8192)), audioFrame(tone(16_384)), ended()])
      say(frame);
    expect(level()).toBeCloseTo(Math.sqrt((0.25 ** 2 * 2 + 0.5 ** 2) / 3), 5);
    expect(readings).toHaveBeenCalledTimes(2);
  });
});
