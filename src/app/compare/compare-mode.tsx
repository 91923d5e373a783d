import { type RefObject, useEffect, useState } from 'react';
import { Page } from '../ui/page.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { useCompare } from './compare-store.ts';
import { Comparisons, ComparisonsContext, useComparisons, useTournament } from './comparisons.ts';
import { SideBySideView } from './side-by-side-view.tsx';
import { TournamentView } from './tournament/tournament-view.tsx';
import { WhatChanged } from './what-changed.tsx';

const VIEWS = [
  { value: 'sideBySide', label: 'Side by side' },
  { value: 'tournament', label: 'Tournament' },
  { value: 'recordings', label: 'What changed' },
] as const;

const SUBTITLES = {
  sideBySide: 'Two configurations, one text, every difference.',
  tournament: 'Which do you like best, not knowing which it is?',
  recordings: 'Two recordings, also of other programs, message by message.',
} as const;

/** @param kept the comparisons of the page, which outlive the mode; created with the first visit */
export function CompareMode({ kept }: { kept: RefObject<Comparisons | null> }) {
  const [comparisons] = useState(() => {
    kept.current ??= new Comparisons();
    return kept.current;
  });
  return (
    <ComparisonsContext value={comparisons}>
      <ComparePage />
    </ComparisonsContext>
  );
}

function ComparePage() {
  const comparisons = useComparisons();
  const view = useCompare((state) => state.view);
  const phase = useTournament((state) => state.phase);
  // Other views would show what is X and Y.
  const isSecret = view === 'tournament' && phase !== 'setUp' && phase !== 'revealed';
  useEffect(() => () => comparisons.leave(), [comparisons]);
  return (
    <Page
      title="Compare"
      subtitle={SUBTITLES[view]}
      className="max-w-[1120px]"
      tools={
        !isSecret && (
          <Segmented
            label="Way of comparing"
            options={VIEWS}
            value={view}
            onChange={(next) => {
              comparisons.leave();
              useCompare.setState({ view: next });
            }}
          />
        )
      }
    >
      {view === 'sideBySide' && <SideBySideView />}
      {view === 'tournament' && <TournamentView />}
      {view === 'recordings' && <WhatChanged />}
    </Page>
  );
}
