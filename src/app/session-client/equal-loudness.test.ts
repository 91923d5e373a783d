import { beforeEach, expect, test } from 'vitest';
import { turnReport, turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import { useListening } from '../stores/listening-store.ts';
import { SessionClient, type SessionPort } from './session-client.ts';
import { fakePage } from './testing/page.ts';

const gains = new Map<string, number>();
const port = {
  sound: {
    setVoiceGain: (context: string, gain: number) => gains.set(context, gain),
    wake: () => undefined,
    heardMs: () => 0,
  },
  post: () => undefined,
} as unknown as SessionPort;

const turns = new Map<number, TurnView>();
let client: SessionClient;

/** Reports a new turn, or a change of one. */
function has(change: Partial<TurnView> & { id: number }): void {
  const turn = turnView({ ...turns.get(change.id), ...change });
  turns.set(turn.id, turn);
  client.receive({ turns: [turnReport(turn)] });
}

const turnOn = (isEqual: boolean) => useListening.setState({ isEqual });

beforeEach(() => {
  fakePage();
  gains.clear();
  turns.clear();
  useListening.setState(useListening.getInitialState());
  client = new SessionClient(port, { endpoint: 'kugel-stream', hasCast: false, isImmediate: true });
});

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

test('a repeat has the gain that is known by then, and its full sound without the switch', () => {
  has({ id: 1, context: 'a', voice: 'loud', loudness: -20 });
  has({ id: 2, context: 'b', voice: 'quiet', loudness: -26 });
  turnOn(true);
  client.repeatTurn(1);
  expect([...gains]).toEqual([
    ['a', expect.closeTo(10 ** -0.3, 10)],
    ['b', 1],
  ]);
  turnOn(false);
  client.repeatTurn(1);
  expect(gains.get('a')).toBe(1);
});

test('an equal name at another endpoint is another voice', () => {
  turnOn(true);
  has({ id: 1, voice: 'Anna', loudness: -30 });
  has({ id: 2, voice: 'Anna', endpoint: 'murmr', loudness: -20 });
  has({ id: 3, voice: 'Anna' });
  expect(gains.get('')).toBe(1);
  expect([...useListening.getState().voices.values()]).toEqual([-30, -20]);
});

test('a late report of an earlier turn does not change the loudness of its voice', () => {
  has({ id: 1, voice: 'Anna', loudness: -30 });
  has({ id: 2, voice: 'Anna', loudness: -20 });
  has({ id: 1, heardToMs: 1000 });
  expect([...useListening.getState().voices.values()]).toEqual([-20]);
});

test('another session knows what was measured', () => {
  turnOn(true);
  has({ id: 1, voice: 'quiet', loudness: -30 });
  has({ id: 2, voice: 'loud', loudness: -20 });
  client = new SessionClient(port, { endpoint: 'kugel-stream', hasCast: false, isImmediate: true });
  has({ id: 2, voice: 'loud' });
  expect(gains.get('')).toBeCloseTo(10 ** -0.5, 10);
});
