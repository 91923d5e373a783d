import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles.css';
import { App } from './app.tsx';
import { whenIdle } from './browser/later.ts';
import { HAS_LOCAL_SERVER } from './browser/local-server.ts';
import { recordingsLink } from './recordings-client/recordings-link.ts';
import { StudioSessions } from './session-client/studio-sessions.ts';
import { openLink } from './share/open-link.ts';
import { followAddress } from './stores/mode-store.ts';
import { applyAddress } from './stores/settings-store.ts';

applyAddress(location.search);
followAddress();
await openLink();
window.addEventListener('hashchange', () => void openLink());
const sessions = new StudioSessions(recordingsLink.start());

// Other clients are listed where the server captures them, once the page is ready for its own.
if (HAS_LOCAL_SERVER && isSecureContext) {
  whenIdle(() => recordingsLink.order(({ watchClients }) => watchClients()));
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App sessions={sessions} />
    </StrictMode>,
  );
}
