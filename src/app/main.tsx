import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles.css';
// Follows styles.css, because the last font face wins for the characters that it covers.
import './fonts/fonts.css';
import { App } from './app.tsx';
import { whenIdle } from './browser/idle.ts';
import { HAS_LOCAL_SERVER } from './browser/local-server.ts';
import { takeDroppedFiles } from './recordings/files/dropped-files.ts';
import { recordingsLink } from './recordings-client/recordings-link.ts';
import { StudioSessions } from './session-client/studio-sessions.ts';
import { followAddress } from './stores/mode-store.ts';
import { applyAddress } from './stores/settings-store.ts';
import { askToAdd } from './stores/view-store.ts';

async function openPage(): Promise<void> {
  applyAddress(location.search);
  followAddress();
  const recorder = recordingsLink.start();
  takeDroppedFiles();
  // Most visitors never add anything, so its code loads on the press.
  askToAdd.add(async () => (await import('./present/additions.ts')).addStudioToDemo());
  await openLinked();
  addEventListener('hashchange', () => void openLinked());
  const sessions = new StudioSessions(recorder);

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
  const openServed = async () => {
    const module = await import('./recordings/serve/open-served.ts');
    await module.openServed(location.search);
  };
  if (location.search.includes('recording=')) await openServed();
  else if (HAS_LOCAL_SERVER) whenIdle(() => void openServed());
}

/** Opens the link in the address. Few addresses have one, so its code loads only then. */
async function openLinked(): Promise<void> {
  if (location.hash === '') return;
  const { openLink } = await import('./share/open-link.ts');
  await openLink();
}

// Not awaited, because lazy chunks import this module and would wait for its top-level await.
void openPage();
