import { describe, expect, it } from 'vitest';
import { type PlayedPositions, PlayLog, type RingEvent } from './status.ts';

const at = (position: number, epoch = 0) => ({ epoch, position });
const event = (kind: RingEvent['kind'], position: number, frame: number, epoch = 0): RingEvent => ({
  kind,
  position,
  frame,
  epoch,
});

const REST = { frame: 0, state: 'playing', peak: 0, underruns: 0, eventsLost: 0 } as const;

/** A log, by the positions that it reports as played. */
function logging() {
  const log = new PlayLog();
  return (events: readonly RingEvent[], now: ReturnType<typeof at>): PlayedPositions[] =>
    log.follow({ ...REST, ...now, events }, now.position).played;
}

describe('32 bits', () => {
  it.each([
    [5, 3, 5],
    [-1, 2 ** 32, 2 ** 32 - 1],
    [0, 2 ** 32 - 5, 2 ** 32],
    [-(2 ** 31), 2 ** 31 - 1, 2 ** 31],
    [7, 5 * 2 ** 32, 5 * 2 ** 32 + 7],
  ])('%i near %d is %d', (value, near, expected) => {
    expect(new PlayLog().follow({ ...REST, ...at(value), events: [] }, near).position).toBe(expected);
  });
});

describe('samples that left the player', () => {
  it('are reported once each, while playing continues', () => {
    const since = logging();
    expect(since([], at(0))).toEqual([]);
    expect(since([event('started', 0, 128)], at(100))).toEqual([
      { epoch: 0, position: 0, count: 100, frame: 128 },
    ]);
    expect(since([], at(100))).toEqual([]);
    expect(since([], at(130))).toEqual([{ epoch: 0, position: 100, count: 30, frame: 228 }]);
  });

  it('end where a clear was followed, and leave out what was dropped', () => {
    const since = logging();
    since([event('started', 0, 0)], at(128));
    const events = [event('cleared', 256, 256), event('started', 1000, 384, 1)];
    expect(since(events, at(1128, 1))).toEqual([
      { epoch: 0, position: 128, count: 128, frame: 128 },
      { epoch: 1, position: 1000, count: 128, frame: 384 },
    ]);
  });

  it('are left out where the end of a run was lost', () => {
    const since = logging();
    since([event('started', 0, 0)], at(128));
    expect(since([], at(5000, 1))).toEqual([]);
    expect(since([event('started', 5000, 900, 1)], at(5010, 1))).toEqual([
      { epoch: 1, position: 5000, count: 10, frame: 900 },
    ]);
  });

  it('have the frame of each position through underrun, jump of the clock and clear', () => {
    const since = logging();
    const runs = since(
      [
        event('started', 0, 1000),
        event('underrun', 500, 1500),
        event('resumed', 500, 2000),
        event('realigned', 700, 4000),
        event('cleared', 800, 4100),
        event('started', 900, 5000, 1),
      ],
      at(1000, 1),
    );
    const frameAt = (position: number, epoch: number): number | null => {
      const run = runs.find(
        (one) => one.epoch === epoch && position >= one.position && position < one.position + one.count,
      );
      return run ? run.frame + position - run.position : null;
    };
    expect([0, 499, 500, 699, 700, 799, 800].map((position) => frameAt(position, 0))).toEqual([
      1000,
      1499,
      2000,
      2199,
      4000,
      4099,
      null,
    ]);
    expect([frameAt(900, 1), frameAt(900, 0), frameAt(950, 1)]).toEqual([5000, null, 5050]);
  });
});
