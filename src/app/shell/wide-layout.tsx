import { ROOMY_MEDIA, useMedia } from '../browser/use-media.ts';
import { Deferred } from '../session-client/provider.tsx';
import { PageNotices } from '../share/page-notices.tsx';
import { selectEndpoint, useSettings } from '../stores/settings-store.ts';
import { Dock } from '../studio/dock/dock.tsx';
import { FaultsStrip } from '../studio/faults/faults-control.tsx';
import { STUDIO_PANELS } from '../studio/panels.tsx';
import { ReplayBar } from '../studio/replay/replay-bar.tsx';
import { cx } from '../ui/cx.ts';
import { Divider } from '../ui/divider.tsx';
import { Bar } from './bar/bar.tsx';
import { Stage } from './stage.tsx';

/** Limits of the set-up's width. */
const SETUP_PX = { min: 264, max: 520 };
const DOCK_TABS_PX = 40;
const DOCK_MIN_PX = 120;

export function WideLayout() {
  const setupWidthPx = useSettings((state) => state.setupWidthPx);
  const dockHeightPx = useSettings((state) => state.dockHeightPx);
  const dockCollapsed = useSettings((state) => state.dockCollapsed);
  // Its script is below the transcript, which keeps room for a notice.
  const isRoomy = useMedia(ROOMY_MEDIA);
  const isTall = useSettings((state) => selectEndpoint(state).contexts !== null) && !isRoomy;
  return (
    <div className="flex h-full flex-col">
      <Deferred>
        <Bar />
      </Deferred>
      <FaultsStrip />
      <PageNotices />
      <main className="flex min-h-0 flex-1">
        <div
          className="overflow-clip"
          style={{ flexBasis: setupWidthPx, minWidth: SETUP_PX.min, maxWidth: SETUP_PX.max }}
        >
          {STUDIO_PANELS.setup}
        </div>
        <Divider
          label="Width of the set-up"
          line="column"
          pane="before"
          size={setupWidthPx}
          min={SETUP_PX.min}
          max={SETUP_PX.max}
          onChange={(px) => useSettings.setState({ setupWidthPx: px })}
        />
        <div className="flex min-w-120 flex-1 flex-col">
          <div
            className={cx(
              'painted-alone flex flex-1 flex-col overflow-clip',
              isTall ? 'min-h-94' : 'min-h-70',
            )}
          >
            <ReplayBar />
            <div className="min-h-0 flex-1">
              <Stage />
            </div>
          </div>
          <Divider
            label="Height of the measures"
            line="row"
            pane="behind"
            size={dockCollapsed ? DOCK_TABS_PX : dockHeightPx}
            min={DOCK_TABS_PX}
            max={2000}
            onChange={(px) => {
              const isClosed = px < (DOCK_TABS_PX + DOCK_MIN_PX) / 2;
              useSettings.setState(
                isClosed
                  ? { dockCollapsed: true }
                  : { dockCollapsed: false, dockHeightPx: Math.max(px, DOCK_MIN_PX) },
              );
            }}
          />
          <div
            className={cx('overflow-clip', dockCollapsed ? 'shrink-0' : 'min-h-30')}
            style={{ flexBasis: dockCollapsed ? DOCK_TABS_PX : dockHeightPx }}
          >
            <Deferred>
              <Dock
                collapsed={dockCollapsed}
                onToggle={() => useSettings.setState({ dockCollapsed: !dockCollapsed })}
              />
            </Deferred>
          </div>
        </div>
      </main>
    </div>
  );
}
