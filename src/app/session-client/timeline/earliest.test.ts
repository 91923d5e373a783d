import { describe, expect, it } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import { atEarliest, leadMs } from './earliest.ts';

const RATE = 16_000;

/** A turn with so much audio, of which the first frame arrived at this time. */
const received = (id: number, firstAudioMs: number, audioMs: number, change: Partial<TurnView> = {}) =>
  turnView({
    id,
    state: 'ended',
    sampleRate: RATE,
    samples: (audioMs / 1000) * RATE,
    chunks: [chunkView({ firstAudioMs }), chunkView({ id: 1, firstAudioMs: firstAudioMs + 50 })],
    ...change,
  });

const spans = (turns: readonly TurnView[]) =>
  atEarliest(turns).map(({ heardFromMs, heardToMs }) => [heardFromMs, heardToMs]);

describe('turns of a client at the earliest', () => {
  it('begin with their first audio, one after the other on a context', () => {
    const turns = [
      received(1, 1000, 500),
      received(2, 1100, 300),
      received(3, 1200, 300, { context: 'b' }),
      received(4, 5000, 300),
    ];
    expect(spans(turns)).toEqual([
      [1000, 1500],
      [1500, 1800],
      [1200, 1500],
      [5000, 5300],
    ]);
    expect(atEarliest(turns)[1]?.played).toEqual([{ sample: 0, count: 4800, atMs: 1500 }]);
  });

  it('have no end while they go on, and none without audio', () => {
    expect(spans([received(1, 1000, 500, { state: 'receiving' }), turnView({ id: 2 })])).toEqual([
      [1000, null],
      [null, null],
    ]);
  });

  it('end where the client cancelled them', () => {
    const bargeIn = { onsetMs: null, pressedMs: 1200, silentMs: null, interruptedMs: null, heard: null };
    const [cut, next] = atEarliest([
      received(1, 1000, 500, { state: 'cancelled', bargeIn }),
      received(2, 1300, 500),
    ]);
    expect(cut).toMatchObject({ heardToMs: 1200, silencedMs: 1200, played: [{ count: 3200 }] });
    expect(next?.heardFromMs).toBe(1300);
  });

  it('keep their identity until they change', () => {
    const turns = [received(1, 1000, 500), received(2, 1100, 300)];
    const [first, second] = atEarliest(turns);
    const changed = received(2, 1100, 400);
    const again = atEarliest([turns[0] as TurnView, changed]);
    expect(again[0]).toBe(first);
    expect(again[1]).not.toBe(second);
  });

  it('are as they were heard here where somebody listens, except for those that were left out', () => {
    const turns = [received(1, 1000, 500, { isLeftOut: true }), received(2, 1100, 300)];
    const [first, second] = atEarliest(turns, true);
    expect(first?.heardFromMs).toBe(1000);
    expect(second).toBe(turns[1]);
  });
});

describe('the lead of a client', () => {
  const lead = (turns: readonly TurnView[], nowMs: number) => leadMs(atEarliest(turns), nowMs);

  it('is the audio received less the time since the first of it', () => {
    expect(lead([received(1, 1000, 500)], 1100)).toBe(400);
  });

  it('counts turns that wait for the turn before them', () => {
    expect(lead([received(1, 1000, 500), received(2, 1100, 300)], 1200)).toBe(600);
  });

  it('is below 0 where a turn goes on and nothing is left, and unknown where nothing plays', () => {
    expect(lead([received(1, 1000, 500, { state: 'receiving' })], 1700)).toBe(-200);
    expect(lead([received(1, 1000, 500)], 1700)).toBeNull();
    expect(lead([], 0)).toBeNull();
  });
});
