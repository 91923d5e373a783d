import { count, money, seconds } from '#lib/format.ts';
import type { ContextView } from '#session/views.ts';
import { useSession, useSpeaker } from '../../session-client/provider.tsx';
import { CELL, RowHead } from '../measures/cells.tsx';
import { UsageTable } from './usage-table.tsx';

/** Usage of each context over all its openings. The server bills when a context closes. */
export function ContextUsage() {
  const contexts = useSession((state) => state.contexts);
  const totals = useSession((state) => state.totals);
  const unbilled = contexts.reduce((sum, context) => sum + context.unbilledSeconds, 0);
  return (
    <UsageTable by="context" whose="speaker" figures={['audio', 'characters', 'cost', 'not billed yet']}>
      <tbody>
        {contexts.map((context) => (
          <Row key={context.id} context={context} />
        ))}
      </tbody>
      <tfoot>
        <tr>
          <RowHead className="font-medium">All</RowHead>
          <td className="border-b border-border" />
          <td className={CELL}>{seconds(totals.audioSeconds)}</td>
          <td className={CELL}>{count(totals.characters)}</td>
          <td className={CELL}>
            {totals.currency === null ? '–' : money(totals.costCents, totals.currency)}
            {totals.unknownCosts > 0 && ' + unknown'}
          </td>
          <td className={CELL}>{unbilled > 0 ? seconds(unbilled) : '–'}</td>
        </tr>
      </tfoot>
    </UsageTable>
  );
}

function Row({ context }: { context: ContextView }) {
  const speaker = useSpeaker(context.id);
  const { billed, unknownCosts, unbilledSeconds } = context;
  const cost = billed?.costCents ?? null;
  return (
    <tr className="hover:bg-hover" data-voice={speaker?.hue}>
      <RowHead className="font-medium whitespace-nowrap text-voice">{speaker?.name}</RowHead>
      <td className="h-6 border-b border-border px-2 font-mono text-12 whitespace-nowrap text-text-muted">
        {billed?.modelId ?? '–'}
      </td>
      <td className={CELL}>{billed?.audioSeconds == null ? '–' : seconds(billed.audioSeconds)}</td>
      <td className={CELL}>{billed?.characters == null ? '–' : count(billed.characters)}</td>
      <td className={CELL}>
        {cost === null ? (unknownCosts > 0 ? 'unknown' : '–') : money(cost, billed?.currency ?? null)}
        {cost !== null && unknownCosts > 0 && ' + unknown'}
      </td>
      <td className={CELL}>{unbilledSeconds > 0 ? seconds(unbilledSeconds) : '–'}</td>
    </tr>
  );
}
