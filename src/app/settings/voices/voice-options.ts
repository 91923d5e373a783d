import { languageName } from '#lib/languages.ts';
import type { DictionaryInfo, VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Endpoint, EndpointId, Settings } from '#protocol/core/endpoint.ts';
import {
  type IdForm,
  idOf,
  languageSetting,
  type Setting,
  settingOfKind,
  speakerSettings,
} from '#protocol/core/settings.ts';
import { voiceHue } from '../../ui/voice-hue.ts';

/** A voice to press: one of the catalogue, or a description in words. */
export interface VoiceOption {
  endpoint: EndpointId;
  /** Names the voice among those of its vendor, also in the stored favourites. */
  key: string;
  name: string;
  hue: number;
  /** Null for a description. */
  voice: VoiceInfo | null;
  /** The changed fields that set the voice; an undefined one is no longer sent. Of a context where the endpoint has several. */
  settings: Settings;
}

/** Returns the voices of an endpoint: those of the catalogue, then its descriptions and those of the person. */
export function voiceOptions(
  endpoint: Endpoint,
  voices: readonly VoiceInfo[],
  descriptions: readonly string[] = [],
): VoiceOption[] {
  const settings = speakerSettings(endpoint);
  const byVoice = settingOfKind(settings, 'voice');
  const byWords = settingOfKind(settings, 'description');
  const unsetWords: Settings = byWords ? { [byWords.field]: undefined } : {};
  const unsetVoice: Settings = byVoice && byWords ? settingChange(byVoice, undefined, []) : {};
  const words = byWords ? [...new Set([...byWords.control.samples, ...descriptions])] : [];
  return [
    ...words.map((text) => ({
      endpoint: endpoint.id,
      key: text,
      name: text,
      hue: voiceHue(text),
      voice: null,
      settings: { ...unsetVoice, [byWords?.field ?? '']: text },
    })),
    ...(byVoice
      ? voices.map((voice) => ({
          endpoint: endpoint.id,
          key: voice.id,
          name: voice.name,
          hue: voiceHue(voice.id),
          voice,
          settings: { ...unsetWords, ...settingChange(byVoice, voice.id, voices) },
        }))
      : []),
  ];
}

/** Whether these settings speak with a voice. */
export const speaksWith = ({ settings: fields }: VoiceOption, settings: Settings): boolean =>
  Object.entries(fields).every(([field, value]) => idOf(settings[field]) === idOf(value));

/** Most voices that have a number key. */
const MAX_CARDS = 9;

/** Returns the voices for the presenter: favourites first, then those of the language in use, and the voice in use among them. */
export function presenterVoices(
  choices: readonly VoiceOption[],
  favourites: readonly string[],
  endpoint: Pick<Endpoint, 'languageValue' | 'settings'>,
  inUse: Settings,
): VoiceOption[] {
  const field = languageSetting(endpoint.settings)?.field;
  const language = field && inUse[field];
  const isInUse = (code: string | undefined): boolean =>
    language === undefined || (code !== undefined && endpoint.languageValue(code) === language);
  const liked = choices.filter(({ key }) => favourites.includes(key));
  const first = choices.filter(({ voice }) => voice === null || isInUse(voice.languages[0]));
  const also = choices.filter(({ voice }) => voice?.languages.some(isInUse));
  const shown = [...new Set([...liked, ...first, ...also])].slice(0, MAX_CARDS);
  const current = choices.find((choice) => speaksWith(choice, inUse));
  return current && !shown.includes(current) ? [current, ...shown.slice(0, MAX_CARDS - 1)] : shown;
}

/** Returns the voice that a value in settings chooses. */
export const voiceOfValue = <V extends Pick<VoiceInfo, 'id'>>(
  voices: readonly V[],
  value: unknown,
): V | undefined => voices.find(({ id }) => id === idOf(value));

/**
 * Returns the changed fields that set `setting`. A voice also sets fields of its own and unsets the previous ones.
 * Chosen dictionaries set the fields that they need.
 * @param value of the wire, or ids of the catalogue
 */
