import { useCallback, useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { endpointOf } from '#protocol/registry.ts';
import { contextIdOf } from '#text/script.ts';
import { type SpeakerLook, useCast, useSession } from '../session-client/provider.tsx';
import { useCatalogueSource, useVoices } from '../settings/voices/use-catalogue.ts';
import { VoiceMark } from '../settings/voices/voice-mark.tsx';
import {
  presenterVoices,
  speaksWith,
  type VoiceOption,
  voiceOptions,
} from '../settings/voices/voice-options.ts';
import { selectDescriptions, selectFavourites, useFavourites } from '../stores/favourites-store.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { Kbd } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { Switch } from '../ui/switch.tsx';
import { HUES } from '../ui/voice-hue.ts';
import { selectPlaylist, usePlaylists } from './playlist-store.ts';
import { usePlaylistRunner, useRunState } from './presenter-state.ts';

export interface PresenterVoices {
  /** The cast of a scene; empty where a single voice speaks. */
  speakers: readonly SpeakerLook[];
  cards: readonly VoiceOption[];
  /** The voice of the next turn. */
  current: VoiceOption | null;
  /** Replaces the voices of the playlist. */
  replacing: VoiceOption | null;
  choose: (choice: VoiceOption | null) => void;
}

/** Returns the voices of the presenter. A scene has no cards, because a context keeps its voice to its end. */
export function usePresenterVoices(): PresenterVoices {
  const runner = usePlaylistRunner();
  const replacing = useRunState((state) => state.voice);
  const at = useRunState((state) => state.run.at);
  const item = usePlaylists((state) => selectPlaylist(state)?.items[at] ?? null);
  const page = useSettings(selectEndpoint);
  const pageSettings = useSettings(selectSettings);
  const endpoint = item ? endpointOf(item.endpoint) : page;
  const voices = useVoices(endpoint, useCatalogueSource(endpoint));
  const favourites = useFavourites(selectFavourites(endpoint.vendor));
  const descriptions = useFavourites(selectDescriptions(endpoint.vendor));
  const isRecording = item?.recording !== undefined;
  const settings = item && !isRecording ? item.settings : pageSettings;
  const cards = useMemo(
    () =>
      endpoint.contexts
        ? []
        : presenterVoices(voiceOptions(endpoint, voices.items, descriptions), favourites, endpoint, settings),
    [endpoint, voices.items, descriptions, favourites, settings],
  );
  const own = isRecording ? null : (cards.find((card) => speaksWith(card, settings)) ?? null);
  const replaced = cards.find(({ key }) => key === replacing?.key) ?? null;
  const choose = useCallback(
    (choice: VoiceOption | null) => {
      const isSame = choice !== null && choice.key === runner.store.getState().voice?.key;
      runner.chooseVoice(isSame ? null : choice);
    },
    [runner],
  );
  const cast = useCast();
  const speakers = useMemo(
    () => item?.cast.map(({ name }, place) => ({ name, hue: (place % HUES) + 1 })) ?? cast,
    [item, cast],
  );
  return { speakers, cards, current: replaced ?? own, replacing: replaced, choose };
}

const ROW =
  'flex shrink-0 items-center gap-2 overflow-x-auto px-3 pt-2 pb-[max(12px,env(safe-area-inset-bottom))] wide:px-8 wide:pt-3 wide:pb-6';

/** The voices at the foot of the presenter: buttons that switch the voice, or the speakers of a scene. */
export function VoiceCards({ voices }: { voices: PresenterVoices }) {
  const atOnce = usePlaylists((state) => state.switchesAtOnce);
  const { speakers, cards, current, replacing, choose } = voices;
  if (speakers.length > 0) return <CastCards speakers={speakers} />;
  return (
    <section aria-label="Voices" className="flex shrink-0 flex-col max-wide:flex-col-reverse wide:flex-row">
      <div className={cx(ROW, 'fade-right min-h-16 min-w-0 flex-1 pr-11')}>
        {cards.map((card, at) => (
          <VoiceCard
            key={card.key}
            card={card}
            number={at + 1}
            isCurrent={card.key === current?.key}
            isReplacing={card.key === replacing?.key}
            onChoose={() => choose(card)}
          />
        ))}
      </div>
      {cards.length > 1 && (
        <Switch
          checked={atOnce}
          onChange={(next) => usePlaylists.setState({ switchesAtOnce: next })}
          className="mx-3 shrink-0 wide:mr-8 wide:mb-3"
        >
          Switch voices at once
        </Switch>
      )}
    </section>
  );
}

interface VoiceCardProps {
  card: VoiceOption;
  number: number;
  isCurrent: boolean;
  /** The card replaces the voices of the playlist until the next press. */
  isReplacing: boolean;
  onChoose: () => void;
}

function VoiceCard({ card, number, isCurrent, isReplacing, onChoose }: VoiceCardProps) {
  return (
    <button
      type="button"
      aria-pressed={isCurrent}
      aria-keyshortcuts={String(number)}
      data-voice={card.hue}
      onClick={onChoose}
      className={cx(
        'flex h-12 max-w-56 min-w-0 shrink-0 cursor-default items-center gap-2.5 rounded-panel border py-1 pr-3 pl-2 text-left transition-colors duration-100',
        isCurrent ? 'border-voice bg-voice-tint' : 'border-border hover:bg-hover',
      )}
    >
      <VoiceMark hue={card.hue} name={card.name} isDescribed={card.voice === null} />
      <span className="min-w-0">
        <span
          className={cx('block truncate text-13 font-medium', isCurrent ? 'text-text' : 'text-text-muted')}
        >
          {card.name}
        </span>
        {isReplacing && <span className="block text-12 leading-3.5 text-voice">for all items</span>}
      </span>
      <Kbd keys={String(number)} className="text-text-subtle touch:hidden" />
    </button>
  );
}

function CastCards({ speakers }: Pick<PresenterVoices, 'speakers'>) {
  const speaking = useSession(
    useShallow(({ player }) =>
      player.tracks.flatMap(({ context, state }) => (state === 'playing' ? [context] : [])),
    ),
  );
  return (
    <ScrollRegion label="Speakers" className={cx(ROW, 'min-h-16 gap-4 outline-offset-[-2px]')}>
      <ul className="flex gap-2">
        {speakers.map(({ name, hue }) => {
          const isSpeaking = speaking.includes(contextIdOf(name));
          return (
            <li
              key={name}
              data-voice={hue}
              className={cx(
                'flex h-12 shrink-0 items-center gap-2.5 rounded-panel border py-1 pr-3 pl-2 transition-colors duration-100',
                isSpeaking ? 'border-voice bg-voice-tint' : 'border-border',
              )}
            >
              <VoiceMark hue={hue} name={name} />
              <span className={cx('text-13 font-medium', isSpeaking ? 'text-text' : 'text-text-muted')}>
                {name}
              </span>
              {isSpeaking && <span className="text-12 text-live">speaks</span>}
            </li>
          );
        })}
      </ul>
      <p className="shrink-0 text-12 text-text-subtle">The cast of the scene sets these voices.</p>
    </ScrollRegion>
  );
}
