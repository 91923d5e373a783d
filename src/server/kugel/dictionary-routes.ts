import { json, type Rest } from '../rest.ts';
import type { Dictionary, DictionaryStore } from './dictionaries.ts';

/** Dictionaries in the vendor's shapes (`facts 5`). */
export function dictionaryRoutes(rest: Rest, dictionaries: DictionaryStore): void {
  rest.get('/v1/dictionaries', (c) => json(c, { dictionaries: dictionaries.all.map(dictionaryObject) }));
}

const dictionaryObject = ({ id, name, description, language, isActive, entries }: Dictionary) => ({
  id,
  name,
  description,
  language,
  is_active: isActive,
  entry_count: entries.length,
});
