import { create } from 'zustand';
import { Listeners } from '../browser/listeners.ts';
import { useSettings } from './settings-store.ts';
import { leaveTour } from './tour-store.ts';

/** View state of the page, which a reload forgets. */

/** Demo mode: the studio shows only the transcript, for a screen that many look at. */
export const useDemo = create<{ on: boolean }>()(() => ({ on: false }));

export function setDemo(on: boolean): void {
  // The tour points at controls of the studio.
  if (on) leaveTour();
  useDemo.setState({ on });
}

/** Asks for what the studio would speak to be added to a playlist. The presenter's code answers. */
export const askToAdd = new Listeners();

/** The newest item that was added to a playlist, or why it was not, for the note that says so; null without one. */
export const useAdded = create<{
  added: { place: number; playlist: string } | { refusal: string } | null;
}>()(() => ({ added: null }));

export type PanelName = 'stage' | 'set-up' | 'timeline' | 'chunks' | 'frames' | 'usage';

interface View {
  /** The panel in view on a narrow window, which shows one at a time. */
  panel: PanelName;
  /** The search field of the frames takes the focus as soon as it is mounted. */
  isSearchAsked: boolean;
  /** The open list that buttons in several panels open. */
  dialog: 'keys' | 'recordings' | null;
}

export const useView = create<View>()(() => ({ panel: 'stage', isSearchAsked: false, dialog: null }));

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
