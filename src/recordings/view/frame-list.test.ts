import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewEntry } from '#trace/entry.ts';
import { MAX_ROWS } from '../recordings-view.ts';
import { FrameIndex } from '../store/frame-index.ts';
import { anyEntry } from '../testing/entries.ts';
import { newEntry } from '../testing/world.ts';
import { FrameList } from './frame-list.ts';

/** Rows as a list of entries, with the length of a run behind its first. */
const shown = (list: FrameList): string[] =>
  Array.from({ length: list.length }, (_, row) => {
    const shownRow = list.row(row);
    return shownRow.type === 'run' ? `${shownRow.first.index}×${shownRow.count}` : `${shownRow.head.index}`;
  });

/** The same, made the plain way from everything at once. */
function expectedRows(entries: readonly NewEntry[], open: ReadonlySet<number>): string[] {
  const runs: number[][] = [];
  entries.forEach((entry, index) => {
    const before = entries[index - 1];
    const joins =
      entry.kind === 'audio' &&
      before?.kind === 'audio' &&
      (['direction', 'connection', 'turn', 'context'] as const).every(
        (field) => entry[field] === before[field],
      );
    if (joins) runs.at(-1)?.push(index);
    else runs.push([index]);
  });
  return runs.flatMap((run) => {
    const [first = 0] = run;
    if (run.length === 1) return [`${first}`];
    return [`${first}×${run.length}`, ...(open.has(first) ? run.map(String) : [])];
  });
}

const audio = (entry: Partial<NewEntry> = {}): NewEntry => newEntry({ kind: 'audio', turn: 1, ...entry });

describe('FrameList', () => {
  it('folds like a plain list, with any open runs and any growth', () => {
    fc.assert(
      fc.property(
        fc.array(anyEntry.map((entry) => ({ ...entry, connection: 1, context: null, turn: 1 }))),
        fc.array(fc.nat({ max: 30 })),
        (entries, opened) => {
          const index = new FrameIndex();
          const list = new FrameList(index, { filter: {}, fold: true });
          const open = new Set(opened);
          for (const first of open) list.setOpen(first, true);
          entries.forEach((entry, i) => {
            index.append(entry);
            list.update();
            expect(shown(list)).toEqual(expectedRows(entries.slice(0, i + 1), open));
          });
          for (const first of open) list.setOpen(first, false);
          expect(shown(list)).toEqual(expectedRows(entries, new Set()));
        },
      ),
    );
  });

  it('comes to the same by pieces as at once', () => {
    fc.assert(
      fc.property(
        fc.array(anyEntry.map((entry) => ({ ...entry, connection: 1, context: null }))),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        (entries, atMost, fold) => {
          const index = new FrameIndex();
          for (const entry of entries) index.append(entry);
          const options = { filter: { directions: ['in' as const] }, fold };
          const list = new FrameList(index, options, new Set(), atMost);
          let steps = 1;
          for (; list.isBehind; steps += 1) list.update(atMost);
          expect(steps).toBe(Math.max(1, Math.ceil(entries.length / atMost)));
          expect(shown(list)).toEqual(shown(new FrameList(index, options)));
        },
      ),
    );
  });

  it('sums up the entries of a run', () => {
    const index = new FrameIndex();
    index.append(newEntry({ atUs: 100 }));
    for (const atUs of [200, 250, 400]) index.append(audio({ atUs, bytes: 10, audioMs: 20.5, chunk: 3 }));
    index.append(newEntry({ atUs: 900 }));
    const list = new FrameList(index, { filter: {}, fold: true });
    expect(list.row(1)).toMatchObject({
      type: 'run',
      count: 3,
      last: 3,
      gapUs: 100,
      lengthUs: 200,
      bytes: 30,
      audioMs: 61.5,
      isOpen: false,
    });
    expect(list.row(2)).toMatchObject({ type: 'entry', gapUs: 500 });
    expect(list.row(0)).toMatchObject({ type: 'entry', gapUs: null });
  });

  it('knows no length of a run in which one is unknown', () => {
    const index = new FrameIndex();
    for (const audioMs of [20, null, 20]) index.append(audio({ audioMs }));
    expect(new FrameList(index, { filter: {}, fold: true }).row(0)).toMatchObject({
      count: 3,
      audioMs: null,
    });
  });

  it('keeps apart runs of different turns, contexts and connections', () => {
    const index = new FrameIndex();
    for (const other of [
      {},
      { turn: 2 },
      { turn: 2, context: 'a' },
      { turn: 2, context: 'a', connection: 2 },
    ]) {
      index.append(audio(other));
      index.append(audio(other));
    }
    expect(shown(new FrameList(index, { filter: {}, fold: true }))).toEqual(['0×2', '2×2', '4×2', '6×2']);
  });

  it('folds what the filter brings together, and nothing where it is not to', () => {
    const index = new FrameIndex();
    for (const entry of [audio(), newEntry(), audio()]) index.append(entry);
    expect(shown(new FrameList(index, { filter: { kinds: ['audio'] }, fold: true }))).toEqual(['0×2']);
    expect(shown(new FrameList(index, { filter: { kinds: ['audio'] }, fold: false }))).toEqual(['0', '2']);
  });

  it('lists as many rows as a browser can scroll, and later entries only through a filter', () => {
    const index = new FrameIndex();
    for (let at = 0; at <= MAX_ROWS; at += 1) index.append(newEntry());
    index.append(newEntry({ turn: 2 }));
    const list = new FrameList(index, { filter: {}, fold: true });
    expect([list.length, list.matches]).toEqual([MAX_ROWS, MAX_ROWS + 2]);
    expect([MAX_ROWS - 1, MAX_ROWS].map((entry) => list.rowOf(entry))).toEqual([MAX_ROWS - 1, -1]);
    expect(shown(new FrameList(index, { filter: { turns: [2] }, fold: true }))).toEqual([`${MAX_ROWS + 1}`]);
  });

  it('knows where an entry is shown', () => {
    const index = new FrameIndex();
    for (const entry of [newEntry(), audio(), audio(), newEntry({ kind: 'say' })]) index.append(entry);
    const list = new FrameList(index, { filter: { kinds: ['words', 'audio'] }, fold: true });
    expect([0, 1, 2, 3, 9].map((entry) => list.rowOf(entry))).toEqual([0, 1, 1, -1, -1]);
    list.setOpen(1, true);
    expect([0, 1, 2].map((entry) => list.rowOf(entry))).toEqual([0, 2, 3]);
  });
});
