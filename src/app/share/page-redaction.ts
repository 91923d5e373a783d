import { ENDPOINTS } from '#protocol/registry.ts';
import type { Redaction } from '#record/redaction.ts';
import { useKeys } from '../stores/key-store.ts';

const PUBLIC_KEYS: ReadonlySet<string> = new Set(ENDPOINTS.map(({ localKey }) => localKey));

/** Returns the redaction of every key that was typed on the page. The local server's key is an ordinary word and no secret. */
export async function pageRedaction(): Promise<Redaction> {
  const keys = Object.values(useKeys.getState().keys).filter((key) => key !== '' && !PUBLIC_KEYS.has(key));
  // Nothing else on a page that has just opened needs it.
  const { Redaction } = await import('#record/redaction.ts');
  return new Redaction(...keys);
}
