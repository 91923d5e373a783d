import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import type { VoiceOption } from '../settings/voices/voice-options.ts';
import { searchVoices, type VoiceQuery } from '../settings/voices/voice-search.ts';

export interface GalleryQuery extends VoiceQuery {
  onlyFavourites: boolean;
}

/**
 * Returns the voices that fit, best first; without words favourites lead. A description is found by its words, and has
 * neither language nor sex.
 */
export function searchGallery(
  choices: readonly VoiceOption[],
  { onlyFavourites, ...query }: GalleryQuery,
  favourites: readonly string[],
): VoiceOption[] {
  const liked = new Set(favourites);
  const wanted = onlyFavourites ? choices.filter(({ key }) => liked.has(key)) : choices;
  const ofVoice = new Map(
    wanted.flatMap((choice) => (choice.voice ? [[choice.voice, choice] as const] : [])),
  );
  const hasFilter = query.language !== null || query.sex !== null;
  const described = hasFilter ? [] : wanted.filter(({ voice }) => voice === null);
  const found = [
    ...searchVoices(described.map(asVoice), { ...query, language: null, sex: null }).flatMap(
      ({ id }) => described.find(({ key }) => key === id) ?? [],
    ),
    ...searchVoices([...ofVoice.keys()], query).flatMap((voice) => ofVoice.get(voice) ?? []),
  ];
  if (query.text.trim() !== '') return found;
  const isLiked = ({ key }: VoiceOption): boolean => liked.has(key);
  return [...found.filter(isLiked), ...found.filter((choice) => !isLiked(choice))];
}

const asVoice = ({ key, name }: VoiceOption): VoiceInfo => ({
  id: key,
  name,
  description: name,
  sex: null,
  age: null,
  languages: [],
  sampleUrl: null,
});

/** Returns the place that a key leads to from a card of a grid; null for another key, and at the edge. */
export function gridStep(key: string, at: number, count: number, columns: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined || to === at || to < 0 || to >= count ? null : to;
}
