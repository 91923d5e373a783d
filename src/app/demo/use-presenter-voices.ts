import { useCallback, useMemo } from 'react';
import { endpointOf } from '#protocol/registry.ts';
import { selectPlaylist, usePlaylists } from '../playlist/playlist-store.ts';
import { type SpeakerLook, useCast } from '../session-client/provider.tsx';
import { useCatalogueSource, useVoices } from '../settings/voices/use-catalogue.ts';
import {
  presenterVoices,
  speaksWith,
  type VoiceOption,
  voiceOptions,
} from '../settings/voices/voice-options.ts';
import { selectDescriptions, selectFavourites, useFavourites } from '../stores/favourites-store.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { HUES } from '../ui/voice-hue.ts';
import { usePlaylistRunner, useRunState } from './playlist-context.tsx';

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
  const settings = item?.settings ?? pageSettings;
  const cards = useMemo(
    () =>
      endpoint.contexts
        ? []
        : presenterVoices(voiceOptions(endpoint, voices.items, descriptions), favourites, endpoint, settings),
    [endpoint, voices.items, descriptions, favourites, settings],
  );
  const own = cards.find((card) => speaksWith(card, settings)) ?? null;
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
