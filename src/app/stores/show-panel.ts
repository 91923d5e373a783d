import { create } from 'zustand';
import { useSettings } from './settings-store.ts';

export type PanelName = 'stage' | 'set-up' | 'timeline' | 'chunks' | 'frames' | 'usage';

/** The panel in view where there is room for one. */
export const useNarrowPanel = create<{ panel: PanelName }>()(() => ({ panel: 'stage' }));

/** Brings a panel into view, on a screen of any width. */
export function showPanel(panel: PanelName): void {
  useNarrowPanel.setState({ panel });
  if (panel !== 'stage' && panel !== 'set-up') {
    useSettings.getState().set({ dockTab: panel, dockCollapsed: false });
  }
}
