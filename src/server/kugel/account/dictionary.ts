import { z } from '#protocol/core/zod.ts';
import { holderSchema } from '../../state/shares.ts';
import { idFrom } from './rows.ts';

/** Rows have the vendor's names (`facts 5`). */
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
