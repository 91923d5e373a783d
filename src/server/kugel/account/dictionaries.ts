import { remember } from '#lib/collections/maps.ts';
import { shown } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import type { GenerationConfig } from '#protocol/kugel/wire/client-frames.ts';
import { PROJECT_ID } from '#protocol/kugel/wire/settings.ts';
import type { Pronunciation } from '../../speech/engine.ts';
import { holderOf, holderSchema, OWN_PEER, type Peer, rowsInTheWay } from '../../state/shares.ts';
import type { DocumentKind } from '../../state/state.ts';
import { invalid, refused } from '../access.ts';
import { type Changes, changed, countsIds, idFrom, LAST_ID, rowNamed, withoutRow, withRow } from './rows.ts';

/** Rows have the vendor's names. */
const entrySchema = z.object({
  id: idFrom(1),
  word: z.string(),
  replacement: z.string(),
  /** Null: none. */
  ipa: z.nullable(z.string()),
  case_sensitive: z.boolean(),
  holder: holderSchema,
  /** ISO 8601. */
  created_at: z.string(),
  updated_at: z.string(),
});

export const dictionarySchema = z.object({
  id: idFrom(1),
  name: z.string(),
  description: z.nullable(z.string()),
  /** A tag such as `de` or `de-DE`. Null: any language. */
  language: z.nullable(z.string()),
  /** Applies to requests that name no dictionary. */
  is_active: z.boolean(),
  holder: holderSchema,
  created_at: z.string(),
  updated_at: z.string(),
  /** In order of creation. */
  entries: z.readonly(z.array(entrySchema)),
});

export type DictionaryEntry = Readonly<z.infer<typeof entrySchema>>;
/** A pronunciation dictionary of the local server. */
export type Dictionary = Readonly<z.infer<typeof dictionarySchema>>;
export type DictionaryFields = Pick<Dictionary, 'name' | 'description' | 'language' | 'is_active'>;
export type EntryFields = Pick<DictionaryEntry, 'word' | 'replacement' | 'ipa' | 'case_sensitive'>;

const LIMITS = { ofOne: 200, ofAll: 400 };
/** Entries of all dictionaries. They cross to the engine's threads with every chunk: 10 ms for this many. */
export const MAX_ENTRIES = 10_000;
/** Selections whose pronunciations are kept, so that waiting turns share them. */
const MAX_SELECTIONS = 32;

const contentSchema = z
  .object({
    /** Ids are never used twice. */
    last_id: idFrom(0),
    last_entry_id: idFrom(0),
    dictionaries: z.readonly(z.array(dictionarySchema)),
  })
  .check(
    countsIds('last_id', ({ dictionaries }) => dictionaries.map(({ id }) => id)),
    countsIds('last_entry_id', ({ dictionaries }) =>
      dictionaries.flatMap(({ entries }) => entries.map(({ id }) => id)),
    ),
  );

type Content = z.output<typeof contentSchema>;

/** The vendor writes the offset, which older Pythons need. */
const now = (): string => new Date().toISOString().replace('Z', '+00:00');

function createdNow(): Pick<DictionaryEntry, 'created_at' | 'updated_at'> {
  const created_at = now();
  return { created_at, updated_at: created_at };
}

const applies = (dictionary: Dictionary, language: string): boolean =>
  dictionary.is_active &&
  (dictionary.language === null || dictionary.language.toLowerCase().split('-')[0] === language);

/**
 * The dictionaries of the account. Names and, in a dictionary, words are unique. Throws the refusal of a call that names
 * no row, or whose change breaks a rule.
 */
export class DictionaryStore {
  #content: Content;
  /** By selection, least recently used first. */
  readonly #pronunciations = new Map<string, readonly Pronunciation[]>();

  constructor(content: Content) {
    this.#content = content;
  }

  get content(): Content {
    return this.#content;
  }

  /** In order of creation. */
  get all(): readonly Dictionary[] {
    return this.#content.dictionaries;
  }

  find(id: string): Dictionary {
    return rowNamed(id, this.all, { parameter: 'dict_id', what: 'Dictionary' });
  }

  create(fields: DictionaryFields, peer = OWN_PEER): Dictionary {
    this.#refuseTakenName(fields);
    const last_id = this.#content.last_id + 1;
    const held = holderOf(peer);
    const giving = rowsInTheWay(this.all, held, 1, LIMITS);
    if (giving === null || last_id > LAST_ID) {
      throw refused(invalid(`expected at most ${LIMITS.ofOne} dictionaries`));
    }
    const dictionaries = this.all.filter((each) => !giving.has(each));
    this.#content = { ...this.#content, last_id, dictionaries };
    return this.#put({ ...fields, id: last_id, ...createdNow(), entries: [], ...held });
  }

  update(id: string, changes: Changes<DictionaryFields>): Dictionary {
    const updated = changed(this.find(id), changes, ['description', 'language']);
    this.#refuseTakenName(updated);
    return this.#put({ ...updated, updated_at: now() });
  }

  delete(id: string): void {
    const dictionaries = withoutRow(this.all, this.find(id));
    this.#content = { ...this.#content, dictionaries };
  }

  addEntry(id: string, fields: EntryFields, peer = OWN_PEER): DictionaryEntry {
    refuseTakenWord(this.find(id), fields);
    this.#makeRoom(1, peer);
    return this.#putEntry(this.find(id), this.#newEntry(fields, peer));
  }

