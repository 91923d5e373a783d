import { type RefObject, useEffect } from 'react';
import type { Comparisons } from './compare/comparisons.ts';
import { useStudioSessions } from './session-client/provider.tsx';
import { ReplayClient } from './session-client/replay-client.ts';
import { Bar, NarrowBar } from './shell/bar/bar.tsx';
import type { Mode } from './stores/mode-store.ts';
import { cancel } from './studio/composer/intents.ts';
import { later, Opening } from './ui/later.tsx';

const CompareMode = later({ name: 'The comparison', when: 'shown', Meanwhile: Opening }, () =>
  import('./compare/compare-mode.tsx').then((module) => module.CompareMode),
);
const BenchmarkMode = later({ name: 'The benchmark', when: 'shown', Meanwhile: Opening }, () =>
  import('./benchmark/benchmark-mode.tsx').then((module) => module.BenchmarkMode),
);
const GalleryPage = later({ name: 'The voices', when: 'shown', Meanwhile: Opening }, () =>
  import('./gallery/gallery-page.tsx').then((module) => module.GalleryPage),
);

interface ModePageProps {
  mode: Exclude<Mode, 'studio'>;
  wide: boolean;
  comparisons: RefObject<Comparisons | null>;
}

export function ModePage({ mode, wide, comparisons }: ModePageProps) {
  // Studio speech would be heard during a comparison, and this page has no control that stops it.
  const sessions = useStudioSessions();
  useEffect(() => {
    const { client } = sessions.shown.getState();
    if (!(client instanceof ReplayClient)) cancel(client);
    else client.control(client.view.followed ? { do: 'listen', isListening: false } : { do: 'pause' });
  }, [sessions]);
  return (
    <div className="flex h-full flex-col">
      {wide ? <Bar mode={mode} /> : <NarrowBar mode={mode} />}
      <main className="min-h-0 flex-1 bg-canvas">
        {mode === 'voices' ? (
          <GalleryPage />
        ) : mode === 'compare' ? (
          <CompareMode kept={comparisons} />
        ) : (
          <BenchmarkMode />
        )}
      </main>
    </div>
  );
}
