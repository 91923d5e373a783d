import type { KeyboardEvent } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { SessionSelection } from '../../session-client/selection.ts';
import { EnvelopeStore } from '../../session-client/timeline/envelope-store.ts';
import { LaneStore } from '../../session-client/timeline/lane-store.ts';
import { TimeScale } from '../../session-client/timeline/time-scale.ts';
import { TimelineState } from '../../session-client/timeline/timeline-state.ts';
import { type KeyActions, onTimelineKey, stepped } from './keys.ts';
import { twoChunks } from './testing/turns.ts';

describe('a step to the next or previous word', () => {
  const turns = [twoChunks(), twoChunks({ id: 2, chunks: [] }), twoChunks({ id: 3 })];
  const word = (turn: number, chunk: number, at: number) =>
    ({ kind: 'word', turn, chunk, word: at }) as const;
  test.each([
    ['from nothing: to the first of the turn', null, 1, word(3, 0, 0)],
    ['back from nothing: to the last, a chunk without words', null, -1, { kind: 'chunk', turn: 3, chunk: 1 }],
    ['within a chunk', word(1, 0, 0), 1, word(1, 0, 1)],
    ['into the next chunk', word(1, 0, 1), 1, { kind: 'chunk', turn: 1, chunk: 1 }],
    ['across a turn without audio', { kind: 'chunk', turn: 1, chunk: 1 }, 1, word(3, 0, 0)],
    ['back across it', word(3, 0, 0), -1, { kind: 'chunk', turn: 1, chunk: 1 }],
    ['from a chunk that has words: into it', { kind: 'chunk', turn: 1, chunk: 0 }, 1, word(1, 0, 0)],
    ['at the very end: nowhere', { kind: 'chunk', turn: 3, chunk: 1 }, 1, null],
  ] as const)('%s', (_, selected, by, next) => expect(stepped(turns, selected, by, 3)).toEqual(next));
});

function pressed(
  key: string,
  rest: Partial<KeyboardEvent> = {},
  before: (state: TimelineState) => void = () => undefined,
) {
  const state = new TimelineState(
    new LaneStore(),
    new EnvelopeStore(),
    new SessionSelection(),
    () => undefined,
  );
  state.scale = new TimeScale(1000, 10, 100);
  before(state);
  const preventDefault = vi.fn();
  const actions: KeyActions = {
    anchorPx: () => 50,
    fitSession: vi.fn(),
    fitTurn: vi.fn(),
    toStart: vi.fn(),
    step: vi.fn(),
    play: vi.fn(),
  };
  onTimelineKey({ key, preventDefault, ...rest } as unknown as KeyboardEvent, state, actions);
  return { state, actions, isTaken: preventDefault.mock.calls.length > 0 };
}

describe('keys', () => {
  test('zoom about the fixed point, and end following', () => {
    const { state } = pressed('+');
    expect(state.scale?.toMs(50)).toBeCloseTo(1500);
    expect(state.scale?.msPerPx).toBeCloseTo(10 / 1.5);
    expect(state.look.getState().isFollowing).toBe(false);
  });

  test('pan, and with Shift draw a span from there', () => {
    expect(pressed('ArrowRight').state.scale?.startMs).toBe(1800);
    expect(pressed('ArrowRight', { shiftKey: true }).state.look.getState().span).toEqual({
      fromMs: 1500,
      toMs: 1580,
    });
  });

  test('Esc clears a span, and without one is left to the page', () => {
    const withSpan = (state: TimelineState) => state.look.setState({ span: { fromMs: 1, toMs: 2 } });
    expect(pressed('Escape', {}, withSpan)).toMatchObject({ isTaken: true });
    expect(pressed('Escape', {}, withSpan).state.look.getState().span).toBeNull();
    expect(pressed('Escape').isTaken).toBe(false);
  });

  test('with Ctrl are left to the browser', () => {
    expect(pressed('f', { ctrlKey: true }).actions.fitSession).not.toHaveBeenCalled();
    expect(pressed('f').actions.fitSession).toHaveBeenCalledOnce();
  });
});