  updateEntry(id: string, entryId: string, changes: Changes<EntryFields>): DictionaryEntry {
    const dictionary = this.find(id);
    const updated = changed(entryOf(dictionary, entryId), changes, ['ipa']);
    refuseTakenWord(dictionary, updated);
    return this.#putEntry(dictionary, { ...updated, updated_at: now() });
  }

  deleteEntry(id: string, entryId: string): void {
    const dictionary = this.find(id);
    const entries = withoutRow(dictionary.entries, entryOf(dictionary, entryId));
    this.#put({ ...dictionary, entries });
  }

  /** Updates entries by their word, adds new ones and deletes the rest. @returns the number of deleted entries */
  replaceEntries(id: string, all: readonly EntryFields[], peer = OWN_PEER): number {
    const dictionary = this.find(id);
    const added = new Map<string, EntryFields>();
    for (const [index, fields] of all.entries()) {
      if (added.has(fields.word)) {
        const got = `${shown(fields.word)} again`;
        throw refused(invalid(`entries.${index}.word: expected each word once, got ${got}`));
      }
      added.set(fields.word, fields);
    }
    const updated_at = now();
    const kept = dictionary.entries.flatMap((entry) => {
      const fields = added.get(entry.word);
      added.delete(entry.word);
      return fields ? [{ ...entry, ...fields, updated_at }] : [];
    });
    this.#put({ ...dictionary, entries: kept });
    this.#makeRoom(added.size, peer);
    const entries = [...added.values()].map((fields) => this.#newEntry(fields, peer));
    const left = this.find(id);
    this.#put({ ...left, entries: [...left.entries, ...entries] });
    return dictionary.entries.length - kept.length;
  }

  /** Ids that match no dictionary. */
  unknown(ids: readonly number[]): number[] {
    return ids.filter((id) => !this.all.some((each) => each.id === id));
  }

  /**
   * Pronunciations of a turn: the chosen dictionaries, or the active ones of its language. None where the turn
   * does not name their project (kugel-text-9).
   */
  pronunciations(
    { dictionary_ids: ids, project_id: project }: Pick<GenerationConfig, 'dictionary_ids' | 'project_id'>,
    language: string,
  ): readonly Pronunciation[] {
    if (project !== PROJECT_ID) return [];
    const selection = ids ? [...new Set(ids)].sort((a, b) => a - b).join() : language;
    const found =
      this.#pronunciations.get(selection) ??
      this.all
        .filter((dictionary) => (ids ? ids.includes(dictionary.id) : applies(dictionary, language)))
        .flatMap(({ entries }) => entries)
        .map(({ word, replacement, ipa, case_sensitive }) => ({
          word,
          replacement,
          ipa,
          caseSensitive: case_sensitive,
        }));
    remember(this.#pronunciations, selection, found, MAX_SELECTIONS);
    return found;
  }

  #put(dictionary: Dictionary): Dictionary {
    this.#content = { ...this.#content, dictionaries: withRow(this.all, dictionary) };
    return dictionary;
  }

  #putEntry(dictionary: Dictionary, entry: DictionaryEntry): DictionaryEntry {
    this.#put({ ...dictionary, entries: withRow(dictionary.entries, entry) });
    return entry;
  }

  #newEntry(fields: EntryFields, peer: Peer): DictionaryEntry {
    const last_entry_id = this.#content.last_entry_id + 1;
    this.#content = { ...this.#content, last_entry_id };
    return { ...fields, id: last_entry_id, ...createdNow(), ...holderOf(peer) };
  }

  #refuseTakenName({ name, id }: { name: string; id?: number }): void {
    if (!this.all.some((each) => each.name === name && each.id !== id)) return;
    throw refused(invalid(`name: expected a name that no other dictionary has, got ${shown(name)}`));
  }

  /** Removes entries that give way to so many further ones. */
  #makeRoom(added: number, peer: Peer): void {
    const rows = this.all.flatMap(({ entries }) => entries);
    const isWithinIds = added <= LAST_ID - this.#content.last_entry_id;
    const limits = { ofOne: MAX_ENTRIES, ofAll: MAX_ENTRIES };
    const giving = isWithinIds ? rowsInTheWay(rows, holderOf(peer), added, limits) : null;
    if (giving === null)
      throw refused(invalid(`expected at most ${MAX_ENTRIES} entries in all dictionaries`));
    if (giving.size === 0) return;
    const dictionaries = this.all.map((dictionary) => ({
      ...dictionary,
      entries: dictionary.entries.filter((entry) => !giving.has(entry)),
    }));
    this.#content = { ...this.#content, dictionaries };
  }
}

const entryOf = ({ entries }: Dictionary, id: string): DictionaryEntry =>
  rowNamed(id, entries, { parameter: 'entry_id', what: 'Entry' });

function refuseTakenWord({ entries }: Dictionary, { word, id }: { word: string; id?: number }): void {
  const other = entries.find((each) => each.word === word && each.id !== id);
  if (!other) return;
  throw refused(invalid(`word: expected a word that no other entry has, got that of entry ${other.id}`));
}

export const ACCOUNT_DICTIONARIES: DocumentKind<Content, DictionaryStore> = {
  name: 'kugel_dictionaries',
  schema: contentSchema,
  open: (content) => new DictionaryStore(content ?? seedDictionaries()),
  contentOf: ({ content }) => content,
};

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
function seedDictionaries() {
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
