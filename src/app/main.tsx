import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles.css';
import { App } from './app.tsx';
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

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App sessions={sessions} />
    </StrictMode>,
  );
}
