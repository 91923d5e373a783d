import { Tabs } from '@base-ui/react/tabs';
import {
  ArrowDownUp,
  AudioLines,
  ChartGantt,
  Layers,
  type LucideIcon,
  ReceiptText,
  SlidersHorizontal,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { PageNotices } from '../share/page-notices.tsx';
import { type PanelName, useNarrowPanel } from '../stores/view-store.ts';
import { ChunksPanel } from '../studio/chunks/chunks-panel.tsx';
import { Frames } from '../studio/frames/frames.tsx';
import { ReplayBar } from '../studio/replay/replay-bar.tsx';
import { SetupPanel } from '../studio/setup/setup-panel.tsx';
import { Timeline } from '../studio/timeline/timeline.tsx';
import { TurnSelect } from '../studio/usage/turn-select.tsx';
import { UsagePanel } from '../studio/usage/usage-panel.tsx';
import { inBoundary, PanelBoundary } from '../ui/panel-boundary.tsx';
import { NarrowBar } from './bar/bar.tsx';
import { EndpointSelect, ServerSelect } from './bar/server-select.tsx';
import { Stage } from './stage.tsx';

const TABS: readonly { value: PanelName; title: string; icon: LucideIcon; panel: ReactNode }[] = [
  { value: 'stage', title: 'Stage', icon: AudioLines, panel: <Stage /> },
  {
    value: 'set-up',
    title: 'Set-up',
    icon: SlidersHorizontal,
    panel: (
      <div className="flex h-full min-h-0 flex-col">
        <div className="flex shrink-0 items-center gap-1 border-b border-border bg-surface px-2 py-0.5">
          <EndpointSelect />
          <span className="text-12 text-text-subtle">on</span>
          <ServerSelect />
        </div>
        <PanelBoundary name="Set-up">
          <div className="min-h-0 flex-1">
            <SetupPanel />
          </div>
        </PanelBoundary>
      </div>
    ),
  },
  {
    value: 'timeline',
    title: 'Timeline',
    icon: ChartGantt,
    panel: <div className="h-full bg-surface">{inBoundary('Timeline', <Timeline />)}</div>,
  },
  {
    value: 'chunks',
    title: 'Chunks',
    icon: Layers,
    panel: (
      <div className="flex h-full min-h-0 flex-col bg-surface">
        <div className="flex shrink-0 justify-end px-2 empty:hidden">
          <TurnSelect />
        </div>
        <PanelBoundary name="Chunks">
          <div className="min-h-0 flex-1">
            <ChunksPanel />
          </div>
        </PanelBoundary>
      </div>
    ),
  },
  {
    value: 'frames',
    title: 'Frames',
    icon: ArrowDownUp,
    panel: (
      <div className="h-full bg-surface">
        <Frames />
      </div>
    ),
  },
  {
    value: 'usage',
    title: 'Usage',
    icon: ReceiptText,
    panel: <div className="h-full bg-surface">{inBoundary('Usage', <UsagePanel />)}</div>,
  },
];

/** The columns as tabs, stage first. All stay mounted, so that their state survives a change of tab. */
export function NarrowLayout() {
  const panel = useNarrowPanel((state) => state.panel);
  return (
    <Tabs.Root
      value={panel}
      onValueChange={(next: PanelName) => useNarrowPanel.setState({ panel: next })}
      className="flex h-full flex-col"
    >
      <NarrowBar />
      <PageNotices />
      <ReplayBar />
      <main className="min-h-0 flex-1">
        {TABS.map(({ value, panel }) => (
          <Tabs.Panel
            key={value}
            value={value}
            keepMounted
            className="h-full outline-offset-[-2px] [&[hidden]]:hidden"
          >
            {panel}
          </Tabs.Panel>
        ))}
      </main>
      <nav aria-label="Panels" className="shrink-0">
        <Tabs.List
          aria-label="Panels"
          className="grid grid-cols-6 border-t border-border bg-surface px-1 pt-1 pb-[max(4px,env(safe-area-inset-bottom))]"
        >
          {TABS.map(({ value, title, icon: Icon }) => (
            <Tabs.Tab
              key={value}
              value={value}
              className="flex h-13 cursor-default flex-col items-center justify-center gap-1 rounded-control text-12 text-text-subtle outline-offset-[-2px] data-active:font-medium data-active:text-text"
            >
              <Icon aria-hidden className="size-5" strokeWidth={1.75} />
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </nav>
    </Tabs.Root>
  );
}
