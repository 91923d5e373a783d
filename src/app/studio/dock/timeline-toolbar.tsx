import { wallMs } from '#lib/wall-clock.ts';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { selectNewest } from '../../session-client/session-state.ts';
import { cx } from '../../ui/cx.ts';
import { TimelineTools } from '../timeline/tools.tsx';
import { TurnSelect } from '../usage/turn-select.tsx';

/** The timeline's tools where the row of tabs has no room for them. */
export function TimelineToolbar({ className }: { className?: string }) {
  const isThere = useSession((state) => state.turnIds.length > 0);
  return (
    <div
      className={cx(
        'flex min-h-9 shrink-0 flex-wrap items-center justify-end gap-x-1 border-b border-border px-2 max-wide:justify-between touch:min-h-12',
        !isThere && 'hidden',
        className,
      )}
    >
      <span className="basis-full empty:hidden wide:hidden">
        <TurnSelect />
      </span>
      <Tools />
    </div>
  );
}

/** The same in the row of tabs. */
export function TimelineTabTools() {
  return (
    <span className="flex items-center gap-1 max-roomy:hidden">
      <Tools />
    </span>
  );
}

function Tools() {
  const client = useSessionClient();
  const { timeline } = client;
  const isThere = useSession((state) => state.turnIds.length > 0);
  const fitTurn = () => {
    const { chosenTurn } = client.selection.state;
    const shown = chosenTurn === null ? selectNewest(client.state) : client.state.turns.get(chosenTurn);
    if (shown) timeline.fitTurn(shown, wallMs());
  };
  return (
    <TimelineTools
      state={timeline}
      isThere={isThere}
      fitTurn={fitTurn}
      fitSession={() => timeline.fitSession(wallMs())}
    />
  );
}
