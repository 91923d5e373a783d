import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PcmStore } from '#player/pcm-store.ts';
import { audioFrame, completed, ended, finished, started, World } from '../testing/world.ts';
import type { TurnView } from '../views.ts';

const RATE = 16_000;
/** 200 ms of 1 kHz. */
const tone = (peak: number): Int16Array =>
  Int16Array.from({ length: RATE / 5 }, (_, at) => peak * Math.sin((2 * Math.PI * 1000 * at) / RATE));

describe('The loudness of a turn', () => {
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
    say(audioFrame(tone(3277)));
  });

  afterAll(() => readings.mockRestore());

  const turn = (): TurnView | undefined => {
    world.advance(1000);
    return [...world.turns.values()][0];
  };

  it('is worked out once, although its audio ends before it does', () => {
    for (const frame of [completed(), finished, ended()]) say(frame);
    // A sine of −20 dBFS in one channel.
    expect(turn()?.loudness).toBeCloseTo(-23.05, 1);
    expect(readings).toHaveBeenCalledTimes(1);
  });

  it('is of all that came, also where more came behind the end of its audio', () => {
    for (const frame of [completed(), finished, audioFrame(tone(6554)), audioFrame(tone(6554)), ended()])
      say(frame);
    expect(turn()?.loudness).toBeGreaterThan(-20);
    expect(readings).toHaveBeenCalledTimes(2);
  });

  it('is unknown for silence', () => {
    world.do({ type: 'speak', text: 'Nothing.' });
    for (const frame of [completed(), finished, ended(), started('Nothing.')]) say(frame);
    for (const frame of [audioFrame(tone(0)), completed(), finished, ended()]) say(frame);
    world.advance(1000);
    expect(world.turn(2)).toMatchObject({ loudness: null });
  });
});
