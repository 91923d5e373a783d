import { PanelBottomClose, PanelBottomOpen } from 'lucide-react';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { useSelection, useSession } from '../../session-client/provider.tsx';
import { type SessionState, selectNewest } from '../../session-client/session-state.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { usePointedAt } from '../../stores/tour-store.ts';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { TabCount, Tabs } from '../../ui/tabs.tsx';
import { FramesLabel } from '../frames/frames-label.tsx';
import { STUDIO_PANELS, TimelineTools } from '../panels.tsx';
import { TurnSelect } from '../usage/turn-select.tsx';

/** Counts the chunks of the chosen turn, or of the newest. In a scene without a chosen turn, counts all. */
function countChunks(state: SessionState, chosen: number | null): number | undefined {
  const turn = chosen === null ? selectNewest(state) : state.turns.get(chosen);
  if (chosen !== null || !turn || turn.context === ONLY_CONTEXT) return turn?.chunks.length;
  let count = 0;
  for (const { chunks } of state.turns.values()) count += chunks.length;
  return count;
}

/** A component of its own, because its turn changes with every audio frame. */
function ChunksLabel() {
  const chosen = useSelection((state) => state.chosenTurn);
  const count = useSession((state) => countChunks(state, chosen));
  return (
    <>
      Chunks
      {count !== undefined && <TabCount>{count}</TabCount>}
    </>
  );
}

const TABS = [
  { value: 'timeline', label: 'Timeline', panel: STUDIO_PANELS.timeline },
  { value: 'chunks', label: <ChunksLabel />, panel: STUDIO_PANELS.chunks },
  { value: 'frames', label: <FramesLabel />, panel: STUDIO_PANELS.frames },
  { value: 'usage', label: 'Usage', panel: STUDIO_PANELS.usage },
] as const;

export function Dock({ collapsed, onToggle }: { collapsed: boolean; onToggle: () => void }) {
  // Outside of the row, the outline would be cut off.
  const pointed = cx(usePointedAt('inside'), '[--pointed-offset:-4px]');
  const tab = useSettings((state) => state.dockTab);
  return (
    <aside aria-label="Measures" className="painted-alone h-full min-h-0 bg-surface">
      <Tabs
        label="Measures"
        value={tab}
        onChange={(next) => {
          useSettings.setState({ dockTab: next });
          if (collapsed) onToggle();
        }}
        collapsed={collapsed}
        tools={
          <>
            {(tab === 'chunks' || tab === 'timeline') && !collapsed && <TurnSelect />}
            {tab === 'timeline' && !collapsed && <TimelineTools />}
            <IconButton
              size="small"
              icon={collapsed ? PanelBottomOpen : PanelBottomClose}
              label={collapsed ? 'Open the measures' : 'Close the measures'}
              aria-expanded={!collapsed}
              onClick={onToggle}
            />
          </>
        }
        tabs={TABS}
        className={pointed}
      />
    </aside>
  );
}
