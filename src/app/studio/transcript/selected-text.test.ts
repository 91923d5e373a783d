import { describe, expect, it } from 'vitest';
import { chunkView } from '#session/testing/views.ts';
import { selectedTextOf, selectionOf } from './selected-text.ts';
import { partsOf } from './words.ts';

const word = (text: string, charStart: number, startMs: number) => ({
  word: text,
  startMs,
  endMs: startMs + 100,
  charStart,
  charEnd: charStart + text.length,
});

/** Two chunks, of which the second has no timings, and text that no chunk has taken up. */
const parts = partsOf({
  text: 'One two. Three four. Five.',
  sampleRate: 24_000,
  chunks: [
    chunkView({
      id: 0,
      text: 'One two.',
      words: [word('One', 0, 0), word('two.', 4, 100)],
      samples: 100,
    }),
    chunkView({ id: 1, text: 'Three four.', startSample: 100, samples: 100 }),
  ],
});

describe('a selection in the text of a turn', () => {
  it('maps a pressed word to a selection and back', () => {
    const selected = selectionOf(1, 7, parts);
    expect(selected).toEqual({ kind: 'word', turn: 7, chunk: 0, word: 1 });
    expect(selectedTextOf(selected, 7, parts)).toEqual({ word: 1 });
  });

  it('maps to the chunk where words have no times, and to the turn without a chunk', () => {
    expect(selectionOf(2, 7, parts)).toEqual({ kind: 'chunk', turn: 7, chunk: 1 });
    expect(selectionOf(4, 7, parts)).toEqual({ kind: 'turn', turn: 7 });
    expect(selectionOf(99, 7, parts)).toEqual({ kind: 'turn', turn: 7 });
  });

  it.each([
    [{ kind: 'turn', turn: 7 } as const, 'turn'],
    [{ kind: 'chunk', turn: 7, chunk: 1 } as const, { chunk: 1 }],
    [{ kind: 'word', turn: 7, chunk: 0, word: 9 } as const, { chunk: 0 }],
    [{ kind: 'frame', frame: 3, turn: 7, chunk: 0 } as const, { chunk: 0 }],
    [{ kind: 'frame', frame: 3, turn: 7, chunk: null } as const, null],
    [{ kind: 'chunk', turn: 7, chunk: 5 } as const, null],
    [{ kind: 'chunk', turn: 8, chunk: 1 } as const, null],
    [null, null],
  ])('of another panel is marked: %j', (selected, marked) => {
    expect(selectedTextOf(selected, 7, parts)).toEqual(marked);
  });
});
