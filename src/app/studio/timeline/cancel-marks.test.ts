import { beforeEach, describe, expect, it } from 'vitest';
import { turnView } from '#session/testing/views.ts';
import type { Mark } from '#session/views.ts';
import { LaneStore } from '../../session-client/timeline/lane-store.ts';
import { TimeScale } from '../../session-client/timeline/time-scale.ts';
import { TurnLanes } from '../../session-client/timeline/turn-lanes.ts';
import { describe as describeHit } from './geometry/describe.ts';
import { hitAt } from './geometry/hit.ts';
import { drawLane } from './geometry/lanes.ts';
import { tableRows } from './geometry/table-rows.ts';

const RATE = 1000;
const AT_MS = 2000;

const cancelOf = (turn: number, context: string): Mark => ({
  kind: 'cancel',
  atMs: AT_MS,
  context,
  turn,
  amount: 0,
});

/** Cancelled in the middle, silenced in the queue, and not yet spoken; and somebody who was not cancelled. */
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
  beforeEach(() => {
    lanes.update(turns);
    if (marks.size === 0) marks.append([1, 2, 3].map((id) => cancelOf(id, 'anna')));
  });

  const cancelsIn = (id: string) => {
    const input = {
      lanes,
      marks,
      scale,
      nowMs: 3000,
      listening: 'inTurn',
      pauseMs: 0,
    } as const;
    return drawLane(id, input, []).events.find(({ kind }) => kind === 'cancel')?.columns ?? [];
  };

  it('stands in that lane and in no other', () => {
    expect(cancelsIn('anna')).toMatchObject([{ px: 200, count: 3 }]);
    expect(cancelsIn('ben')).toEqual([]);
  });

  it('tells how much was received and not heard of all turns that it ended', () => {
    const point = { context: 'anna', strip: 'text', isOpen: true, ms: AT_MS + 30 } as const;
    const hit = hitAt(point, { lanes, marks, scale });
    expect(hit && describeHit(hit, point, { lanes, marks, scale }, [])).toBe(
      'Cancelled: 2.00 s received and not heard',
    );
  });

  it('is one row of the table', () => {
    const { rows } = tableRows([{ id: 'anna', name: 'Anna', hue: 1 }], lanes, marks, 100, []);
    expect(rows.filter(({ what }) => what === 'cancel')).toMatchObject([
      { fromMs: AT_MS, detail: '3 turns' },
    ]);
  });
});
