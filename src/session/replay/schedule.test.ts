import { describe, expect, it } from 'vitest';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import { closeOf } from '#trace/connection.ts';
import { type Impairments, NO_IMPAIRMENTS } from './impairments.ts';
import { Schedule, type Scheduled } from './schedule.ts';

const entryAt = (index: number, atMs: number, change: Partial<ShownEntry> = {}): ShownEntry => ({
  index,
  atUs: atMs * 1000,
  direction: 'in',
  connection: 1,
  opcode: 'text',
  bytes: 2,
  kind: 'audio',
  turn: null,
  context: null,
  chunk: null,
  audioMs: null,
  payload: '{}',
  ...change,
});

const out = { direction: 'out', kind: 'say' } as const;
const connection = (kind: string, payload = '{}') => ({ direction: 'connection', kind, payload }) as const;

/** Everything in the order in which it is done, and when, in ms. */
function run(entries: readonly ShownEntry[], impairments: Impairments): Scheduled[] {
  const schedule = new Schedule(impairments);
  const done: Scheduled[] = [];
  const drain = (): void => {
    for (let next = schedule.peek(); next !== null && next !== 'unknown'; next = schedule.peek()) {
      schedule.take();
      done.push(next);
    }
  };
  for (const entry of entries) {
    schedule.add(entry);
    drain();
  }
  schedule.end();
  drain();
  expect(schedule.length).toBe(0);
  return done;
}

const late = { ...NO_IMPAIRMENTS, delayMs: 100 };

describe('the schedule of a replay', () => {
  it('keeps received frames in their order with any delays, and user actions at their time', () => {
    const impairments = { delayMs: 50, jitterMs: 200, stallShare: 0.2, seed: 3 };
    const entries = Array.from({ length: 200 }, (_, i) => entryAt(i, i * 10, i % 5 === 0 ? out : {}));
    const same = run(entries, NO_IMPAIRMENTS);
    expect(same.map(({ entry, dueUs }) => [entry.index, dueUs])).toEqual(
      entries.map(({ index, atUs }) => [index, atUs]),
    );
    const done = run(entries, impairments);
    const came = done.filter(({ entry }) => entry.direction === 'in');
    const places = came.map(({ entry }) => entry.index);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(came.every(({ entry, dueUs }) => dueUs >= entry.atUs)).toBe(true);
    const went = done.filter(({ entry }) => entry.direction === 'out');
    expect(went.every(({ entry, dueUs }) => dueUs === entry.atUs)).toBe(true);
    const dueUs = done.map((each) => each.dueUs);
    expect(dueUs).toEqual(dueUs.toSorted((a, b) => a - b));
  });

  it('sends nothing before its connection is open, and opens none before the last has ended', () => {
    const order = run(
      [
        entryAt(0, 0, connection('opening')),
        entryAt(1, 10, connection('opened')),
        entryAt(2, 11, out),
        entryAt(3, 20, connection('failed')),
        entryAt(4, 30, connection('opening')),
      ],
      late,
    );
    expect(order.map(({ entry, dueUs }) => [entry.index, dueUs / 1000])).toEqual([
      [0, 0],
      [1, 110],
      [2, 110],
      [3, 120],
      [4, 120],
    ]);
  });

  it('has a cancel by a new connection at its time, before the frames that are dropped with the old one', () => {
    const left = connection('closed', '{"left":true}');
    const order = run([entryAt(0, 0), entryAt(1, 50, left)], late);
    expect(order.map(({ entry }) => entry.index)).toEqual([1, 0]);
  });

  it('does not know the next entry while an unknown one could precede it', () => {
    const schedule = new Schedule(late);
    schedule.add(entryAt(0, 0));
    expect(schedule.peek()).toBe('unknown');
    schedule.add(entryAt(1, 99, out));
    expect(schedule.peek()).toMatchObject({ entry: { index: 1 } });
    schedule.take();
    expect(schedule.peek()).toBe('unknown');
    schedule.end();
    expect(schedule.peek()).toMatchObject({ entry: { index: 0 } });
  });
});

describe('the end of a connection, as recorded', () => {
  it.each([
    ['{"code":4001,"reason":"no","asked":true}', { code: 4001, reason: 'no', asked: true, left: false }],
    ['{"retries":false}', { code: 1005, reason: '', asked: false, left: false, isFinal: true }],
    ['{"left":true}', { code: 1005, reason: '', asked: false, left: true }],
    ['[', { code: 1005, reason: '', asked: false, left: false }],
    ['null', { code: 1005, reason: '', asked: false, left: false }],
    [null, { code: 1005, reason: '', asked: false, left: false }],
  ])('%s', (payload, closing) => {
    expect(closeOf(payload)).toEqual({ isFinal: false, body: '', contentType: '', ...closing });
  });
});
