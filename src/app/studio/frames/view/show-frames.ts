import { frameOfSession } from '../../../recordings/frame-of.ts';
import type { Selected } from '../../../session-client/selection.ts';
import type { SessionClient } from '../../../session-client/session-client.ts';
import { showPanel } from '../../../stores/view-store.ts';

export async function showFramesOf(client: SessionClient, selected: Selected): Promise<void> {
  showPanel('frames');
  const index = await frameOfSession(client, selected);
  // Loads the panel on first use.
  const { framesView } = await import('./frames-view.ts');
  if (index === null) framesView.missed();
  else await framesView.reveal(index);
}
