import type { Pronunciation } from '../speech/engine.ts';

/** A pronunciation dictionary of the local server. */
export interface Dictionary {
  id: number;
  name: string;
  description: string;
  /** Null: any language. */
  language: string | null;
  /** Applies to requests that name no dictionary. */
  isActive: boolean;
  entries: readonly Pronunciation[];
}

const entry = (word: string, replacement: string, caseSensitive = false): Pronunciation => ({
  word,
  replacement,
  caseSensitive,
});

const DICTIONARIES: readonly Dictionary[] = [
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

/** The dictionaries of the account. */
export class DictionaryStore {
  /** In order of creation. */
  readonly all: readonly Dictionary[] = DICTIONARIES;

  /** Ids that match no dictionary. */
  unknown(ids: readonly number[]): number[] {
    return ids.filter((id) => !this.all.some((dictionary) => dictionary.id === id));
  }

  /** Pronunciations of a turn: the chosen dictionaries, or the active ones of its language (seed). */
  pronunciations(ids: readonly number[] | undefined, language: string): Pronunciation[] {
    const chosen = this.all.filter((dictionary) =>
      ids
        ? ids.includes(dictionary.id)
        : dictionary.isActive && (dictionary.language === null || dictionary.language === language),
    );
    return chosen.flatMap((dictionary) => dictionary.entries);
  }
}
