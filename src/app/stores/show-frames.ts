import { useNarrowTab } from './narrow-tab.ts';
import { useSettings } from './settings-store.ts';

/** Brings the frames into view, wherever they are on this window. */
export function showFrames(): void {
  useSettings.getState().set({ dockTab: 'frames', dockCollapsed: false });
  useNarrowTab.setState({ tab: 'frames' });
}
