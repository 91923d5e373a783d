import { describe, expect, it } from 'vitest';
import { Chunks, MAX_CHUNK_CHARS, MAX_CHUNKS, MAX_REPORTED, MAX_TURN_CHARS } from './chunks.ts';

const word = (charStart: number, charEnd: number, text = 'x') => ({
  word: text,
  startMs: 0,
  endMs: 1,
  charStart,
  charEnd,
});

describe('the chunks of a turn', () => {
  it('cuts a long text and its words, and keeps its length', () => {
    const chunks = new Chunks();
    const chunk = chunks.change(0, 0);
    chunks.setText(chunk, 'a'.repeat(1_000_000));
    expect(chunk.text).toHaveLength(MAX_CHUNK_CHARS);
    expect(chunk.cutChars).toBe(1_000_000 - MAX_CHUNK_CHARS);
    chunks.setWords(chunk, [word(0, 5, 'b'.repeat(500_000)), word(900_000, 900_001)]);
    expect(chunk.words).toHaveLength(1);
    expect(chunk.words?.[0]?.word.length).toBeLessThan(1000);
  });

  it('keeps as much text over all chunks as a turn may have', () => {
    const chunks = new Chunks();
    for (let id = 0; id < 40; id += 1) chunks.setText(chunks.change(id, 0), 'a'.repeat(MAX_CHUNK_CHARS));
    expect(chunks.chars).toBe(MAX_TURN_CHARS);
    expect(chunks.list.at(-1)).toMatchObject({ text: '', cutChars: MAX_CHUNK_CHARS });
    chunks.setText(chunks.change(0, 0), 'short');
    expect(chunks.chars).toBe(MAX_TURN_CHARS - MAX_CHUNK_CHARS + 5);
  });

  it('lets chunks beyond the limit share the last one', () => {
    const chunks = new Chunks();
    for (let id = 0; id < MAX_CHUNKS + 10; id += 1) chunks.change(id, id).samples += 1;
    expect(chunks.list).toHaveLength(MAX_CHUNKS);
    expect(chunks.list.at(-1)?.samples).toBe(11);
  });

  it('reports each change once', () => {
    const chunks = new Chunks();
    chunks.change(4, 0);
    chunks.change(7, 0);
    expect(chunks.takeChanged().map(({ at, chunk }) => [at, chunk.id])).toEqual([
      [0, 4],
      [1, 7],
    ]);
    expect(chunks.takeChanged()).toEqual([]);
    chunks.change(7, 0);
    expect(chunks.takeChanged().map(({ at }) => at)).toEqual([1]);
  });

  it('reports many new chunks in steps without holes', () => {
    const chunks = new Chunks();
    for (let id = 0; id < 2 * MAX_REPORTED + 5; id += 1) chunks.change(id, 0);
    const takes = [1, 2, 3].map(() => ({ taken: chunks.takeChanged().length, reported: chunks.reported }));
    expect(takes).toEqual([
      { taken: MAX_REPORTED, reported: MAX_REPORTED },
      { taken: MAX_REPORTED, reported: 2 * MAX_REPORTED },
      { taken: 5, reported: 2 * MAX_REPORTED + 5 },
    ]);
    expect(chunks.hasChanged).toBe(false);
  });

  it('merges into one chunk with the same sums', () => {
    const chunks = new Chunks();
    for (const id of [3, 4, 5]) {
      const chunk = chunks.change(id, id * 100);
      chunks.setText(chunk, 'text');
      chunks.setWords(chunk, [word(0, 4)]);
      Object.assign(chunk, {
        samples: 100,
        audioFrames: 2,
        generationMs: 7,
        heardFromMs: id,
        heardToMs: id + 1,
      });
    }
    chunks.condense();
    expect(chunks.takeChanged()).toMatchObject([
      {
        at: 0,
        chunk: {
          id: 3,
          text: null,
          words: null,
          samples: 300,
          startSample: 300,
          audioFrames: 6,
          generationMs: 21,
          heardFromMs: 3,
          heardToMs: 6,
        },
      },
    ]);
    expect(chunks.isUntimed(3)).toBe(false);
  });
});
