import { frameOfLive } from '../../../recordings/frame-of.ts';
import type { Selected } from '../../../stores/selection-store.ts';
import { showPanel } from '../../../stores/show-panel.ts';

/** Opens the frames at the one in which this came. */
export async function showFramesOf(selected: Selected): Promise<void> {
  showPanel('frames');
  const index = await frameOfLive(selected);
  // The panel with all that belongs to it is fetched when it is first wanted.
  const { framesView } = await import('./frames-view.ts');
  if (index === null) framesView.missed();
  else await framesView.reveal(index);
}
