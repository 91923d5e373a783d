import { type RefObject, useEffect, useState } from 'react';
import { Segmented } from '../ui/segmented.tsx';
import { BlindView } from './blind/blind-view.tsx';
import { useCompare, useSides } from './compare-store.ts';
import { Comparisons, ComparisonsContext, useBlind, useComparisons } from './comparisons.ts';
import { RecordedView } from './recorded-view.tsx';
import { SideBySideView } from './side-by-side-view.tsx';
import { SideCard } from './side-card.tsx';

const VIEWS = [
  { value: 'sideBySide', label: 'Side by side' },
  { value: 'blind', label: 'Blind' },
  { value: 'recordings', label: 'Recordings' },
] as const;

const SUBTITLES = {
  sideBySide: 'Two configurations, one text, every difference.',
  blind: 'Which do you like better, not knowing which it is?',
  recordings: 'Two recordings, also of other programs, replayed at once.',
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
  const phase = useBlind((state) => state.phase);
  // A visible configuration would spoil the blind trial.
  const isSecret = view === 'blind' && phase !== 'setUp' && phase !== 'revealed';
  const sides = useSides();
  useEffect(() => () => comparisons.leave(), [comparisons]);
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-[1120px] flex-col gap-5 px-4 pt-5 pb-12 wide:px-6">
        <header className="flex flex-wrap items-center justify-between gap-3">
          <div>
            <h2 className="text-20 font-semibold tracking-[-0.01em]">Compare</h2>
            <p className="text-13 text-text-muted">{SUBTITLES[view]}</p>
          </div>
          {!isSecret && (
            <Segmented
              label="Way of comparing"
              options={VIEWS}
              value={view}
              onChange={(next) => {
                comparisons.leave();
                useCompare.setState({ view: next });
              }}
            />
          )}
        </header>
        {(view === 'sideBySide' || (view === 'blind' && phase === 'setUp')) && (
          <div className="flex flex-col gap-4 wide:flex-row">
            <SideCard id="a" side={sides.a} other={sides.b} />
            <SideCard id="b" side={sides.b} other={sides.a} />
          </div>
        )}
        {view === 'blind' && <BlindView sides={sides} />}
        {view === 'sideBySide' && <SideBySideView sides={sides} />}
        {view === 'recordings' && <RecordedView />}
      </div>
    </div>
  );
}
