import { counted, seconds } from '#lib/format.ts';
import { useSession } from '../../session-client/session-store.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';
import { totalCost } from '../../wording/total-cost.ts';

/** What the session has used: audio, characters, cost. Nothing is shown before there is anything. */
export function SessionFigures() {
  const totals = useSession((state) => state.totals);
  if (totals.turns === 0) return null;
  const cost = totalCost(totals);
  return (
    <div className="mr-2 flex min-w-0 items-baseline gap-4 overflow-hidden text-12 whitespace-nowrap max-roomy:hidden">
      <span className="text-text-subtle max-[1400px]:hidden">Session</span>
      <span className="font-mono">{seconds(totals.audioSeconds)} audio</span>
      <span className="font-mono max-[1400px]:hidden">{counted(totals.characters, 'character')}</span>
      <Tooltip content={DEFINITIONS.cost} side="bottom">
        <span className="font-mono">{/^\p{L}/u.test(cost) ? `cost ${cost}` : cost}</span>
      </Tooltip>
    </div>
  );
}
