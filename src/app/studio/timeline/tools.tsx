import { Locate, Maximize, Minus, Plus, Ruler, Table2, UnfoldHorizontal } from 'lucide-react';
import { useStore } from 'zustand';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { ZOOM_STEP } from './keys.ts';

export interface TimelineToolsProps {
  state: TimelineState;
  /** There is something to look at. */
  isThere: boolean;
  fitTurn: () => void;
  fitSession: () => void;
}

/** What is done with the whole of the timeline. */
export function TimelineTools({ state, isThere, fitTurn, fitSession }: TimelineToolsProps) {
  const { isFollowing, asTable, isMeasuring } = useStore(state.look);
  const none = asTable || !isThere;
  const zoom = (factor: number) => state.move((of) => of.zoom(factor, of.widthPx / 2));
  return (
    <>
      <IconButton
        size="small"
        icon={Minus}
        label="Zoom out"
        disabled={none}
        onClick={() => zoom(1 / ZOOM_STEP)}
      />
      <IconButton size="small" icon={Plus} label="Zoom in" disabled={none} onClick={() => zoom(ZOOM_STEP)} />
      <Button
        variant="ghost"
        size="small"
        icon={Locate}
        className="justify-center touch:min-w-11"
        aria-pressed={isFollowing}
        disabledReason={none ? 'There is nothing to follow here' : null}
        onClick={() => state.follow(!isFollowing)}
      >
        <span className="max-[480px]:sr-only">{isFollowing ? 'Following' : 'Follow'}</span>
      </Button>
      <IconButton
        size="small"
        icon={Ruler}
        label="Measure by dragging"
        aria-pressed={isMeasuring}
        disabled={none}
        onClick={() => state.look.setState({ isMeasuring: !isMeasuring })}
      />
      <IconButton
        size="small"
        icon={UnfoldHorizontal}
        label="Fit the turn"
        disabled={none}
        onClick={fitTurn}
      />
      <IconButton size="small" icon={Maximize} label="Fit the session" disabled={none} onClick={fitSession} />
      <IconButton
        size="small"
        icon={Table2}
        label="Show as table"
        aria-pressed={asTable}
        disabled={!isThere}
        onClick={() => state.look.setState({ asTable: !asTable })}
      />
    </>
  );
}
