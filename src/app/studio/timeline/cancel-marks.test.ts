import { describe, expect, it } from 'vitest';
import { turnView } from '#session/testing/views.ts';
import type { Mark } from '#session/views.ts';
import { LaneStore } from '../../session-client/timeline/lane-store.ts';
import { TimeScale } from '../../session-client/timeline/time-scale.ts';
import { TurnLanes } from '../../session-client/timeline/turn-lanes.ts';
import { displayList } from './geometry/display-list.ts';
import { itemAt } from './geometry/hit.ts';
import { blockAt, LANE_SHAPES } from './geometry/lane-shape.ts';
import { describeItem, tableRows } from './geometry/wording.ts';
import { timelineView } from './testing/turns.ts';

const RATE = 1000;
const AT_MS = 2000;

const cancelOf = (turn: number, context: string): Mark => ({
  kind: 'cancel',
  atMs: AT_MS,
  context,
  turn,
  amount: 0,
});

/** One turn cancelled while heard, one while queued, one before its audio, and a turn of a speaker who goes on. */
const turns = [
  turnView({ id: 1, context: 'anna', state: 'cancelled', sampleRate: RATE, samples: 500, endedMs: AT_MS }),
  turnView({ id: 2, context: 'anna', state: 'ended', sampleRate: RATE, samples: 1500, silencedMs: AT_MS }),
  turnView({ id: 3, context: 'anna', state: 'cancelled' }),
  turnView({ id: 4, context: 'ben', state: 'ended', sampleRate: RATE, samples: 900 }),
];

describe('a barge-in on one speaker', () => {
  const scale = new TimeScale(0, 10, 1000);
  const lanes = new TurnLanes();
  const marks = new LaneStore();
  lanes.update(turns);
  marks.append([1, 2, 3].map((id) => cancelOf(id, 'anna')));
  const blocks = ['anna', 'ben'].map((id, at) => blockAt({ id, hue: at + 1 }, at * 200, LANE_SHAPES.open));
  const list = displayList(timelineView(lanes, marks, { scale, blocks, nowMs: 3000 }));
  const cancelsOf = (id: string) =>
    list.lanes.find(({ block }) => block.id === id)?.signs.find(({ kind }) => kind === 'cancel')?.columns;

  it('is shown in the lane of that speaker only', () => {
    expect(cancelsOf('anna')).toMatchObject([{ px: 200, count: 3 }]);
    expect(cancelsOf('ben')).toEqual([]);
  });

  it('is described with the unheard audio of all turns that it ended', () => {
    const item = itemAt(list, scale.toPx(AT_MS + 30), 10);
    expect(item && describeItem(item, AT_MS + 30, { lanes, marks }, [])).toBe(
      'Cancelled: 2.00 s received and not heard',
    );
  });

  it('is one row of the table', () => {
    const { rows } = tableRows([{ id: 'anna', name: 'Anna', hue: 1 }], { lanes, marks }, 100, []);
    expect(rows.filter(({ what }) => what === 'cancel')).toMatchObject([
      { fromMs: AT_MS, detail: '3 turns' },
    ]);
  });
});
