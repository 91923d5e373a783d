import { Locate, Maximize, Minus, Plus, Ruler, Table2, UnfoldHorizontal } from 'lucide-react';
import { useStore } from 'zustand';
import { wallMs } from '#lib/wall-clock.ts';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { selectNewest } from '../../session-client/session-state.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { TurnSelect } from '../usage/turn-select.tsx';
import { ZOOM_STEP } from './keys.ts';

/** The tools in a row of their own, for a panel whose tabs have no room for them. */
export function TimelineToolbar({ className }: { className?: string }) {
  const isEmpty = useSession((state) => state.turnIds.length === 0);
  return (
    <div
      className={cx(
        'flex min-h-9 shrink-0 flex-wrap items-center justify-end gap-x-1 border-b border-border px-2 max-wide:justify-between touch:min-h-12',
        isEmpty && 'hidden',
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
  const { isFollowing, asTable, isMeasuring } = useStore(timeline.look);
  const isEmpty = useSession((state) => state.turnIds.length === 0);
  const hasNoLanes = asTable || isEmpty;
  const zoom = (factor: number) => timeline.move((of) => of.zoom(factor, of.widthPx / 2));
  const fitTurn = () => {
    const { chosenTurn } = client.selection.state;
    const shown = chosenTurn === null ? selectNewest(client.state) : client.state.turns.get(chosenTurn);
    if (shown) timeline.fitTurn(shown, wallMs());
  };
  const icon = { size: 'small', disabled: hasNoLanes } as const;
  return (
    <>
      <IconButton {...icon} icon={Minus} label="Zoom out" onClick={() => zoom(1 / ZOOM_STEP)} />
      <IconButton {...icon} icon={Plus} label="Zoom in" onClick={() => zoom(ZOOM_STEP)} />
      <Button
        variant="ghost"
        size="small"
        icon={Locate}
        className="justify-center touch:min-w-11"
        aria-pressed={isFollowing}
        disabledReason={hasNoLanes ? 'There is nothing to follow here' : null}
        onClick={() => timeline.follow(!isFollowing)}
      >
        <span className="max-[480px]:sr-only">{isFollowing ? 'Following' : 'Follow'}</span>
      </Button>
      <IconButton
        {...icon}
        icon={Ruler}
        label="Measure by dragging"
        aria-pressed={isMeasuring}
        onClick={() => timeline.look.setState({ isMeasuring: !isMeasuring })}
      />
      <IconButton {...icon} icon={UnfoldHorizontal} label="Fit the turn" onClick={fitTurn} />
      <IconButton
        {...icon}
        icon={Maximize}
        label="Fit the session"
        onClick={() => timeline.fitSession(wallMs())}
      />
      <IconButton
        {...icon}
        icon={Table2}
        label="Show as table"
        aria-pressed={asTable}
        disabled={isEmpty}
        onClick={() => timeline.look.setState({ asTable: !asTable })}
      />
    </>
  );
}
