import type { Pronunciation } from '../speech/engine.ts';

/** A pronunciation dictionary of the local server. */
export interface Dictionary {
  id: number;
  name: string;
  description: string;
  /** The language it is for; null: any. */
  language: string | null;
  /** Whether it applies where a request names none. */
  isActive: boolean;
  entries: readonly Pronunciation[];
}

const entry = (word: string, replacement: string, caseSensitive = false): Pronunciation => ({
  word,
  replacement,
  caseSensitive,
});

export const DICTIONARIES: readonly Dictionary[] = [
  {
    id: 1,
    name: 'Tech terms',
    description: 'Names and abbreviations of software, read as developers say them',
    language: 'en',
    isActive: true,
    entries: [
      entry('SQL', 'sequel', true),
      entry('nginx', 'engine x'),
      entry('kubectl', 'cube control'),
      entry('WebSocket', 'web socket'),
      entry('TTFA', 'time to first audio', true),
    ],
  },
  {
    id: 2,
    name: 'Technikwörter',
    description: 'Englische Fachwörter in deutschem Text',
    language: 'de',
    isActive: true,
    entries: [entry('Server', 'Sörver'), entry('Update', 'Ap-deht'), entry('WLAN', 'Weh-Lahn', true)],
  },
  {
    id: 3,
    name: 'Pirate',
    description: 'Inactive; choose it to hear a dictionary at work',
    language: 'en',
    isActive: false,
    entries: [
      entry('hello', 'ahoy'),
      entry('friend', 'matey'),
      entry('yes', 'aye'),
      entry('my', 'me'),
      entry('you', 'ye'),
    ],
  },
];

/** Ids that no dictionary has. */
export const unknownDictionaries = (ids: readonly number[]): number[] =>
  ids.filter((id) => !DICTIONARIES.some((dictionary) => dictionary.id === id));

/** What applies to a turn: without a selection the active ones of its language, otherwise exactly the chosen (seed). */
export function pronunciationsOf(ids: readonly number[] | undefined, language: string): Pronunciation[] {
  const chosen = DICTIONARIES.filter((dictionary) =>
    ids
      ? ids.includes(dictionary.id)
      : dictionary.isActive && (dictionary.language === null || dictionary.language === language),
  );
  return chosen.flatMap((dictionary) => dictionary.entries);
}
