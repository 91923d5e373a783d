import { wallMs } from '#lib/wall-clock.ts';
import { selectNewest, useSession } from '../../session-client/session-store.ts';
import { timeline } from '../../session-client/timeline.ts';
import { useTurnChoice } from '../../stores/turn-choice.ts';
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
  const isThere = useSession((state) => state.turnIds.length > 0);
  const fitTurn = () => {
    const session = useSession.getState();
    const { turn } = useTurnChoice.getState();
    const shown = turn === null ? selectNewest(session) : session.turns.get(turn);
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
