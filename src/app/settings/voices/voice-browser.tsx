import { Search, Star } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useMemo, useRef, useState } from 'react';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import {
  selectDescriptions,
  selectFavourites,
  toggleFavourite,
  useFavourites,
} from '../../stores/favourites-store.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { TextField } from '../../ui/fields/text-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Empty } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { EqualLoudnessSwitch } from './equal-loudness-switch.tsx';
import type { VoiceChoices } from './use-catalogue.ts';
import { VoiceItems, type VoiceStop, voiceStep } from './voice-items.tsx';
import {
  ANY_VOICE,
  searchVoices,
  typedVoice,
  type VoiceOption,
  type VoiceQuery,
  voiceFilters,
  voiceOfValue,
  voiceOptions,
} from './voice-options.ts';
import { isHeard, phaseOf, useSampler, type VoiceSampler } from './voice-sampler.ts';

interface VoiceBrowserProps {
  voices: VoiceChoices;
  /** Null where nothing can be heard. */
  sampler: VoiceSampler | null;
  isInUse: (choice: VoiceOption) => boolean;
  /** Makes it a list that one of the catalogue is chosen from; otherwise it is a grid, and a press plays. */
  picker?: {
    /** As in "the … of a voice". */
    idName: string;
    onChoose: (id: string) => void;
    search: RefObject<HTMLInputElement | null>;
  };
  /** The element that scrolls the grid. */
  scroller?: RefObject<HTMLElement | null>;
  /** Between the search and the voices. */
  children?: ReactNode;
}

/** The voices of an endpoint: search, filters and favourites. Arrow keys move between voices, F keeps one as a favourite. */
export function VoiceBrowser({ voices, sampler, isInUse, picker, scroller, children }: VoiceBrowserProps) {
  const { endpoint, items, state } = voices;
  const { vendor } = endpoint;
  const favourites = useFavourites(selectFavourites(vendor));
  const descriptions = useFavourites(selectDescriptions(vendor));
  const sampled = useSampler(sampler);
  const ownSearch = useRef<HTMLInputElement>(null);
  const search = picker?.search ?? ownSearch;
  const ownScroller = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState<VoiceQuery>(ANY_VOICE);
  const isPicker = picker !== undefined;
  const choices = useMemo(
    () => voiceOptions(endpoint, items, descriptions).filter(({ voice }) => voice !== null || !isPicker),
    [endpoint, items, descriptions, isPicker],
  );
  const found = useMemo(() => searchVoices(choices, query, favourites), [choices, query, favourites]);
  // Null until a move: the voice in use, or the best match.
  const [moved, setMoved] = useState<{ key: string; focusedBy: object | null } | null>(null);
  const at = found.findIndex((choice) =>
    moved ? choice.key === moved.key : query.text === '' && isInUse(choice),
  );
  const stop: VoiceStop = { index: Math.max(0, at), focusedBy: moved?.focusedBy ?? null };
  const current = found[stop.index];
  const moveTo = (index: number, focusedBy: object | null = null) => {
    const choice = found[index];
    if (choice && (focusedBy || choice.key !== moved?.key)) setMoved({ key: choice.key, focusedBy });
  };
  const typed = picker ? typedVoice(query.text) : null;
  const narrow = (change: Partial<VoiceQuery>) => {
    setQuery((before) => ({ ...before, ...change }));
    setMoved(null);
  };
  const press = (choice: VoiceOption) => {
    if (picker) picker.onChoose(choice.key);
    else sampler?.toggle(choice);
  };
  const listen = (choice: VoiceOption) => {
    if (!picker || choice.voice?.sampleUrl) sampler?.toggle(choice);
  };

  const searchKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') moveTo(stop.index, {});
    else if (event.key !== 'Enter') return;
    else if (current && event.shiftKey) listen(current);
    else if (current) press(current);
    else if (typed !== null) picker?.onChoose(typed);
    event.preventDefault();
  };
  const itemKey = (event: KeyboardEvent, columns: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !current) return;
    const to = voiceStep(event.key, stop.index, found.length, columns);
    if (to !== null) moveTo(to, {});
    else if (event.key === 'ArrowUp') search.current?.focus();
    else if (event.key.toLowerCase() === 'f') {
      toggleFavourite(vendor, current.key);
      // Its place may change, and the focus goes with it.
      moveTo(stop.index, {});
    } else if (event.key === 'Enter' && event.shiftKey) listen(current);
    else if (event.key === 'Escape' && !picker && isHeard(sampled.phase)) sampler?.stop();
    else return;
    event.preventDefault();
  };

  const shown = found.length > 0 && (
    <VoiceItems
      layout={picker ? 'list' : 'grid'}
      choices={found}
      stop={stop}
      scroller={scroller ?? ownScroller}
      onStop={moveTo}
      onKeyDown={itemKey}
      propsOf={(choice) => ({
        vendor,
        sampler,
        phase: phaseOf(sampled, choice),
        waitMs: sampled.waits.get(choice.key) ?? null,
        isFavourite: favourites.includes(choice.key),
        isInUse: isInUse(choice),
        isOwn: choice.voice === null && descriptions.includes(choice.key),
        onPress: () => press(choice),
      })}
    />
  );
  return (
    <>
      <div className={cx('flex flex-wrap items-center gap-2', picker && 'border-b border-border px-5 py-3')}>
        <TextField
          ref={search}
          label="Search voices"
          placeholder={
            choices.some(({ voice }) => voice === null)
              ? 'Words of a description'
              : 'Name, number, language or description'
          }
          icon={Search}
          value={query.text}
          onChange={(text) => narrow({ text })}
          onKeyDown={searchKey}
          autoComplete="off"
          spellCheck={false}
          className={cx('min-w-56 flex-1', picker && 'basis-full')}
        />
        <VoiceFilters voices={items} query={query} onChange={narrow} />
        {choices.length > 0 && (
          <Button
            variant="ghost"
            icon={Star}
            aria-pressed={query.onlyFavourites}
            onClick={() => narrow({ onlyFavourites: !query.onlyFavourites })}
          >
            Favourites
          </Button>
        )}
        {!picker && <EqualLoudnessSwitch />}
        {choices.length > 0 && (
          <span aria-live="polite" className="ml-auto text-12 whitespace-nowrap text-text-subtle">
            {found.length === choices.length
              ? `${choices.length} voices`
              : `${found.length} of ${choices.length} voices`}
          </span>
        )}
      </div>
      {children}
      {!shown && state === 'loading' && <Skeleton isList={isPicker} />}
      {state === 'failed' ? (
        <div className={cx(picker && 'p-5')}>
          <Notice
            severity="error"
            title="The voices could not be read."
            remedy={picker && `Or type the ${picker.idName} of a voice above and press Enter.`}
            action={{ label: 'Try again', onPress: voices.retry }}
          >
            {voices.problem}
          </Notice>
        </div>
      ) : (
        !shown &&
        state !== 'loading' && (
          <Empty>
            {choices.length > 0
              ? query.onlyFavourites && favourites.length === 0
                ? 'No favourites yet. Press the star of a voice, or F.'
                : 'No voice fits all of that.'
              : state === 'ready'
                ? 'This server offers no voices.'
                : `Voices are listed once there is a server and a key for it.${picker ? ` Or type the ${picker.idName} of a voice above and press Enter.` : ''}`}
          </Empty>
        )
      )}
      {picker ? (
        <div
          ref={ownScroller}
          className={cx('relative overflow-y-auto overscroll-contain', shown && 'h-[min(400px,52dvh)]')}
        >
          {shown}
        </div>
      ) : (
        shown
      )}
      {picker && typed !== null && voiceOfValue(items, typed) === undefined && (
        <button
          type="button"
          onClick={() => picker.onChoose(typed)}
          className="flex min-h-10 cursor-default items-center gap-2 border-t border-border px-5 text-left text-13 outline-offset-[-2px] hover:bg-hover touch:min-h-11"
        >
          Use
          <code className="min-w-0 truncate rounded-mark bg-selected px-1 text-12">{typed}</code>
          <span className="text-text-muted">as it is, by {picker.idName}</span>
        </button>
      )}
    </>
  );
}

