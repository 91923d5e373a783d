import { languageName } from '#lib/languages.ts';
import type { DictionaryInfo, VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import { type IdForm, idOf, type Setting } from '#protocol/core/settings.ts';

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const wordsOf = (text: string): string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];

export interface VoiceQuery {
  text: string;
  /** Null: any. */
  language: string | null;
  sex: string | null;
}

/**
 * Returns the voices that fit every word of the query and both filters, best first; equals keep their order. Traits match
 * from the start of a word, so that `male` does not find `female`.
 */
export function searchVoices(voices: readonly VoiceInfo[], query: VoiceQuery): VoiceInfo[] {
  const terms = folded(query.text).split(/\s+/).filter(Boolean);
  return voices
    .filter((voice) => query.language === null || voice.languages.includes(query.language))
    .filter((voice) => query.sex === null || voice.sex === query.sex)
    .map((voice) => ({ voice, score: scoreOf(voice, terms) }))
    .filter((entry) => entry.score !== null)
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map((entry) => entry.voice);
}

function scoreOf(voice: VoiceInfo, terms: readonly string[]): number | null {
  const name = folded(voice.name);
  const nameWords = wordsOf(voice.name);
  const id = folded(voice.id);
  const traits = [
    voice.sex ?? '',
    voice.age ?? '',
    ...voice.languages.flatMap((code) => [code, languageName(code) ?? '']),
  ].flatMap(wordsOf);
  const description = wordsOf(voice.description);
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

/** Reads a typed id, a single word; null for anything else. */
export function typedVoice(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' || /\s/.test(trimmed) ? null : trimmed;
}

/** Formats `female · en, de, fr +2`. */
export function voiceTraits(voice: VoiceInfo, maxLanguages = 4): string {
  const shown = voice.languages.slice(0, maxLanguages).join(', ');
  const more = voice.languages.length - maxLanguages;
  const languages = more > 0 ? `${shown} +${more}` : shown;
  return [voice.sex, languages].filter((part) => part !== null && part !== '').join(' · ');
}
