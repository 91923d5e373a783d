import { describe, expect, it } from 'vitest';
import type { Filter } from '#recordings/view/filter.ts';
import { chunkView, turnView } from '#session/testing/views.ts';
import { frameOf } from './selected-frame.ts';

const words = [0, 500].map((startMs) => ({
  word: 'x',
  startMs,
  endMs: startMs + 400,
  charStart: 0,
  charEnd: 1,
}));
const turn = turnView({
  id: 3,
  sampleRate: 24_000,
  chunks: [chunkView({ id: 2, startSample: 48_000, samples: 24_000, words })],
});

/** A fake recording with fixed answers, which keeps the queries. */
function recording(found: Record<string, number[]>, frame: number | null = null) {
  const asked: unknown[] = [];
  return {
    asked,
    find: async (filter: Filter) => {
      asked.push(filter);
      return found[filter.kinds?.[0] ?? 'any'] ?? [];
    },
    frameAt: async (id: number, sample: number) => {
      asked.push([id, sample]);
      return frame;
    },
    firstNumber: 100,
  };
}

describe('the frame of a selection', () => {
  it('of a word is the one that carries its first sample', async () => {
    const { asked, ...finder } = recording({}, 71);
    expect(await frameOf({ kind: 'word', turn: 3, chunk: 2, word: 1 }, turn, finder)).toBe(71);
    expect(asked).toEqual([[3, 48_000 + 12_000]]);
  });

  it('of a word without a time is the first audio of its chunk', async () => {
    const finder = recording({ audio: [40, 41] });
    expect(await frameOf({ kind: 'word', turn: 3, chunk: 2, word: 9 }, turn, finder)).toBe(40);
    expect(await frameOf({ kind: 'word', turn: 3, chunk: 2, word: 0 }, undefined, finder)).toBe(40);
  });

  it('of a chunk without audio is its first frame', async () => {
    expect(await frameOf({ kind: 'chunk', turn: 3, chunk: 2 }, turn, recording({ any: [7] }))).toBe(7);
    expect(await frameOf({ kind: 'chunk', turn: 3, chunk: 2 }, turn, recording({}))).toBeNull();
  });

  it('of a turn is its first, of an underrun its own entry', async () => {
    const finder = recording({ any: [5, 6], underrun: [20, 30] });
    expect(await frameOf({ kind: 'turn', turn: 3 }, turn, finder)).toBe(5);
    expect(await frameOf({ kind: 'underrun', turn: 3, underrun: 1 }, turn, finder)).toBe(30);
    expect(await frameOf({ kind: 'underrun', turn: 3, underrun: 2 }, turn, finder)).toBeNull();
  });

  it.each([
    ['its entry', 109, 100, 9],
    ['the first entry', 100, 100, 0],
    ['nothing where it was recorded before this recording', 99, 100, null],
    ['nothing where what is shown is of another session', 109, null, null],
    ['nothing where it is of another session', null, 100, null],
  ])('of a frame is %s', async (_, frame, firstNumber, index) => {
    const finder = { ...recording({}), firstNumber };
    expect(await frameOf({ kind: 'frame', frame, turn: null, chunk: null }, undefined, finder)).toBe(index);
  });
});
