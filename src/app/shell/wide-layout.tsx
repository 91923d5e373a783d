import { useEffect, useRef } from 'react';
import { Group, Panel, type PanelImperativeHandle, Separator } from 'react-resizable-panels';
import { ROOMY_MEDIA, useMedia } from '../browser/use-media.ts';
import { Deferred } from '../session-client/provider.tsx';
import { PageNotices } from '../share/page-notices.tsx';
import { selectEndpoint, useSettings } from '../stores/settings-store.ts';
import { Dock } from '../studio/dock/dock.tsx';
import { FaultsStrip } from '../studio/faults/faults-control.tsx';
import { STUDIO_PANELS } from '../studio/panels.tsx';
import { ReplayBar } from '../studio/replay/replay-bar.tsx';
import { Bar } from './bar/bar.tsx';
import { Stage } from './stage.tsx';

const DOCK_TABS_PX = 40;

export function WideLayout() {
  const { setupWidthPx, dockHeightPx } = useSettings.getState();
  const collapsed = useSettings((state) => state.dockCollapsed);
  // Its script is below the transcript, which keeps room for a notice.
  const isRoomy = useMedia(ROOMY_MEDIA);
  const isTall = useSettings((state) => selectEndpoint(state).contexts !== null) && !isRoomy;
  const dock = useRef<PanelImperativeHandle>(null);

  useEffect(() => {
    if (collapsed) dock.current?.collapse();
    else dock.current?.expand();
  }, [collapsed]);

  return (
    <div className="flex h-full flex-col">
      <Deferred>
        <Bar />
      </Deferred>
      <FaultsStrip />
      <PageNotices />
      <main className="min-h-0 flex-1">
        <Group orientation="horizontal" className="h-full">
          <Panel
            id="set-up"
            defaultSize={`${setupWidthPx}px`}
            minSize="264px"
            maxSize="520px"
            groupResizeBehavior="preserve-pixel-size"
            onResize={({ inPixels }) => useSettings.setState({ setupWidthPx: Math.round(inPixels) })}
          >
            {STUDIO_PANELS.setup}
          </Panel>
          <Separator aria-label="Width of the set-up" className="divider divider-column" />
          <Panel id="work" minSize="480px">
            <Group orientation="vertical" className="h-full">
              <Panel id="stage" minSize={isTall ? '376px' : '280px'}>
                <div className="painted-alone flex h-full flex-col">
                  <ReplayBar />
                  <div className="min-h-0 flex-1">
                    <Stage />
                  </div>
                </div>
              </Panel>
              <Separator aria-label="Height of the measures" className="divider divider-row" />
              <Panel
                id="dock"
                panelRef={dock}
                collapsible
                collapsedSize={`${DOCK_TABS_PX}px`}
                defaultSize={collapsed ? `${DOCK_TABS_PX}px` : `${dockHeightPx}px`}
                minSize="120px"
                groupResizeBehavior="preserve-pixel-size"
                onResize={({ inPixels }) => {
                  if (inPixels <= DOCK_TABS_PX + 1) useSettings.setState({ dockCollapsed: true });
                  else useSettings.setState({ dockCollapsed: false, dockHeightPx: Math.round(inPixels) });
                }}
              >
                <Deferred>
                  <Dock
                    collapsed={collapsed}
                    onToggle={() => useSettings.setState({ dockCollapsed: !collapsed })}
                  />
                </Deferred>
              </Panel>
            </Group>
          </Panel>
        </Group>
      </main>
    </div>
  );
}
