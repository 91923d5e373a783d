import { frameOfLive } from '../../../recordings/frame-of.ts';
import type { Selected } from '../../../session-client/selection.ts';
import type { SessionClient } from '../../../session-client/session-client.ts';
import { showPanel } from '../../../stores/view-store.ts';

/** Opens the frames at the one in which this came. */
export async function showFramesOf(client: SessionClient, selected: Selected): Promise<void> {
  showPanel('frames');
  const index = await frameOfLive(client, selected);
  // The panel with all that belongs to it is fetched when it is first wanted.
  const { framesView } = await import('./frames-view.ts');
  if (index === null) framesView.missed();
  else await framesView.reveal(index);
}
