import { create } from 'zustand';
import { Listeners } from '../browser/listeners.ts';
import { useSettings } from './settings-store.ts';
import { leaveTour } from './tour-store.ts';

export type PanelName = 'stage' | 'set-up' | 'timeline' | 'chunks' | 'frames' | 'usage';

/** View state of the page, which a reload forgets. */
interface View {
  /** The panel in view on a narrow window, which shows one at a time. */
  panel: PanelName;
  /** The search field of the frames takes the focus as soon as it is mounted. */
  isSearchAsked: boolean;
  /** The open list that buttons in several panels open. */
  dialog: 'keys' | 'recordings' | null;
  /** Demo mode: the presenter is in place of the studio, for a screen that many look at. */
  isDemo: boolean;
  /** The newest item that was added to a playlist, or why it was not, for the note that says so; null without one. */
  added: { place: number; playlist: string } | { refusal: string } | null;
}

export const useView = create<View>()(() => ({
  panel: 'stage',
  isSearchAsked: false,
  dialog: null,
  isDemo: false,
  added: null,
}));

/** Asks for what the studio would speak to be added to a playlist. The presenter's code answers. */
export const askToAdd = new Listeners();

export function setDemo(isDemo: boolean): void {
  // The tour points at controls of the studio.
  if (isDemo) leaveTour();
  useView.setState({ isDemo });
}

export const openDialog = (dialog: View['dialog']): void => useView.setState({ dialog });

export function showPanel(panel: PanelName): void {
  useView.setState({ panel });
  if (panel !== 'stage' && panel !== 'set-up') {
    useSettings.setState({ dockTab: panel, dockCollapsed: false });
  }
}

export function askSearch(): void {
  showPanel('frames');
  useView.setState({ isSearchAsked: true });
}
