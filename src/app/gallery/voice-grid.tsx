import { type KeyboardEvent, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { VoiceOption } from '../settings/voices/voice-options.ts';
import { toggleFavourite } from '../stores/favourites-store.ts';
import { Button } from '../ui/button.tsx';
import { gridStep } from './gallery-search.ts';
import type { SamplerState, VoiceSampler } from './voice-sampler.ts';
import { VoiceTile } from './voice-tile.tsx';

/** Cards at first, and with each press, because thousands would slow the page. */
const PAGE = 60;

interface VoiceGridProps {
  choices: readonly VoiceOption[];
  favourites: readonly string[];
  vendor: string;
  isInUse: (choice: VoiceOption) => boolean;
  ownDescriptions: readonly string[];
  sampler: VoiceSampler | null;
  onSay: (choice: VoiceOption) => void;
}

const NOBODY: SamplerState = { choice: null, phase: 'silent', waits: new Map() };

/** Subscribes to nothing, while there is no session. */
const NO_STORE = { getState: () => NOBODY, getInitialState: () => NOBODY, subscribe: () => () => undefined };

/** The cards. Arrow keys move between them, Enter plays, F keeps as a favourite. */
export function VoiceGrid(props: VoiceGridProps) {
  const { choices, favourites, vendor, isInUse, ownDescriptions, sampler, onSay } = props;
  const grid = useRef<HTMLUListElement>(null);
  const [wanted, setWanted] = useState(PAGE);
  const [stop, setStop] = useState<string | null>(null);
  const { choice: said, phase, waits } = useStore(sampler?.store ?? NO_STORE);
  const shown = choices.slice(0, wanted);
  // One card is in the tab order.
  const stopKey = shown.some(({ key }) => key === stop) ? stop : shown[0]?.key;
  const press = (event: KeyboardEvent, choice: VoiceOption, at: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.toLowerCase() === 'f') toggleFavourite(vendor, choice.key);
    else if (event.key === 'Escape' && phase !== 'silent') sampler?.stop();
    else {
      const to = gridStep(event.key, at, shown.length, columnsOf(grid.current));
      if (to === null) return;
      grid.current?.querySelectorAll<HTMLElement>('[data-tile]')[to]?.focus();
    }
    event.preventDefault();
  };
  return (
    <>
      <ul ref={grid} aria-label="Voices" className="voice-grid">
        {shown.map((choice, at) => (
          <VoiceTile
            key={choice.key}
            choice={choice}
            phase={said?.key === choice.key ? phase : 'silent'}
            waitMs={waits.get(choice.key) ?? null}
            isFavourite={favourites.includes(choice.key)}
            isInUse={isInUse(choice)}
            isOwn={choice.voice === null && ownDescriptions.includes(choice.key)}
            vendor={vendor}
            isStop={choice.key === stopKey}
            onFocus={() => setStop(choice.key)}
            onKeyDown={(event) => press(event, choice, at)}
            onPress={() => {
              if (said?.key === choice.key && phase !== 'silent') sampler?.stop();
              else onSay(choice);
            }}
          />
        ))}
      </ul>
      {choices.length > wanted && (
        <Button className="self-center" onClick={() => setWanted(wanted + PAGE)}>
          Show {Math.min(PAGE, choices.length - wanted)} more
        </Button>
      )}
    </>
  );
}

const columnsOf = (grid: HTMLElement | null): number =>
  grid ? getComputedStyle(grid).gridTemplateColumns.split(' ').length : 1;
