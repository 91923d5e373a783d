import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClientDifference } from './client-difference.ts';
import { Lane, reportUntouched } from './lane.ts';
import type { RecordedStep } from './script.ts';

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
