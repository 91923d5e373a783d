import { memo } from 'react';
import { count, seconds } from '#lib/format.ts';
import { protocolOf } from '#protocol/protocols.ts';
import {
  useSelection,
  useSession,
  useSessionClient,
  useSessionEndpoint,
  useTurn,
} from '../../session-client/provider.tsx';
import { selectSpeakName, useSettings } from '../../stores/settings-store.ts';
import { Defined } from '../../ui/defined.tsx';
import { TableRows } from '../../ui/rows/table-rows.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';
import { totalCost } from '../../wording/total-cost.ts';
import { CELL, RowHead } from '../measures/cells.tsx';
import { TurnMeasuresTable } from '../measures/measures-table.tsx';
import { ContextUsage } from './context-usage.tsx';
import { PlanQuota } from './plan-quota.tsx';
import { usageRow } from './usage-row.ts';
import { UsageTable } from './usage-table.tsx';

/** Usage and cost of the turns, in sum and each, and their measures. */
export function UsagePanel() {
  const ids = useSession((state) => state.turnIds);
  const totals = useSession((state) => state.totals);
  const { plans } = protocolOf(useSessionEndpoint());
  const speakName = useSettings(selectSpeakName);
  const several = useSession((state) => state.contexts.length > 0);
  const figures = [
    ['audio', seconds(totals.audioSeconds)],
    ['characters', count(totals.characters)],
    ['cost', totalCost(totals)],
    [totals.turns === 1 ? 'turn' : 'turns', count(totals.turns)],
  ] as const;
  return (
    <ScrollRegion label="Usage" className="@container h-full min-h-0 overflow-auto outline-offset-[-2px]">
      <dl className="grid grid-cols-2 gap-x-10 gap-y-2 border-b border-border px-4 py-3 wide:flex wide:flex-wrap wide:px-5">
        {figures.map(([title, figure]) => (
          <div key={title} className="flex flex-col-reverse">
            <dt className="text-12 text-text-subtle">
              {title === 'cost' ? <Defined definition={DEFINITIONS.cost}>cost</Defined> : title}
            </dt>
            <dd className="font-mono text-20 leading-6">{figure}</dd>
          </div>
        ))}
      </dl>
      {plans.length > 0 && <PlanQuota plans={plans} characters={totals.planCharacters} />}
      {ids.length === 0 ? (
        <p className="px-4 py-4 text-12 text-text-muted wide:px-5">
          What the server reports for each turn or context appears here: audio, characters, model and cost.
          Press {speakName}.
        </p>
      ) : (
        <div className="grid items-start @min-[1040px]:grid-cols-[max-content_minmax(0,1fr)]">
          <div className="@min-[1040px]:min-w-104">
            {several ? (
              <ContextUsage />
            ) : (
              <UsageTable by="turn" whose="turn" figures={['audio', 'characters', 'cost']} rows={ids.length}>
                <TableRows count={ids.length} reveal={-1}>
                  {(at) => {
                    const id = ids[at];
                    return id !== undefined && <Row key={id} id={id} number={at + 1} />;
                  }}
                </TableRows>
              </UsageTable>
            )}
          </div>
          <div className="min-w-0 border-border pt-3 @min-[1040px]:border-l @min-[1040px]:pt-0">
            <TurnMeasuresTable />
          </div>
        </div>
      )}
    </ScrollRegion>
  );
}

const Row = memo(function Row({ id, number }: { id: number; number: number }) {
  const turn = useTurn(id);
  const { selection } = useSessionClient();
  const isSelected = useSelection((state) => state.selected?.turn === id);
  if (!turn) return null;
  const row = usageRow(turn);
  return (
    <tr aria-rowindex={number + 1} className={isSelected ? 'bg-selected' : 'hover:bg-hover'}>
      <RowHead className="font-normal whitespace-nowrap">
        <button
          type="button"
          aria-pressed={isSelected}
          onClick={() => selection.select(isSelected ? null : { kind: 'turn', turn: id }, 'usage')}
          className="relative rounded-inner underline-offset-3 hover:underline touch:after:absolute touch:after:-inset-x-2 touch:after:-inset-y-3"
        >
          Turn {number}
        </button>
      </RowHead>
      <td className="h-6 border-b border-border px-2 font-mono text-12 text-text-muted">{row.model}</td>
      <td className={CELL}>{row.audio}</td>
      <td className={CELL}>{row.characters}</td>
      <td className={CELL}>{row.cost}</td>
    </tr>
  );
});
