import {
  ArrowDownUp,
  AudioLines,
  ChartGantt,
  Layers,
  type LucideIcon,
  ReceiptText,
  SlidersHorizontal,
} from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { ClientsButton } from '../recordings/clients/clients-button.tsx';
import { Deferred } from '../session-client/provider.tsx';
import { PageNotices } from '../share/page-notices.tsx';
import { usePointedAt } from '../stores/tour-store.ts';
import { type PanelName, useView } from '../stores/view-store.ts';
import { FaultsStrip } from '../studio/faults/faults-control.tsx';
import { STUDIO_PANELS } from '../studio/panels.tsx';
import { ReplayBar } from '../studio/replay/replay-bar.tsx';
import { TurnSelect } from '../studio/usage/turn-select.tsx';
import { cx } from '../ui/cx.ts';
import { inBoundary } from '../ui/panel-boundary.tsx';
import { TabList, TabPanel } from '../ui/tabs.tsx';
import { NarrowBar } from './bar/bar.tsx';
import { PageEndpoint, ServerSelect } from './bar/server-select.tsx';
import { Stage } from './stage.tsx';

interface NarrowTab {
  value: PanelName;
  title: string;
  icon: LucideIcon;
  panel: ReactNode;
  /** Stays in place above the panel. */
  head?: ReactNode;
}

const TABS: readonly NarrowTab[] = [
  { value: 'stage', title: 'Stage', icon: AudioLines, panel: inBoundary('Stage', <Stage />) },
  {
    value: 'set-up',
    title: 'Set-up',
    icon: SlidersHorizontal,
    panel: STUDIO_PANELS.setup,
    head: (
      <div className="flex shrink-0 items-center gap-1 border-b border-border px-2 py-0.5">
        <PageEndpoint />
        <span className="text-12 text-text-subtle">on</span>
        <ServerSelect />
      </div>
    ),
  },
  { value: 'timeline', title: 'Timeline', icon: ChartGantt, panel: STUDIO_PANELS.timeline },
  {
    value: 'chunks',
    title: 'Chunks',
    icon: Layers,
    panel: STUDIO_PANELS.chunks,
    head: (
      <div className="flex shrink-0 justify-end px-2 empty:hidden">
        <TurnSelect />
      </div>
    ),
  },
  { value: 'frames', title: 'Frames', icon: ArrowDownUp, panel: STUDIO_PANELS.frames },
  { value: 'usage', title: 'Usage', icon: ReceiptText, panel: STUDIO_PANELS.usage },
];

/** The columns as tabs, stage first. All stay mounted, so that their state survives a change of tab. */
export function NarrowLayout() {
  const panel = useView((state) => state.panel);
  const pointed = usePointedAt('inside');
  const id = useId();
  return (
    <div className="flex h-full flex-col">
      <Deferred>
        <NarrowBar />
      </Deferred>
      {/* The bar of a phone has no room for them. */}
      <div className="flex shrink-0 justify-end border-b border-border bg-surface px-1 empty:hidden min-[421px]:hidden">
        <ClientsButton isLong />
      </div>
      <FaultsStrip />
      <PageNotices />
      <ReplayBar />
      <main className="min-h-0 flex-1">
        {TABS.map(({ value, head, panel: content }) => (
          <TabPanel
            key={value}
            id={id}
            value={value}
            hidden={value !== panel}
            className="flex h-full flex-col bg-surface outline-offset-[-2px] [&[hidden]]:hidden"
          >
            {head}
            <div className="min-h-0 flex-1">{content}</div>
          </TabPanel>
        ))}
      </main>
      <nav aria-label="Panels" className="shrink-0">
        <TabList
          id={id}
          label="Panels"
          tabs={TABS.map(({ value, title, icon: Icon }) => ({
            value,
            label: (
              <>
                <Icon className="size-5" />
                {title}
              </>
            ),
            className: cx('[--pointed-offset:-2px]', value === 'timeline' && pointed),
          }))}
          value={panel}
          onChange={(next) => useView.setState({ panel: next })}
          className="grid grid-cols-6 border-t border-border bg-surface px-1 pt-1 pb-[max(4px,env(safe-area-inset-bottom))]"
          tabClassName="flex h-13 cursor-default flex-col items-center justify-center gap-1 rounded-control text-12 text-text-subtle outline-offset-[-2px] aria-selected:font-medium aria-selected:text-text"
        />
      </nav>
    </div>
  );
}
