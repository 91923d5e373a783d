import type { Dictionary, EntryFields } from './dictionary.ts';

const CREATED_AT = '2026-09-01T09:00:00+00:00';

const entry = (word: string, replacement: string, case_sensitive = false): EntryFields => ({
  word,
  replacement,
  ipa: null,
  case_sensitive,
});

const SEEDS: readonly (Pick<Dictionary, 'name' | 'description' | 'language' | 'is_active'> & {
  entries: readonly EntryFields[];
})[] = [
  {
    name: 'Tech terms',
    description: 'Names and abbreviations of software, read as developers say them',
    language: 'en',
    is_active: true,
    entries: [
      entry('SQL', 'sequel', true),
      entry('nginx', 'engine x'),
      entry('kubectl', 'cube control'),
      entry('WebSocket', 'web socket'),
      entry('TTFA', 'time to first audio', true),
    ],
  },
  {
    name: 'Technikwörter',
    description: 'Englische Fachwörter in deutschem Text',
    language: 'de',
    is_active: true,
    entries: [entry('Server', 'Sörver'), entry('Update', 'Ap-deht'), entry('WLAN', 'Weh-Lahn', true)],
  },
  {
    name: 'Pirate',
    description: 'Inactive; choose it to hear a dictionary at work',
    language: 'en',
    is_active: false,
    entries: [
      entry('hello', 'ahoy'),
      entry('friend', 'matey'),
      entry('yes', 'aye'),
      entry('my', 'me'),
      entry('you', 'ye'),
    ],
  },
];

/** The dictionaries of a new account. */
export function seedDictionaries() {
  const times = { created_at: CREATED_AT, updated_at: CREATED_AT };
  let lastEntryId = 0;
  const dictionaries = SEEDS.map((seed, index): Dictionary => {
    const entries = seed.entries.map((fields) => {
      lastEntryId += 1;
      return { ...fields, ...times, id: lastEntryId };
    });
    return { ...seed, ...times, id: index + 1, entries };
  });
  return { last_id: dictionaries.length, last_entry_id: lastEntryId, dictionaries };
}
