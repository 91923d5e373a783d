import { count, money, seconds } from '#lib/format.ts';
import type { ContextView } from '#session/views.ts';
import { useSession, useSpeaker } from '../../session-client/provider.tsx';
import { CELL } from '../measures/usage-cells.ts';
import { UsageHead } from './usage-head.tsx';

/** Usage of each context over all its openings. The server bills when a context closes. */
export function ContextUsage() {
  const contexts = useSession((state) => state.contexts);
  const totals = useSession((state) => state.totals);
  const unbilled = contexts.reduce((sum, context) => sum + context.unbilledSeconds, 0);
  return (
    <table aria-label="Usage by context" className="w-full max-w-3xl border-separate border-spacing-0">
      <UsageHead whose="speaker" figures={['audio', 'characters', 'cost', 'not billed yet']} />
      <tbody>
        {contexts.map((context) => (
          <Row key={context.id} context={context} />
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th
            scope="row"
            className="h-6 border-b border-border pr-2 pl-4 text-left text-12 font-medium wide:pl-5"
          >
            All
          </th>
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
    </table>
  );
}

function Row({ context }: { context: ContextView }) {
  const speaker = useSpeaker(context.id);
  const { billed, unknownCosts, unbilledSeconds } = context;
  const cost = billed?.costCents ?? null;
  return (
    <tr className="hover:bg-hover" data-voice={speaker?.hue}>
      <th
        scope="row"
        className="h-6 border-b border-border pr-2 pl-4 text-left text-12 font-medium whitespace-nowrap text-voice wide:pl-5"
      >
        {speaker?.name}
      </th>
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
