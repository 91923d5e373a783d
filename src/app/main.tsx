import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles.css';
import { App } from './app.tsx';
import { sessionLink } from './session-client/session-link.ts';
import { openLink } from './share/open-link.ts';
import { followAddress } from './stores/mode-store.ts';
import { applyAddress } from './stores/settings-store.ts';

applyAddress(location.search);
followAddress();
await openLink();
window.addEventListener('hashchange', () => void openLink());
sessionLink.start();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
