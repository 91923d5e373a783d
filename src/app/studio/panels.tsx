import type { FunctionComponent } from 'react';
import { Deferred } from '../session-client/provider.tsx';
import { later, Opening } from '../ui/later.tsx';

function panel(name: string, load: () => Promise<FunctionComponent>) {
  const Panel = later({ name, Meanwhile: Opening }, load);
  return (
    <Deferred>
      <Panel />
    </Deferred>
  );
}

/** The panels around the stage. Each loads by itself, so that the stage is there first. */
export const STUDIO_PANELS = {
  setup: panel('Set-up', () => import('./setup/setup-panel.tsx').then((module) => module.SetupPanel)),
  timeline: panel('Timeline', () => import('./timeline/timeline.tsx').then((module) => module.Timeline)),
  chunks: panel('Chunks', () => import('./chunks/chunks-panel.tsx').then((module) => module.ChunksPanel)),
  frames: panel('Frames', () => import('./frames/frames-panel.tsx').then((module) => module.FramesPanel)),
  usage: panel('Usage', () => import('./usage/usage-panel.tsx').then((module) => module.UsagePanel)),
};

/** The tools of the timeline, for the row of tabs above it. */
export const TimelineTools = later('The tools of the timeline', () =>
  import('./timeline/tools.tsx').then((module) => module.TimelineTabTools),
);
