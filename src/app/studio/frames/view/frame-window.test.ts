import { beforeEach, expect, it } from 'vitest';
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
  /** Rows of an answer that have their contents. */
  read = Number.POSITIVE_INFINITY;
  readonly asked: string[] = [];
  #held: (() => void)[] = [];

  rows(from: number, to: number, withContents: boolean): Promise<RowsAnswer | null> {
    this.asked.push(`${from}-${to}${withContents ? ' with contents' : ''}`);
    const { layout } = this;
    const read = withContents ? this.read : 0;
    const rows: ShownRow[] = [];
    for (let row = from; row < Math.min(to, this.length); row += 1) {
      const index = row + this.shift;
      const summary = row - from < read ? `entry ${index}` : null;
      const head = { index } as RecordHead;
      rows.push({
        type: 'entry',
        row,
        head,
        gapUs: null,
        isProblem: false,
        findings: null,
        summary,
        envelope: null,
      });
    }
    const answer = this.isBroken ? null : { layout, rows, isWhole: rows.length <= read, problem: null };
    return new Promise((resolve) => this.#held.push(() => resolve(answer)));
  }

  /** Answers what is asked now, and lets the window ask again. */
  async answer(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (const answer of this.#held.splice(0)) answer();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Answers until nothing more is asked. */
  async answerAll(): Promise<void> {
    for (let before = -1; before < this.asked.length; ) {
      before = this.asked.length;
      await this.answer();
    }
  }
}

const shown = (layout: number, id = 'one', rows = 1000) => ({
  layout,
  rows,
  recording: { id } as ShownView['recording'],
});

let source: Source;
let window: FrameWindow;

const indexAt = (row: number): number | undefined => {
  const found = window.row(row);
  return found?.type === 'entry' ? found.head.index : undefined;
};

const summaryAt = (row: number): string | null | undefined => window.row(row)?.summary;

beforeEach(() => {
  source = new Source();
  window = new FrameWindow(source, () => undefined);
  window.shown(shown(1));
});

it('requests rows in view and around it once, first without their contents', async () => {
  window.want(200, 240);
  await source.answer();
  expect([indexAt(200), summaryAt(200)]).toEqual([200, null]);
  await source.answerAll();
  expect([summaryAt(239), summaryAt(260)]).toEqual(['entry 239', 'entry 260']);
  window.want(201, 241);
  await source.answerAll();
  expect(source.asked).toEqual(['136-304', '136-304 with contents']);
});

it('requests further rows with their contents before the view reaches the end of the known ones', async () => {
  window.want(0, 40);
  await source.answerAll();
  window.want(40, 80);
  await source.answerAll();
  expect(source.asked.slice(2)).toEqual(['104-144 with contents']);
  expect(summaryAt(143)).toBe('entry 143');
});

it('sends one request at a time while the view moves, each for its latest place', async () => {
  window.want(0, 40);
  await source.answerAll();
  source.asked.length = 0;
  for (const from of [300, 500, 700]) {
    window.want(from, from + 40);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await source.answerAll();
  expect(source.asked).toEqual(['236-404', '636-804', '636-804 with contents']);
  expect(indexAt(0)).toBeUndefined();
});

it('requests contents that take long again until all are there', async () => {
  source.read = 60;
  window.want(0, 20);
  await source.answer();
  await source.answer();
  expect([summaryAt(59), summaryAt(60)]).toEqual(['entry 59', null]);
  source.read = 100;
  await source.answerAll();
  expect(summaryAt(83)).toBe('entry 83');
});

it('keeps rows and contents until their replacements arrive, and has current rows for actions', async () => {
  window.want(0, 2);
  await source.answerAll();
  source.read = 0;
  window.shown(shown(1));
  await source.answer();
  expect(summaryAt(0)).toBe('entry 0');
  source.read = 100;
  source.layout = 2;
  source.shift = 500;
  window.shown(shown(2));
  const current = window.current(1);
  expect(indexAt(0)).toBe(0);
  await source.answerAll();
  expect(indexAt(0)).toBe(500);
  expect(await current).toMatchObject({ head: { index: 501 } });
});

it('drops answers of an earlier layout, and rows of another recording', async () => {
  window.want(0, 2);
  await source.answerAll();
  window.shown(shown(1));
  await new Promise((resolve) => setImmediate(resolve));
  source.layout = 2;
  window.shown(shown(2, 'two'));
  expect(indexAt(0)).toBeUndefined();
  source.shift = 500;
  await source.answer();
  expect(indexAt(0)).toBeUndefined();
  await source.answerAll();
  expect(indexAt(0)).toBe(500);
});

it('lets a list whose end is in view grow once the rows there have arrived', async () => {
  window.shown(shown(1, 'one', 100));
  window.want(60, 100);
  await source.answerAll();
  window.shown(shown(1, 'one', 110));
  expect(window.total).toBe(100);
  await source.answer();
  expect([window.total, summaryAt(109), summaryAt(60)]).toEqual([110, 'entry 109', 'entry 60']);
  window.want(70, 110);
  window.shown(shown(1, 'one', 900));
  await source.answer();
  expect([window.total, indexAt(899), indexAt(109)]).toEqual([900, 899, 109]);
});

it('lets a list grow at once whose end is not in view, or which is hidden', async () => {
  window.shown(shown(1, 'one', 100));
  window.want(0, 40);
  await source.answerAll();
  window.shown(shown(1, 'one', 900));
  expect(window.total).toBe(900);
  await source.answerAll();
  window.want(0, 0);
  source.asked.length = 0;
  window.shown(shown(1, 'one', 910));
  await source.answerAll();
  expect([window.total, source.asked]).toEqual([910, []]);
});

it('leaves rows unchanged that cannot be read, until the list changes', async () => {
  window.want(0, 2);
  await source.answerAll();
  source.isBroken = true;
  source.asked.length = 0;
  window.shown(shown(1));
  await source.answerAll();
  window.want(0, 2);
  await source.answerAll();
  expect([source.asked.length, indexAt(1)]).toEqual([1, 1]);
  source.isBroken = false;
  source.shift = 500;
  window.shown(shown(1));
  await source.answerAll();
  expect(indexAt(1)).toBe(501);
});
