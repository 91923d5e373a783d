import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ShownView } from '#recordings/recordings-view.ts';
import type { RowsAnswer, ShownRow } from '#recordings/view/frame-list.ts';
import type { RecordHead } from '#trace/entry.ts';
import { FrameWindow } from './frame-window.ts';

/** A worker with entry `row + shift` in each row. Its answers resolve on request. */
class Source {
  layout = 1;
  shift = 0;
  length = 1000;
  /** Nothing can be read. */
  isBroken = false;
  /** Why contents of every other row cannot be read. */
  problem: string | null = null;
  readonly asked: string[] = [];
  #held: (() => void)[] = [];

  rows(from: number, to: number, contents: AbortSignal | null): Promise<RowsAnswer | null> {
    this.asked.push(`rows ${from}-${to}${contents ? ' with contents' : ''}`);
    const { layout, problem } = this;
    const rows: ShownRow[] = [];
    for (let row = from; row < Math.min(to, this.length); row += 1) {
      const head = { index: row + this.shift } as RecordHead;
      const unread = { gapUs: null, isProblem: false, findings: null, summary: null, envelope: null };
      rows.push({ type: 'entry', row, head, ...unread });
    }
    return new Promise((resolve) =>
      this.#held.push(() => {
        const hasContents = contents?.aborted === false;
        const read = rows.map((row, at): ShownRow => {
          if (!hasContents || (problem && at % 2 === 0)) return row;
          return { ...row, summary: `entry ${at + from + this.shift}`, envelope: Uint8Array.of(at) };
        });
        const answer = { layout, rows: read, hasContents, problem: contents && problem };
        resolve(this.isBroken ? null : answer);
      }),
    );
  }

  async answer(): Promise<void> {
    for (const answer of this.#held.splice(0)) answer();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const shown = (layout: number, id = 'one', rows = 1000) => ({
  layout,
  rows,
  recording: { id } as ShownView['recording'],
});

let source: Source;
let window: FrameWindow;
let changes: number;

const indexAt = (row: number): number | undefined => {
  const found = window.row(row);
  return found?.type === 'entry' ? found.head.index : undefined;
};

const summaryAt = (row: number): string | null | undefined => window.row(row)?.summary;

beforeEach(() => {
  source = new Source();
  changes = 0;
  window = new FrameWindow(source, () => {
    changes += 1;
  });
  window.shown(shown(1));
});

afterEach(() => void vi.useRealTimers());

describe('rows', () => {
  it('are fetched a page at a time, and each page once', async () => {
    window.shown(shown(1, 'one', 128));
    window.want(60, 70);
    window.want(61, 71);
    expect(source.asked).toEqual(['rows 0-64 with contents', 'rows 64-128 with contents']);
    const before = changes;
    await source.answer();
    expect(changes).toBeGreaterThan(before);
    expect([indexAt(60), indexAt(70), indexAt(128)]).toEqual([60, 70, undefined]);
  });

  it('that come next are fetched ahead, without a notification', async () => {
    window.want(130, 140);
    await source.answer();
    expect(source.asked).toEqual(['rows 128-192 with contents', 'rows 192-256 with contents']);
    const before = changes;
    window.want(129, 139);
    await source.answer();
    expect(source.asked.slice(2)).toEqual(['rows 64-128 with contents']);
    expect([indexAt(100), summaryAt(100)]).toEqual([100, 'entry 100']);
    expect(changes).toBe(before);
  });

  it('at the end of the list request no further rows, nor does a hidden list that grows', async () => {
    window.shown(shown(1, 'one', 64));
    window.want(40, 64);
    await source.answer();
    window.want(0, 0);
    window.shown(shown(1, 'one', 70));
    await source.answer();
    expect(source.asked).toEqual(['rows 0-64 with contents']);
    expect(window.total).toBe(70);
  });

  it('stay in view until their replacements arrive, and are current for actions', async () => {
    window.want(0, 2);
    await source.answer();
    source.layout = 2;
    source.shift = 500;
    window.shown(shown(2));
    const current = window.current(1);
    expect(indexAt(0)).toBe(0);
    window.want(0, 2);
    await source.answer();
    expect(indexAt(0)).toBe(500);
    expect(await current).toMatchObject({ head: { index: 501 } });
  });

  it('of an earlier layout are dropped', async () => {
    window.want(0, 2);
    source.layout = 2;
    window.shown(shown(2));
    await source.answer();
    expect(indexAt(0)).toBeUndefined();
    window.want(0, 2);
    await source.answer();
    expect(indexAt(0)).toBe(0);
  });

  it('are requested again when the list has grown, one page at a time', async () => {
    source.length = 3;
    window.want(0, 3);
    await source.answer();
    source.length = 5;
    window.shown(shown(1));
    expect(indexAt(4)).toBeUndefined();
    window.want(0, 5);
    window.want(0, 5);
    await source.answer();
    expect(indexAt(4)).toBe(4);
    expect(source.asked.filter((asked) => asked.startsWith('rows 0-64'))).toHaveLength(2);
  });

  it('are evicted beyond a number of pages', async () => {
    source.length = 100_000;
    for (let row = 0; row < 100_000; row += 1000) {
      window.want(row, row + 1);
      await source.answer();
    }
    expect(indexAt(0)).toBeUndefined();
    expect(indexAt(99_000)).toBe(99_000);
  });
});