export function settingChange(
  { field, control }: Setting,
  value: unknown,
  voices: readonly Pick<VoiceInfo, 'id' | 'settings'>[],
  dictionaries: readonly DictionaryInfo[] = [],
): Settings {
  if (control.kind === 'dictionaries') {
    if (!Array.isArray(value)) return { [field]: value };
    const chosen = dictionaries.filter(({ id }) => value.some((each) => idOf(each) === id));
    const values = value.map((each) => inSettings(control.ids, each));
    return Object.assign({ [field]: values }, ...chosen.map(({ settings }) => settings));
  }
  if (control.kind !== 'voice') return { [field]: value };
  const unset = Object.fromEntries(control.brings.map((brought) => [brought, undefined] as const));
  return { [field]: inSettings(control.ids, value), ...unset, ...voiceOfValue(voices, value)?.settings };
}

const inSettings = ({ toValue }: IdForm, id: unknown): unknown => (typeof id === 'string' ? toValue(id) : id);

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const wordsOf = (text: string): string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];

export interface VoiceQuery {
  text: string;
  /** Null: any. */
  language: string | null;
  sex: string | null;
  onlyFavourites: boolean;
}

export const ANY_VOICE: VoiceQuery = { text: '', language: null, sex: null, onlyFavourites: false };

/**
 * Returns the voices that fit every word of the query and all filters, best first; equals keep their order. Without words
 * favourites lead. Traits match from the start of a word, so that `male` does not find `female`. A description has neither
 * language nor sex.
 */
export function searchVoices(
  choices: readonly VoiceOption[],
  { text, language, sex, onlyFavourites }: VoiceQuery,
  favourites: readonly string[],
): VoiceOption[] {
  const terms = folded(text).split(/\s+/).filter(Boolean);
  const liked = new Set(favourites);
  return choices
    .filter(({ key }) => !onlyFavourites || liked.has(key))
    .filter(({ voice }) => language === null || voice?.languages.includes(language))
    .filter(({ voice }) => sex === null || voice?.sex === sex)
    .map((choice) => ({
      choice,
      score: terms.length === 0 ? Number(liked.has(choice.key)) : scoreOf(choice, terms),
    }))
    .filter(({ score }) => score !== null)
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map(({ choice }) => choice);
}

function scoreOf({ key, name: title, voice }: VoiceOption, terms: readonly string[]): number | null {
  const name = folded(title);
  const nameWords = wordsOf(title);
  const id = folded(key);
  const traits = [
    voice?.sex ?? '',
    voice?.age ?? '',
    ...(voice?.languages ?? []).flatMap((code) => [code, languageName(code) ?? '']),
  ].flatMap(wordsOf);
  const description = wordsOf(voice?.description ?? '');
  const startsIn = (words: readonly string[]) => (term: string) =>
    words.some((word) => word.startsWith(term));
  const places: readonly [score: number, has: (term: string) => boolean][] = [
    [100, (term) => name === term || id === term],
    [60, startsIn([name])],
    [40, startsIn(nameWords)],
    [30, startsIn([id])],
    [20, startsIn(traits)],
    [10, (term) => name.includes(term)],
    [5, startsIn(description)],
  ];
  let total = 0;
  for (const term of terms) {
    const place = places.find(([, has]) => has(term));
    if (!place) return null;
    total += place[0];
  }
  return total;
}

export function voiceFilters(voices: readonly VoiceInfo[]): {
  languages: { code: string; name: string }[];
  sexes: string[];
} {
  const codes = [...new Set(voices.flatMap((voice) => voice.languages))];
  return {
    languages: codes
      .map((code) => ({ code, name: languageName(code) ?? code }))
      .sort((a, b) => a.name.localeCompare(b.name, 'en')),
    sexes: [...new Set(voices.flatMap((voice) => (voice.sex === null ? [] : [voice.sex])))].sort(),
  };
}

/** Reads a typed id, a single word; null for anything else. */
export function typedVoice(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' || /\s/.test(trimmed) ? null : trimmed;
}

/** Formats `female · English, German +2`. */
export function voiceTraits(
  { sex, languages }: Pick<VoiceInfo, 'sex' | 'languages'>,
  maxLanguages = 3,
): string {
  const shown = languages.slice(0, maxLanguages).map((code) => languageName(code) ?? code);
  const more = languages.length - maxLanguages;
  const named = `${shown.join(', ')}${more > 0 ? ` +${more}` : ''}`;
  return [sex, named].filter((part) => part !== null && part !== '').join(' · ');
}
