import { ENDPOINTS } from '#protocol/registry.ts';
import type { Redaction } from '#record/redaction.ts';
import { useKeys } from './key-store.ts';

const PUBLIC_KEYS: ReadonlySet<string> = new Set(ENDPOINTS.map(({ localKey }) => localKey));

/** Keys that were typed on the page. The local server's key is an ordinary word and no secret. */
const typedKeys = (): string[] =>
  Object.values(useKeys.getState().keys).filter((key) => key !== '' && !PUBLIC_KEYS.has(key));

/** Returns the redaction of every typed key; null without one. */
export const neededRedaction = async (): Promise<Redaction | null> =>
  typedKeys().length === 0 ? null : pageRedaction();

/** Returns the redaction of every typed key. */
export async function pageRedaction(): Promise<Redaction> {
  const keys = typedKeys();
  // Nothing else on a page that has just opened needs it.
  const { Redaction } = await import('#record/redaction.ts');
  return new Redaction(...keys);
}
