import { CSPProvider } from '@base-ui/react/csp-provider';
import { LucideProvider } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { awaitPicture } from './browser/idle.ts';
import { pageNonce } from './browser/local-server.ts';
import { useMedia, WIDE_MEDIA } from './browser/use-media.ts';
import type { Comparisons } from './compare/comparisons.ts';
import { ModePage } from './mode-page.tsx';
import { StudioProvider } from './session-client/provider.tsx';
import type { StudioSessions } from './session-client/studio-sessions.ts';
import { useTheme } from './shell/bar/theme-toggle.tsx';
import { NarrowLayout } from './shell/narrow-layout.tsx';
import { useShortcuts } from './shell/use-shortcuts.ts';
import { WideLayout } from './shell/wide-layout.tsx';
import { useMode } from './stores/mode-store.ts';
import { openDialog, useView } from './stores/view-store.ts';
import { later, Opening } from './ui/later.tsx';
import { PanelBoundary } from './ui/panel-boundary.tsx';

const Presenter = later({ name: 'The demo mode', when: 'shown', Meanwhile: Opening }, () =>
  import('./present/presenter.tsx').then((module) => module.Presenter),
);

const HelpDialog = later('The list of keys', () =>
  import('./shell/bar/help-dialog.tsx').then((module) => module.HelpDialog),
);

const RecordingsDialog = later('The list of recordings', () =>
  import('./recordings/recordings-dialog.tsx').then((module) => module.RecordingsDialog),
);

const FileImport = later('The import', () =>
  import('./recordings/files/file-import.tsx').then((module) => module.FileImport),
);

const AddedNote = later({ name: 'The note', when: 'shown' }, () =>
  import('./present/added-note.tsx').then((module) => module.AddedNote),
);

/** The page. Its owner keeps the sessions, because they outlive every rendering. */
export function App({ sessions }: { sessions: StudioSessions }) {
  // Compare fills it when it loads, and its results outlive the mode.
  const comparisons = useRef<Comparisons>(null);
  useEffect(awaitPicture, []);
  useTheme();
  useShortcuts(sessions);
  const wide = useMedia(WIDE_MEDIA);
  const mode = useMode((state) => state.mode);
  const demo = useView((state) => state.isDemo);
  const dialog = useView((state) => state.dialog);
  const isAdded = useView((state) => state.added !== null);
  return (
    <CSPProvider nonce={pageNonce()}>
      <StudioProvider sessions={sessions}>
        <LucideProvider strokeWidth={1.75}>
          <PanelBoundary name="The page">
            {mode !== 'studio' ? (
              <ModePage mode={mode} wide={wide} comparisons={comparisons} />
            ) : demo ? (
              <Presenter />
            ) : wide ? (
              <WideLayout />
            ) : (
              <NarrowLayout />
            )}
            <FileImport />
            {dialog === 'keys' && <HelpDialog onClose={() => openDialog(null)} />}
            {dialog === 'recordings' && <RecordingsDialog onClose={() => openDialog(null)} />}
            {isAdded && !(mode === 'studio' && demo) && <AddedNote />}
          </PanelBoundary>
        </LucideProvider>
      </StudioProvider>
    </CSPProvider>
  );
}
