import { expect, test, vi } from 'vitest';
import { roundedEnd } from '../../studio/timeline/paint/paint-minimap.ts';
import { twoChunks } from '../../studio/timeline/testing/turns.ts';
import { SessionSelection } from '../selection.ts';
import { EnvelopeStore } from './envelope-store.ts';
import { LaneStore } from './lane-store.ts';
import { TimeScale } from './time-scale.ts';
import { TimelineState } from './timeline-state.ts';

function looking() {
  const repaint = vi.fn();
  const state = new TimelineState(new LaneStore(), new EnvelopeStore(), new SessionSelection(), repaint);
  state.lanes.update([
    twoChunks(),
    twoChunks({ id: 2, firstTextMs: 8000, heardFromMs: 8400, heardToMs: 9500 }),
  ]);
  state.scale = new TimeScale(0, 10, 100);
  return { state, repaint };
}

test('moving the view ends following, and every move repaints', () => {
  const { state, repaint } = looking();
  repaint.mockClear();
  state.move((of) => of.pan(20));
  expect(state.look.getState().isFollowing).toBe(false);
  expect(repaint).toHaveBeenCalled();
  state.follow(true);
  expect(state.look.getState().isFollowing).toBe(true);
});

test('fits the session and a turn', () => {
  const { state } = looking();
  state.fitSession(20_000);
  expect(state.scale?.toPx(0)).toBeCloseTo(8);
  expect(state.scale?.toPx(9500)).toBeLessThanOrEqual(110);
  const turn = state.lanes.turn(2);
  if (turn) state.fitTurn(turn, 20_000);
  expect(state.scale?.toPx(8000)).toBeCloseTo(8);
  expect(state.scale?.toPx(9500)).toBeGreaterThan(80);
});

test('a selection moves the view only where it is out of view', () => {
  const { state } = looking();
  state.scale = new TimeScale(0, 10, 1000);
  state.show(2000, 2100);
  expect(state.scale.startMs).toBe(0);
  expect(state.look.getState().isFollowing).toBe(true);
  state.show(20_000, 20_100);
  expect(state.scale.toPx(20_100)).toBeLessThan(1000);
  expect(state.scale.msPerPx).toBe(10);
  state.show(0, 100_000);
  expect(state.scale.toPx(100_000)).toBeCloseTo(952);
});

test('the session reaches to now while a turn is live, and then to its end', () => {
  const { state } = looking();
  expect(state.extent(20_000)).toEqual({ fromMs: 0, toMs: 9500 });
  state.lanes.update([twoChunks({ state: 'receiving', heardToMs: null, endedMs: null })]);
  expect(state.extent(3000)).toEqual({ fromMs: 0, toMs: 3000 });
  state.lanes.update([]);
  expect(state.extent(3000)).toBeNull();
});

test('the scale of the session grows by steps of at most a tenth', () => {
  let end = 0;
  let changes = 0;
  for (let ms = 10_000; ms < 20_000; ms += 10) {
    const now = roundedEnd(0, ms);
    expect(now).toBeGreaterThanOrEqual(ms);
    expect(now).toBeLessThanOrEqual(ms * 1.1);
    if (now !== end) changes += 1;
    end = now;
  }
  expect(changes).toBeLessThan(25);
});
