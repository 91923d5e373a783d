import { create } from 'zustand';
import { showPanel } from './show-panel.ts';

/** Whether the search field of the frames is to take the focus as soon as it is there. */
export const useSearchAsked = create<{ isAsked: boolean }>()(() => ({ isAsked: false }));

/** Shows the frames, and puts the keyboard into their search. */
export function askSearch(): void {
  showPanel('frames');
  useSearchAsked.setState({ isAsked: true });
}
