import { PanelBottomClose, PanelBottomOpen } from 'lucide-react';
import { ONLY_CONTEXT } from '../../protocol/speech-event.ts';
import { Frames, FramesLabel } from '../frames/frames.tsx';
import { PanelBoundary } from '../panel-boundary.tsx';
import { type SessionState, selectNewest, useSession, useTurn } from '../stores/session-store.ts';
import { selectDockTab, useSettings } from '../stores/settings-store.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { ChunksPanel } from './chunks-panel.tsx';
import { Timeline } from './timeline.tsx';
import { TimelineTabTools } from './timeline-toolbar.tsx';
import { useTurnChoice } from './turn-choice.ts';
import { TurnSelect } from './turn-select.tsx';
import { UsagePanel } from './usage-panel.tsx';

const countChunks = ({ turns }: SessionState): number => {
  let count = 0;
  for (const { chunks } of turns.values()) count += chunks.length;
  return count;
};

export interface DockProps {
  collapsed: boolean;
  onToggle: () => void;
}

/** The dense half of the page: what each turn took and what it cost. */
export function Dock({ collapsed, onToggle }: DockProps) {
  const tab = useSettings(selectDockTab);
  const set = useSettings((state) => state.set);
  const newestId = useSession((state) => selectNewest(state)?.id ?? null);
  const chosen = useTurnChoice((state) => state.turn);
  const turn = useTurn(chosen ?? newestId);
  const all = useSession((state) =>
    chosen === null && turn !== undefined && turn.context !== ONLY_CONTEXT ? countChunks(state) : null,
  );
  const chunks = all ?? turn?.chunks.length;
  return (
    <aside aria-label="Measures" className="painted-alone h-full min-h-0 bg-surface">
      <Tabs
        label="Measures"
        value={tab}
        onChange={(next) => {
          set({ dockTab: next });
          if (collapsed) onToggle();
        }}
        collapsed={collapsed}
        tools={
          <>
            {(tab === 'chunks' || tab === 'timeline') && !collapsed && <TurnSelect />}
            {tab === 'timeline' && !collapsed && <TimelineTabTools />}
            <IconButton
              size="small"
              icon={collapsed ? PanelBottomOpen : PanelBottomClose}
              label={collapsed ? 'Open the measures' : 'Close the measures'}
              aria-expanded={!collapsed}
              onClick={onToggle}
            />
          </>
        }
        tabs={[
          {
            value: 'timeline',
            label: 'Timeline',
            panel: (
              <PanelBoundary name="Timeline">
                <Timeline />
              </PanelBoundary>
            ),
          },
          {
            value: 'chunks',
            label: 'Chunks',
            count: chunks ?? null,
            panel: (
              <PanelBoundary name="Chunks">
                <ChunksPanel />
              </PanelBoundary>
            ),
          },
          { value: 'frames', label: <FramesLabel />, panel: <Frames /> },
          {
            value: 'usage',
            label: 'Usage',
            panel: (
              <PanelBoundary name="Usage">
                <UsagePanel />
              </PanelBoundary>
            ),
          },
        ]}
      />
    </aside>
  );
}
