import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import { followLoudness, useEqualLoudness } from './equal-loudness.ts';
import { emptySession, type SessionState } from './session-state.ts';
import type { Sound } from './sound.ts';

const gains = new Map<string, number>();
const sound = {
  setVoiceGain: (context: string, gain: number) => gains.set(context, gain),
} as unknown as Sound;
let store = createStore<SessionState>()(() => emptySession('kugel-stream'));
let leave = (): void => undefined;

/** Adds a turn, or changes it. */
function has(turn: Partial<TurnView> & { id: number }): void {
  const { turns, turnIds } = store.getState();
  const before = turns.get(turn.id);
  store.setState({
    turns: turns.with([before ? { ...before, ...turn } : turnView(turn)]),
    turnIds: before ? turnIds : [...turnIds, turn.id],
  });
}

const turnOn = (isOn: boolean) => useEqualLoudness.setState({ isOn });

beforeEach(() => {
  gains.clear();
  store = createStore<SessionState>()(() => emptySession('kugel-stream'));
  useEqualLoudness.setState({ isOn: false, voices: new Map() });
  leave = followLoudness({ store, sound });
});

afterEach(() => leave());

test('the louder voice is turned down to the quieter one, from its next turn on', () => {
  turnOn(true);
  has({ id: 1, voice: 'loud' });
  has({ id: 1, loudness: -14 });
  has({ id: 2, voice: 'quiet' });
  has({ id: 2, loudness: -34 });
  // No change in the middle of a turn.
  expect(gains.get('')).toBe(1);
  has({ id: 3, voice: 'loud' });
  expect(gains.get('')).toBeCloseTo(0.1, 10);
  has({ id: 4, voice: 'quiet' });
  expect(gains.get('')).toBe(1);
  has({ id: 5, voice: 'new' });
  expect(gains.get('')).toBe(1);
});

test('the switch applies at once, and to each context', () => {
  has({ id: 1, context: 'a', voice: 'loud', loudness: -20 });
  has({ id: 2, context: 'b', voice: 'quiet', loudness: -26 });
  expect([...gains]).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
  turnOn(true);
  expect(gains.get('a')).toBeCloseTo(10 ** -0.3, 10);
  expect(gains.get('b')).toBe(1);
  turnOn(false);
  expect(gains.get('a')).toBe(1);
});

test('an equal name at another endpoint is another voice', () => {
  turnOn(true);
  has({ id: 1, voice: 'Anna', loudness: -30 });
  has({ id: 2, voice: 'Anna', endpoint: 'murmr', loudness: -20 });
  has({ id: 3, voice: 'Anna' });
  expect(gains.get('')).toBe(1);
  expect([...useEqualLoudness.getState().voices.values()]).toEqual([-30, -20]);
});

test('a session that is left has its full sound, and what was measured is remembered', () => {
  turnOn(true);
  has({ id: 1, voice: 'quiet', loudness: -30 });
  has({ id: 2, voice: 'loud', loudness: -20 });
  has({ id: 3, voice: 'loud' });
  leave();
  expect(gains.get('')).toBe(1);
  leave = followLoudness({ store, sound });
  expect(gains.get('')).toBeCloseTo(10 ** -0.5, 10);
});
