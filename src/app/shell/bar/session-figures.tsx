import { counted, seconds } from '#lib/format.ts';
import { useSession } from '../../session-client/provider.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';
import { totalCost } from '../../wording/total-cost.ts';

/** Figures wrap whole into a clipped line, so that a narrow bar drops them from the left and keeps the cost. */
export function SessionFigures() {
  const totals = useSession((state) => state.totals);
  const cost = totalCost(totals);
  return (
    <section
      aria-label="Session totals"
      className="mr-2 flex h-4 min-w-0 flex-row-reverse flex-wrap content-start gap-x-4 overflow-hidden text-12 whitespace-nowrap max-roomy:hidden"
    >
      <Tooltip content={DEFINITIONS.cost} side="bottom">
        <span className="font-mono">{/^\p{Sc}/u.test(cost) ? cost : `cost ${cost}`}</span>
      </Tooltip>
      <span className="font-mono">{counted(totals.characters, 'character')}</span>
      <span className="font-mono">{seconds(totals.audioSeconds)} audio</span>
      <span className="text-text-subtle">Session</span>
    </section>
  );
}