interface VoiceFiltersProps {
  voices: readonly VoiceInfo[];
  query: VoiceQuery;
  onChange: (change: Partial<VoiceQuery>) => void;
}

/** Narrows voices to a language and a sex, where they differ in it. */
function VoiceFilters({ voices, query, onChange }: VoiceFiltersProps) {
  const { languages, sexes } = useMemo(() => voiceFilters(voices), [voices]);
  return (
    <>
      {languages.length > 1 && (
        <Select
          label="Language"
          options={[
            { value: null, label: 'Any language' },
            ...languages.map(({ code, name }) => ({ value: code, label: name })),
          ]}
          value={query.language}
          onChange={(language) => onChange({ language })}
          className="w-40 touch:min-w-40 touch:flex-1"
        />
      )}
      {sexes.length > 1 && (
        <Select
          label="Sex"
          options={[{ value: null, label: 'Any sex' }, ...sexes.map((sex) => ({ value: sex, label: sex }))]}
          value={query.sex}
          onChange={(sex) => onChange({ sex })}
          className="w-28"
        />
      )}
    </>
  );
}

const PLACEHOLDERS = ['a', 'b', 'c', 'd', 'e', 'f'];

const Skeleton = ({ isList }: { isList: boolean }) => (
  <div role="status" className={isList ? 'flex flex-col gap-2 p-5' : 'voice-grid'}>
    <span className="sr-only">Reading the voices…</span>
    {PLACEHOLDERS.map((key) => (
      <span key={key} aria-hidden className={cx('rounded-panel bg-hover', isList ? 'h-12' : 'h-38')} />
    ))}
  </div>
);
