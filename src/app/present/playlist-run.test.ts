import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  NEW_RUN,
  type PlaylistEvent,
  type PlaylistRun,
  playlistStep,
  type RunRules,
} from './playlist-run.ts';

const AUTO: RunRules = { count: 3, auto: true, pauseMs: 1000, loop: false };
const MANUAL: RunRules = { ...AUTO, auto: false };
const LOOP: RunRules = { ...AUTO, loop: true };

/** Applies events one second apart. Returns the places that were spoken, and the run. */
function played(events: readonly PlaylistEvent[], rules: RunRules, from: PlaylistRun = NEW_RUN) {
  let run = from;
  const acts: (number | 'silence')[] = [];
  for (const [at, event] of events.entries()) {
    const step = playlistStep(run, event, rules, at * 1000);
    run = step.run;
    if (step.act === 'speak') acts.push(run.at);
    if (step.act === 'silence') acts.push('silence');
  }
  return { run, acts };
}

const advance: PlaylistEvent = { type: 'advance' };
const stop: PlaylistEvent = { type: 'stop' };
const back: PlaylistEvent = { type: 'back' };
const tick: PlaylistEvent = { type: 'tick' };
const heard: PlaylistEvent = { type: 'heard', failed: false };
const failed: PlaylistEvent = { type: 'heard', failed: true };

describe('the run of a playlist', () => {
  it.each([
    ['starts with the first item', [advance], MANUAL, [0], 'speaking'],
    ['waits for a press after an item', [advance, heard], MANUAL, [0], 'ready'],
    ['goes on to the next item', [advance, heard, advance], MANUAL, [0, 1], 'speaking'],
    ['cuts off an item that is spoken', [advance, advance], MANUAL, [0, 1], 'speaking'],
    ['is over behind the last item', [{ type: 'goTo', at: 2 }, heard], MANUAL, [2], 'over'],
    ['starts again after the end', [{ type: 'goTo', at: 2 }, heard, advance], MANUAL, [2, 0], 'speaking'],
    ['hears the last item to its end', [{ type: 'goTo', at: 2 }, advance], MANUAL, [2], 'speaking'],
    [
      'falls silent and stays at the item',
      [advance, advance, stop, advance],
      MANUAL,
      [0, 1, 'silence', 1],
      'speaking',
    ],
    ['goes back', [{ type: 'goTo', at: 2 }, back], MANUAL, [2, 1], 'speaking'],
    [
      'goes back to the last item from the end',
      [{ type: 'goTo', at: 2 }, heard, back],
      MANUAL,
      [2, 2],
      'speaking',
    ],
    ['does not go back beyond the first item', [advance, back], MANUAL, [0, 0], 'speaking'],
    ['pauses by itself', [advance, heard], AUTO, [0], 'pausing'],
    ['goes on by itself after the pause', [advance, heard, tick], AUTO, [0, 1], 'speaking'],
    ['goes on within the pause on a press', [advance, heard, advance], AUTO, [0, 1], 'speaking'],
    ['stops within the pause', [advance, heard, stop, tick], AUTO, [0, 'silence'], 'ready'],
    ['loops', [{ type: 'goTo', at: 2 }, heard, tick], LOOP, [2, 0], 'speaking'],
    ['loops on a press', [{ type: 'goTo', at: 2 }, advance], LOOP, [2, 0], 'speaking'],
    ['skips an item that failed', [advance, failed, tick], AUTO, [0, 1], 'speaking'],
    [
      'ends a loop in which every item failed',
      [advance, failed, tick, failed, tick, failed],
      LOOP,
      [0, 1, 2],
      'ready',
    ],
    ['does nothing without items', [advance, tick, back], { ...AUTO, count: 0 }, [], 'ready'],
  ] as [string, PlaylistEvent[], RunRules, (number | 'silence')[], PlaylistRun['phase']][])(
    '%s',
    (_, events, rules, acts, phase) => {
      const { run, acts: done } = played(events, rules);
      expect(done).toEqual(acts);
      expect(run.phase).toBe(phase);
    },
  );

  it('does not go on before the end of the pause', () => {
    const { run } = playlistStep({ ...NEW_RUN, phase: 'speaking' }, heard, AUTO, 5000);
    expect(run).toMatchObject({ phase: 'pausing', at: 1, dueMs: 6000 });
    expect(playlistStep(run, tick, AUTO, 5999).act).toBeNull();
    expect(playlistStep(run, tick, AUTO, 6000)).toMatchObject({ act: 'speak', run: { at: 1, dueMs: null } });
  });

  it('forgets failures after an item that was heard', () => {
    const { run } = played([advance, failed, tick, heard], LOOP);
    expect(run.failures).toBe(0);
  });

  it.each([
    ['follows its item to another place', 'speaking', 2, { at: 2, phase: 'speaking' }, null],
    ['falls silent where its item was removed', 'speaking', null, { at: 1, phase: 'ready' }, 'silence'],
    ['goes on with the item behind a removed one', 'pausing', null, { at: 1, phase: 'pausing' }, null],
  ] as const)('%s', (_, phase, at, expected, act) => {
    const run: PlaylistRun = { ...NEW_RUN, at: 1, phase, dueMs: phase === 'pausing' ? 1000 : null };
    const step = playlistStep(run, { type: 'edited', at }, AUTO, 0);
    expect(step.run).toMatchObject(expected);
    expect(step.act).toBe(act);
  });

  it('stays inside the playlist after any events, and has a due time only while it pauses', () => {
    const event = fc.oneof(
      fc.constantFrom<PlaylistEvent>(advance, back, stop, tick, heard, failed),
      fc.integer({ min: -3, max: 9 }).map((at): PlaylistEvent => ({ type: 'goTo', at })),
      fc.option(fc.nat(5), { nil: null }).map((at): PlaylistEvent => ({ type: 'edited', at })),
    );
    const rules = fc.record({
      count: fc.nat(6),
      auto: fc.boolean(),
      pauseMs: fc.nat(3000),
      loop: fc.boolean(),
    });
    fc.assert(
      fc.property(rules, fc.array(event, { maxLength: 60 }), (of, events) => {
        let run = NEW_RUN;
        for (const [at, one] of events.entries()) {
          // An edit reports a place that exists.
          const given =
            one.type === 'edited' && one.at !== null && one.at >= of.count ? { ...one, at: null } : one;
          const step = playlistStep(run, given, of, at * 500);
          expect(step.act === 'speak' ? step.run.phase : 'speaking').toBe('speaking');
          run = step.run;
          expect(run.at).toBeGreaterThanOrEqual(0);
          expect(run.at).toBeLessThan(Math.max(1, of.count));
          expect(run.dueMs !== null).toBe(run.phase === 'pausing');
          if (of.count === 0) expect(step.act).not.toBe('speak');
        }
      }),
    );
  });
});
