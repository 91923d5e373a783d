import { remember } from '#lib/remember.ts';
import { z } from '#protocol/core/zod.ts';
import type { GenerationConfig } from '#protocol/kugel/wire/client-frames.ts';
import { PROJECT_ID } from '#protocol/kugel/wire/generation.ts';
import type { Pronunciation } from '../../speech/engine.ts';
import type { DocumentKind } from '../../state/state.ts';
import { countsIds, idFrom, LAST_ID } from './ids.ts';
import { seedDictionaries } from './seed-dictionaries.ts';

export const MAX_DICTIONARIES = 200;
/** Entries of all dictionaries. They cross to the engine's threads with every chunk: 10 ms for this many. */
export const MAX_ENTRIES = 10_000;
/** Selections whose pronunciations are kept, so that waiting turns share them. */
const MAX_SELECTIONS = 32;

/** Rows have the vendor's names (`facts 5`). */
const entrySchema = z.object({
  id: idFrom(1),
  word: z.string(),
  replacement: z.string(),
  /** Null: none. */
  ipa: z.nullable(z.string()),
  case_sensitive: z.boolean(),
  /** ISO 8601. */
  created_at: z.string(),
  updated_at: z.string(),
});

const dictionarySchema = z.object({
  id: idFrom(1),
  name: z.string(),
  description: z.nullable(z.string()),
  /** A tag such as `de` or `de-DE`. Null: any language. */
  language: z.nullable(z.string()),
  /** Applies to requests that name no dictionary. */
  is_active: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
  /** In order of creation. */
  entries: z.readonly(z.array(entrySchema)),
});

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
export type DictionaryEntry = Readonly<z.infer<typeof entrySchema>>;
/** A pronunciation dictionary of the local server. */
export type Dictionary = Readonly<z.infer<typeof dictionarySchema>>;
export type DictionaryFields = Pick<Dictionary, 'name' | 'description' | 'language' | 'is_active'>;
export type EntryFields = Pick<DictionaryEntry, 'word' | 'replacement' | 'ipa' | 'case_sensitive'>;

/** The vendor writes the offset, which older Pythons need. */
const now = (): string => new Date().toISOString().replace('Z', '+00:00');

const applies = (dictionary: Dictionary, language: string): boolean =>
  dictionary.is_active &&
  (dictionary.language === null || dictionary.language.toLowerCase().split('-')[0] === language);

/** The dictionaries of the account. Names and, in a dictionary, words are unique. */
export class DictionaryStore {
  /** By id, in order of creation. */
  readonly #dictionaries: Map<number, Dictionary>;
  #lastId: number;
  #lastEntryId: number;
  /** By selection, least recently used first. */
  readonly #pronunciations = new Map<string, readonly Pronunciation[]>();

  constructor({ last_id, last_entry_id, dictionaries }: Content) {
    this.#lastId = last_id;
    this.#lastEntryId = last_entry_id;
    this.#dictionaries = new Map(dictionaries.map((dictionary) => [dictionary.id, dictionary]));
  }

  get content(): Content {
    return { last_id: this.#lastId, last_entry_id: this.#lastEntryId, dictionaries: this.all };
  }

  /** In order of creation. */
  get all(): readonly Dictionary[] {
    return [...this.#dictionaries.values()];
  }

  /** Number of entries that can still be added, to any dictionary. */
  get entriesLeft(): number {
    const room = this.all.reduce((left, { entries }) => left - entries.length, MAX_ENTRIES);
    return Math.min(room, LAST_ID - this.#lastEntryId);
  }

  get isFull(): boolean {
    return this.#dictionaries.size >= MAX_DICTIONARIES || this.#lastId >= LAST_ID;
  }

  find(id: number): Dictionary | undefined {
    return this.#dictionaries.get(id);
  }

  named(name: string): Dictionary | undefined {
    return this.all.find((dictionary) => dictionary.name === name);
  }

  create(fields: DictionaryFields): Dictionary {
    this.#lastId += 1;
    const created_at = now();
    return this.#put({ ...fields, id: this.#lastId, created_at, updated_at: created_at, entries: [] });
  }

  update(dictionary: Dictionary, fields: DictionaryFields): Dictionary {
    return this.#put({ ...dictionary, ...fields, updated_at: now() });
  }

  delete(dictionary: Dictionary): void {
    this.#dictionaries.delete(dictionary.id);
    this.#changed();
  }

  addEntry(dictionary: Dictionary, fields: EntryFields): DictionaryEntry {
    const entry = this.#newEntry(fields, now());
    this.#put({ ...dictionary, entries: [...dictionary.entries, entry] });
    return entry;
  }

  updateEntry(dictionary: Dictionary, entry: DictionaryEntry, fields: EntryFields): DictionaryEntry {
    const updated = { ...entry, ...fields, updated_at: now() };
    const entries = dictionary.entries.map((each) => (each.id === entry.id ? updated : each));
    this.#put({ ...dictionary, entries });
    return updated;
  }

  deleteEntry(dictionary: Dictionary, entry: DictionaryEntry): void {
    this.#put({ ...dictionary, entries: dictionary.entries.filter(({ id }) => id !== entry.id) });
  }

  /** Updates entries by their word, adds new ones and deletes the rest. @returns the number of deleted entries */
  replaceEntries(dictionary: Dictionary, all: readonly EntryFields[]): number {
    const updated_at = now();
    const fieldsByWord = new Map(all.map((fields) => [fields.word, fields]));
    const kept = dictionary.entries.flatMap((entry) => {
      const fields = fieldsByWord.get(entry.word);
      fieldsByWord.delete(entry.word);
      return fields ? [{ ...entry, ...fields, updated_at }] : [];
    });
    const added = [...fieldsByWord.values()].map((fields) => this.#newEntry(fields, updated_at));
    this.#put({ ...dictionary, entries: [...kept, ...added] });
    return dictionary.entries.length - kept.length;
  }

  /** Ids that match no dictionary. */
  unknown(ids: readonly number[]): number[] {
    return ids.filter((id) => !this.#dictionaries.has(id));
  }

  /**
   * Pronunciations of a turn: the chosen dictionaries, or the active ones of its language (seed). None where the turn
   * does not name their project (`facts 1.4`).
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

  #newEntry(fields: EntryFields, created_at: string): DictionaryEntry {
    this.#lastEntryId += 1;
    return { ...fields, id: this.#lastEntryId, created_at, updated_at: created_at };
  }

  #put(dictionary: Dictionary): Dictionary {
    this.#dictionaries.set(dictionary.id, dictionary);
    this.#changed();
    return dictionary;
  }

  #changed(): void {
    this.#pronunciations.clear();
  }
}

export const ACCOUNT_DICTIONARIES: DocumentKind<Content, DictionaryStore> = {
  name: 'kugel_dictionaries',
  schema: contentSchema,
  open: (content) => new DictionaryStore(content ?? seedDictionaries()),
  contentOf: ({ content }) => content,
};
