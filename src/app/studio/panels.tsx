import type { ReactNode } from 'react';
import { Calm } from '../session-client/provider.tsx';
import { later, Opening } from '../ui/later.tsx';

const SetupPanel = later(
  'Set-up',
  () => import('./setup/setup-panel.tsx').then((module) => module.SetupPanel),
  Opening,
);
const Timeline = later(
  'Timeline',
  () => import('./timeline/timeline.tsx').then((module) => module.Timeline),
  Opening,
);
const ChunksPanel = later(
  'Chunks',
  () => import('./chunks/chunks-panel.tsx').then((module) => module.ChunksPanel),
  Opening,
);
const FramesPanel = later(
  'Frames',
  () => import('./frames/frames-panel.tsx').then((module) => module.FramesPanel),
  Opening,
);
const UsagePanel = later(
  'Usage',
  () => import('./usage/usage-panel.tsx').then((module) => module.UsagePanel),
  Opening,
);

const calm = (panel: ReactNode) => <Calm>{panel}</Calm>;

/** The panels around the stage. Each loads by itself, so that the stage is there first. */
export const STUDIO_PANELS = {
  setup: calm(<SetupPanel />),
  timeline: calm(<Timeline />),
  chunks: calm(<ChunksPanel />),
  frames: calm(<FramesPanel />),
  usage: calm(<UsagePanel />),
};

/** The tools of the timeline, for the row of tabs above it. */
export const TimelineTools = later('The tools of the timeline', () =>
  import('./timeline/tools.tsx').then((module) => module.TimelineTabTools),
);
