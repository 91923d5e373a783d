import { useCallback, useMemo } from 'react';
import { endpointOf } from '#protocol/registry.ts';
import { selectProgramme, useProgrammes } from '../programme/programme-store.ts';
import { type SpeakerLook, useCast } from '../session-client/provider.tsx';
import { useCatalogueSource, useVoices } from '../settings/voices/use-catalogue.ts';
import { speaksWith, stageVoices, type VoiceOption, voiceOptions } from '../settings/voices/voice-options.ts';
import { selectDescriptions, selectFavourites, useFavourites } from '../stores/favourites-store.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { HUES } from '../ui/voice-hue.ts';
import { useStage, useStageState } from './stage-context.tsx';

export interface StageVoices {
  /** The cast of a scene; empty where a single voice speaks. */
  speakers: readonly SpeakerLook[];
  cards: readonly VoiceOption[];
  /** The voice of the next turn. */
  current: VoiceOption | null;
  /** Replaces the voices of the programme. */
  replacing: VoiceOption | null;
  choose: (choice: VoiceOption | null) => void;
}

/** Returns the voices of the stage. A scene has no cards, because a context keeps its voice to its end. */
export function useStageVoices(): StageVoices {
  const stage = useStage();
  const replacing = useStageState((state) => state.voice);
  const at = useStageState((state) => state.run.at);
  const item = useProgrammes((state) => selectProgramme(state)?.items[at] ?? null);
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
        : stageVoices(voiceOptions(endpoint, voices.items, descriptions), favourites, endpoint, settings),
    [endpoint, voices.items, descriptions, favourites, settings],
  );
  const own = cards.find((card) => speaksWith(card, settings)) ?? null;
  const replaced = cards.find(({ key }) => key === replacing?.key) ?? null;
  const choose = useCallback(
    (choice: VoiceOption | null) => {
      const isSame = choice !== null && choice.key === stage.store.getState().voice?.key;
      stage.chooseVoice(isSame ? null : choice);
    },
    [stage],
  );
  const cast = useCast();
  const speakers = useMemo(
    () => item?.cast.map(({ name }, place) => ({ name, hue: (place % HUES) + 1 })) ?? cast,
    [item, cast],
  );
  return { speakers, cards, current: replaced ?? own, replacing: replaced, choose };
}
