import { Suspense } from 'react';
import { count } from '../format.ts';
import { later } from '../later.ts';
import { PanelBoundary } from '../panel-boundary.tsx';
import { useRecordings } from '../stores/recordings-store.ts';

const FramesPanel = later(() => import('./frames-panel.tsx').then((module) => module.FramesPanel));

/** The frames of a session, as a tab. */
export function Frames() {
  return (
    <PanelBoundary name="Frames">
      <Suspense fallback={<p className="p-6 text-13 text-text-muted">Opening the frames …</p>}>
        <FramesPanel />
      </Suspense>
    </PanelBoundary>
  );
}

/** The tab's name with how many there are: in an element of its own, because that changes ten times a second. */
export function FramesLabel() {
  const loaded = useRecordings((state) => state.shown.loaded);
  return (
    <>
      Frames
      {loaded > 0 && (
        <span className="ml-1.5 font-mono text-12 font-normal text-text-subtle">{count(loaded)}</span>
      )}
    </>
  );
}
