import fc from 'fast-check';
import { expect, it } from 'vitest';
import { kugelStream } from '#protocol/kugel/endpoints.ts';
import type { RecordEntry } from '#trace/entry.ts';
import type { ClientDifference } from './client-difference.ts';
import { Lane, reportUntouched } from './lane.ts';
import { type RecordedStep, ServedScript } from './script.ts';

const kinds = ['settings', 'update', 'say', 'flush', 'endTurn', 'cancel', 'closeContext'] as const;
const steps = fc.array(fc.constantFrom(...kinds), { maxLength: 8 }).map((all) =>
  all.map(
    (kind, entry): RecordedStep => ({
      kind,
      context: 'c',
      text: kind === 'say' ? 'Hello.' : '',
      value: null,
      under: [],
      entry,
      atUs: entry,
    }),
  ),
);

it('a context that its client never reached has the differences of a lane without steps', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: -1, max: 8 }), fc.boolean(), (recorded, abandonedEntry, isAgain) => {
      const collect = (run: (report: (difference: ClientDifference) => void) => void) => {
        const found: unknown[] = [];
        run(({ kind, recorded: place }) => found.push([kind, place?.()]));
        return found;
      };
      const ofLane = collect((report) => {
        const lane = new Lane(recorded, report, isAgain);
        lane.abandon(abandonedEntry);
        lane.end(false);
      });
      const own = collect((report) => reportUntouched(recorded, { abandonedEntry, isAgain }, report));
      expect(own).toEqual(ofLane);
    }),
  );
});

it('a cancel abandons the turn behind an earlier cancel, whose confirmation came after its text', () => {
  const script = new ServedScript(kugelStream, 0);
  const take = (entry: Pick<RecordEntry, 'kind' | 'turn'> & { payload: string; direction?: 'in' }) => {
    const index = script.events.length;
    const at = { index, atUs: index, connection: 1, context: null, chunk: null, audioMs: null };
    script.take({ direction: 'out', opcode: 'text', bytes: entry.payload.length, ...at, ...entry });
  };
  const cancel = '{"cancel":true}';
  const confirmed = { direction: 'in', kind: 'interrupted', payload: '{"interrupted":true}' } as const;
  take({ kind: 'say', turn: 1, payload: '{"text":"One."}' });
  take({ kind: 'cancel', turn: 1, payload: cancel });
  take({ kind: 'say', turn: 2, payload: '{"text":"Two."}' });
  take({ ...confirmed, turn: 1 });
  take({ kind: 'cancel', turn: 2, payload: cancel });
  take({ ...confirmed, turn: 2 });
  const cuts = script.steps.get(null)?.flatMap(({ cut }) => (cut ? [cut.fromStep] : []));
  expect(cuts).toEqual([0, 2]);
});
