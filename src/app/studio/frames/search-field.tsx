import { Search, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { count, counted } from '#lib/format.ts';
import { percent } from '#recordings/view/figures.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { type SearchView, useRecordings } from '../../recordings-client/recordings-store.ts';
import { useView } from '../../stores/view-store.ts';
import { Button, Kbd } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useFrames } from './view/frames-store.ts';
import { framesView } from './view/frames-view.ts';
import { StepButtons } from './view/step-buttons.tsx';

const TYPING_MS = 150;

export function SearchField({ onLeave }: { onLeave: () => void }) {
  const typed = useFrames((state) => state.typed);
  const search = useRecordings((state) => state.search);
  const isAsked = useView((state) => state.isSearchAsked);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const stopTimer = () => {
    const isDue = timer.current !== null;
    clearTimeout(timer.current ?? undefined);
    timer.current = null;
    return isDue;
  };
  const begin = () => {
    const isDue = stopTimer();
    if (isDue) framesView.search(useFrames.getState().typed);
    return isDue;
  };
  const type = (text: string) => {
    useFrames.setState({ typed: text });
    stopTimer();
    timer.current = setTimeout(begin, TYPING_MS);
  };
  const clear = () => {
    stopTimer();
    framesView.clearSearch();
  };

  useEffect(() => {
    if (!isAsked || !input.current?.checkVisibility()) return;
    useView.setState({ isSearchAsked: false });
    input.current.focus();
    input.current.select();
  }, [isAsked]);

  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (!begin()) void framesView.goToHit(event.shiftKey ? -1 : 1);
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      onLeave();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      if (typed === '') onLeave();
      else clear();
    }
  };

  return (
    <div className="flex min-w-0 items-center gap-2 @max-[480px]:flex-1">
      <TextField
        ref={input}
        label="Search frames"
        placeholder="Search frames"
        title="Text, or /a regular expression/, with i behind it where case does not matter"
        icon={Search}
        value={typed}
        onChange={type}
        onKeyDown={press}
        mono={typed !== ''}
        invalid={search?.state === 'refused'}
        autoComplete="off"
        spellCheck={false}
        className="h-7 w-56 min-w-24 shrink max-wide:grow"
        trailing={
          typed === '' ? (
            <Kbd
              keys="/"
              className="mr-1 rounded-inner border border-border-strong px-1 text-text-subtle touch:hidden"
            />
          ) : (
            <IconButton label="Clear the search" icon={X} size="tiny" onClick={clear} className="mr-0.5" />
          )
        }
      />
      {search && <SearchState search={search} />}
    </div>
  );
}

function SearchState({ search }: { search: SearchView }) {
  const note = useFrames((state) => state.searchNote);
  // Selects only the position among the hits, because the search reports the hits themselves.
  const selected = useFrames((state) => state.selection?.index ?? null);
  const place = selected === null ? null : framesView.hits.placeOf(selected);
  return (
    <>
      <span role="status" className="min-w-0 truncate text-12 text-text-muted">
        {wordsOf(search, place)}
        {note && <span className="text-text-subtle">, {note}</span>}
      </span>
      {search.state === 'running' && (
        <Button variant="ghost" size="small" onClick={() => recordingsLink.cancelSearch()}>
          Stop
        </Button>
      )}
      {search.hits > 0 && (
        <span className="flex shrink-0">
          <StepButtons
            labels={['Hit before (N)', 'Next hit (n)']}
            size="tiny"
            onStep={(step) => void framesView.goToHit(step)}
          />
        </span>
      )}
    </>
  );
}

function wordsOf({ state, hits, looked, of, unread, problem }: SearchView, place: number | null): string {
  const found = place === null ? counted(hits, 'hit') : `${count(place)} of ${counted(hits, 'hit')}`;
  switch (state) {
    case 'refused':
    case 'failed':
      return problem ?? 'The search was given up';
    case 'running':
      return of === 0 ? 'Searching …' : `${found}, ${percent(looked, of)} % searched`;
    case 'cancelled':
      return of === 0 ? 'Stopped' : `${found}, stopped at ${percent(looked, of)} %`;
    case 'done':
      return unread === 0 ? found : `${found}; ${counted(unread, 'frame')} not kept`;
  }
}
