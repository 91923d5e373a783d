import { Search } from 'lucide-react';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import { Kbd } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Dialog } from '../../ui/popups/dialog.tsx';
import type { SamplePlayer } from './sample-player.ts';
import type { CatalogueList } from './use-catalogue.ts';
import { VoiceFilters } from './voice-filters.tsx';
import { optionId, VoiceList } from './voice-list.tsx';
import { searchVoices, typedVoice, type VoiceQuery, voiceOfValue } from './voice-search.ts';

export interface VoiceDialogProps {
  onClose: () => void;
  list: CatalogueList<VoiceInfo>;
  player: SamplePlayer;
  current: string | null;
  /** As in "the … of a voice". */
  idName: string;
  onChoose: (id: string) => void;
}

const KEYS = [
  ['↑ ↓', 'move'],
  ['Shift Enter', 'listen'],
  ['Enter', 'choose'],
  ['Esc', 'close'],
] as const;

export function VoiceDialog({ onClose, list, player, current, idName, onChoose }: VoiceDialogProps) {
  const search = useRef<HTMLInputElement>(null);
  const listId = useId();
  const [query, setQuery] = useState<VoiceQuery>({ text: '', language: null, sex: null });
  const { text } = query;
  const found = useMemo(() => searchVoices(list.items, query), [list.items, query]);
  // Null until a move: the list starts at the voice in use, or at the best match.
  const [moved, setMoved] = useState<number | null>(null);
  const start =
    text === ''
      ? Math.max(
          0,
          found.findIndex(({ id }) => id === current),
        )
      : 0;
  const active = Math.min(moved ?? start, found.length - 1);
  const activeVoice = found[active];
  const typed = typedVoice(text);
  const offerTyped = typed !== null && voiceOfValue(list.items, typed) === undefined;

  const narrow = (change: Partial<VoiceQuery>) => {
    setQuery((before) => ({ ...before, ...change }));
    setMoved(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = event.key === 'PageDown' || event.key === 'PageUp' ? 6 : 1;
    if (event.key === 'ArrowDown' || event.key === 'PageDown') {
      setMoved(Math.min(found.length - 1, active + page));
    } else if (event.key === 'ArrowUp' || event.key === 'PageUp') {
      setMoved(Math.max(0, active - page));
    } else if (event.key === 'Enter' && event.shiftKey) {
      if (activeVoice?.sampleUrl) player.toggle(activeVoice.sampleUrl);
    } else if (event.key === 'Enter') {
      if (activeVoice) onChoose(activeVoice.id);
      else if (typed !== null) onChoose(typed);
    } else {
      return;
    }
    event.preventDefault();
  };

  return (
    <Dialog
      onClose={onClose}
      title="Choose a voice"
      width="max-w-[560px]"
      flush
      // On a phone, the keyboard would cover the voices.
      {...(matchMedia('(pointer: coarse)').matches ? {} : { initialFocus: search })}
    >
      <div className="flex flex-col gap-2 border-b border-border px-5 py-3">
        <TextField
          ref={search}
          label="Search voices"
          placeholder="Name, number, language or description"
          icon={Search}
          value={text}
          onChange={(next) => narrow({ text: next })}
          onKeyDown={onKeyDown}
          role="combobox"
          aria-expanded
          aria-haspopup="listbox"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={activeVoice ? optionId(listId, active) : undefined}
          autoComplete="off"
          spellCheck={false}
        />
        {list.items.length > 0 && (
          <div className="flex items-center gap-2">
            <VoiceFilters voices={list.items} query={query} onChange={narrow} size="small" />
            <span
              aria-live="polite"
              className="ml-auto text-12 whitespace-nowrap text-text-subtle max-wide:sr-only"
            >
              {found.length === list.items.length
                ? `${found.length} voices`
                : `${found.length} of ${list.items.length} voices`}
            </span>
          </div>
        )}
      </div>

      {list.state === 'failed' && (
        <div className="p-5">
          <Notice
            severity="error"
            title="The voices could not be read."
            remedy={`Or type the ${idName} of a voice above and press Enter.`}
            action={{ label: 'Try again', onPress: list.retry }}
          >
            {list.problem}
          </Notice>
        </div>
      )}
      {list.state === 'unavailable' && (
        <p className="p-5 text-13 text-text-muted">
          Voices are listed once there is a server and a key for it. Or type the {idName} of a voice above and
          press Enter.
        </p>
      )}
      {list.state === 'loading' && <Skeleton />}
      {list.state === 'ready' && found.length === 0 && (
        <p className="p-5 text-13 text-text-muted">
          {list.items.length === 0 ? 'This server offers no voices.' : 'No voice fits all of that.'}
        </p>
      )}
      <VoiceList
        id={listId}
        voices={found}
        active={active}
        current={current}
        player={player}
        onActivate={setMoved}
        onChoose={onChoose}
      />

      {offerTyped && (
        <button
          type="button"
          onClick={() => onChoose(typed)}
          className="flex min-h-10 cursor-default items-center gap-2 border-t border-border px-5 text-left text-13 outline-offset-[-2px] hover:bg-hover touch:min-h-11"
        >
          Use
          <code className="min-w-0 truncate rounded-mark bg-selected px-1 text-12">{typed}</code>
          <span className="text-text-muted">as it is, by {idName}</span>
        </button>
      )}
      <p className="hidden gap-4 border-t border-border px-5 py-2 text-12 text-text-subtle wide:flex">
        {KEYS.map(([keys, does]) => (
          <span key={keys}>
            <Kbd keys={keys} /> {does}
          </span>
        ))}
      </p>
    </Dialog>
  );
}

const PLACEHOLDERS = ['w-24', 'w-32', 'w-20', 'w-28', 'w-16', 'w-36'];

function Skeleton() {
  return (
    <div role="status" className="px-5 py-2">
      <span className="sr-only">Reading the voices…</span>
      {PLACEHOLDERS.map((width) => (
        <div key={width} aria-hidden className="flex h-14 items-center gap-3">
          <span className="size-8 rounded-control bg-selected" />
          <span className="flex flex-col gap-1.5">
            <span className={`h-3 rounded-mark bg-selected ${width}`} />
            <span className="h-2.5 w-44 rounded-mark bg-hover" />
          </span>
        </div>
      ))}
    </div>
  );
}
