import { wordList } from '#lib/word-list.ts';

/** Models and languages (`facts-cartesia`, M1, M2). */

/** Offered models. The last two name whichever is the newest. */
export const MODEL_IDS = wordList('sonic-3.6 sonic-3.5 sonic-3 sonic-latest sonic-preview');

export const DEFAULT_MODEL = 'sonic-3.6' satisfies (typeof MODEL_IDS)[number];

const SNAPSHOTS: readonly string[] = ['sonic-3-2026-01-12'];

const RETIRED: readonly string[] = wordList(
  'sonic sonic-english sonic-multilingual sonic-2 sonic-2-2025-03-07 sonic-turbo sonic-turbo-2025-03-07 sonic-3-2025-10-27',
);

export const isModelId = (id: string): boolean =>
  (MODEL_IDS as readonly string[]).includes(id) || SNAPSHOTS.includes(id);

/** A model that the vendor has switched off. */
export const isRetired = (id: string): boolean => RETIRED.includes(id);

/** Whether the model reads `generation_config` and dictionaries (G19, G20). Models of unknown names are later ones. */
export const takesDelivery = (id: string): boolean => !isRetired(id) || id.startsWith('sonic-3');

/** Base codes of all languages that any model speaks. */
export const LANGUAGES: readonly string[] = wordList(
  'en fr de es pt zh ja hi it ko nl pl ru sv tr tl bg ro ar cs el fi hr ms sk da ta uk hu no vi bn th he ka id te gu kn ml mr pa or ur',
);

/** The base code of a language or locale, such as `en_GB`; null for an unknown one (G12). */
export function languageOf(value: string): string | null {
  const [, base = ''] = /^([a-z]{2})(?:[-_][a-z]{2})?$/.exec(value.toLowerCase()) ?? [];
  return LANGUAGES.includes(base) ? base : null;
}
