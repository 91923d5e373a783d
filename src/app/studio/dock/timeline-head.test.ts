import { expect, test } from 'vitest';
import { emptySession } from '../../session-client/session-store.ts';
import { twoChunks } from '../timeline/testing/turns.ts';
import { playHeadOf } from './timeline-head.ts';

const session = (state: 'playing' | 'buffering', replaying: boolean) => {
  const track = { context: '', state, turn: 1, sample: 500, atMs: 9000, epoch: 0, peak: 0 };
  const rest = { bufferedSeconds: 1, floorMs: 0, floorReason: '' };
  return {
    turns: new Map([[1, twoChunks()]]),
    player: { ...emptySession().player, state, replaying, tracks: [{ ...track, ...rest }] },
  };
};

test('heard for the first time, the head is now', () => {
  expect(playHeadOf(session('playing', false), 9050)).toEqual({ atMs: 9050, audioMs: 550 });
});

test('heard again, it runs over the place where it was heard, over the silence in it as well', () => {
  expect(playHeadOf(session('playing', true), 9050)).toEqual({ atMs: 950, audioMs: 550 });
  expect(playHeadOf(session('playing', true), 9150)).toEqual({ atMs: 1150, audioMs: 650 });
});

test('never behind the last sample, and nowhere while nothing is heard', () => {
  expect(playHeadOf(session('playing', true), 99_000)).toEqual({ atMs: 1500, audioMs: 1000 });
  expect(playHeadOf(session('buffering', false), 9050)).toBeNull();
});