describe('contents', () => {
  it('arrive with the rows, in one answer', async () => {
    window.want(5, 7);
    await source.answer();
    window.want(5, 7);
    expect(source.asked).toEqual(['rows 0-64 with contents', 'rows 64-128 with contents']);
    expect([summaryAt(6), window.row(6)?.envelope]).toEqual(['entry 6', Uint8Array.of(6)]);
  });

  it('of another recording are not shown', async () => {
    window.want(5, 6);
    window.shown(shown(2, 'two'));
    await source.answer();
    expect(window.row(5)).toBeUndefined();
  });

  it('of rows scrolled past are aborted, and are requested when the rows return', async () => {
    window.shown(shown(1, 'one', 1000));
    window.want(0, 64);
    window.want(40, 104);
    window.want(80, 144);
    window.want(128, 192);
    await source.answer();
    expect([summaryAt(0), indexAt(0)]).toEqual([null, 0]);
    expect(summaryAt(130)).toBe('entry 130');
    window.want(100, 164);
    window.want(60, 124);
    window.want(20, 84);
    await source.answer();
    expect(summaryAt(20)).toBe('entry 20');
  });

  it('stay while rows arrive again without them', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    window.want(0, 40);
    await source.answer();
    window.want(500, 540);
    window.want(0, 40);
    window.shown(shown(1));
    window.want(0, 40);
    await source.answer();
    expect(source.asked.at(-1)).toBe('rows 0-64');
    expect(summaryAt(0)).toBe('entry 0');
  });
});

describe('contents of rows that are all replaced repeatedly', () => {
  const contents = () => source.asked.filter((asked) => asked.endsWith('with contents'));
  const grow = async (rows: number) => {
    window.shown(shown(1, 'one', rows));
    await source.answer();
    window.want(Math.max(0, window.total - 40), window.total);
    await source.answer();
  };

  it('are requested once the rows stay, and fewer rows are shown meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await grow(100);
    const before = contents().length;
    const totals: number[] = [];
    for (const rows of [300, 500, 700, 900]) {
      await grow(rows);
      totals.push(window.total);
      await vi.advanceTimersByTimeAsync(100);
      await source.answer();
    }
    expect(totals).toEqual([300, 300, 700, 700]);
    expect(window.total).toBe(900);
    expect(indexAt(899)).toBe(899);
    expect(contents()).toHaveLength(before);
    window.want(860, 900);
    await vi.advanceTimersByTimeAsync(300);
    await source.answer();
    expect(summaryAt(899)).toBe('entry 899');
  });

  it('are requested at once for few rows and for rows below the view', async () => {
    await grow(100);
    await grow(110);
    await source.answer();
    expect(summaryAt(109)).toBe('entry 109');
    window.want(60, 100);
    window.shown(shown(1, 'one', 900));
    window.want(60, 100);
    await source.answer();
    await source.answer();
    expect(summaryAt(60)).toBe('entry 60');
  });

  it('are requested once a jump has come to rest', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    window.want(0, 40);
    const before = contents();
    for (const from of [200, 400, 600]) {
      window.want(from, from + 40);
      await source.answer();
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(indexAt(600)).toBe(600);
    expect(contents()).toEqual(before);
    await vi.advanceTimersByTimeAsync(50);
    await source.answer();
    expect(summaryAt(600)).toBe('entry 600');
  });
});

describe('unreadable contents', () => {
  const asked = (kind: string) => source.asked.filter((question) => question.startsWith(kind)).length;

  /** Looks at rows again and again, as the panel does with each change. */
  async function lookAt(from: number, to: number): Promise<void> {
    for (let looks = 0; looks < 10; looks += 1) {
      window.want(from, to);
      await source.answer();
    }
  }

  it('are requested once while in view, and again on their return', async () => {
    source.problem = 'It is damaged.';
    window.shown(shown(1, 'one', 300));
    await lookAt(5, 8);
    expect(asked('rows 0-64 with contents')).toBe(1);
    expect([summaryAt(5), summaryAt(6)]).toEqual(['entry 5', null]);
    // The list grows meanwhile.
    window.shown(shown(1, 'one', 310));
    await lookAt(5, 8);
    expect(asked('rows 0-64 with contents')).toBe(1);
    expect(summaryAt(5)).toBe('entry 5');
    source.problem = null;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await lookAt(200, 203);
    await lookAt(5, 8);
    await vi.advanceTimersByTimeAsync(100);
    await source.answer();
    expect(asked('rows 0-64 with contents')).toBe(2);
    expect(summaryAt(6)).toBe('entry 6');
  });

  it('are requested again for another recording', async () => {
    window.want(0, 64);
    await source.answer();
    source.isBroken = true;
    await lookAt(5, 6);
    source.isBroken = false;
    window.shown(shown(2, 'two'));
    source.layout = 2;
    await lookAt(5, 6);
    expect(summaryAt(5)).toBe('entry 5');
  });

  it('leave rows unchanged until the list changes', async () => {
    window.shown(shown(1, 'one', 2));
    await lookAt(0, 2);
    source.isBroken = true;
    window.shown(shown(1, 'one', 2));
    const before = asked('rows');
    await lookAt(0, 2);
    expect(asked('rows')).toBe(before + 1);
    expect(indexAt(1)).toBe(1);
    source.isBroken = false;
    source.shift = 500;
    window.shown(shown(1, 'one', 2));
    await lookAt(0, 2);
    expect(indexAt(1)).toBe(501);
  });
});
