import { LOCAL_KEY } from '#protocol/core/servers.ts';
import type { Redaction } from '#trace/secrets/redaction.ts';
import { useKeys } from './key-store.ts';

/** Keys that were typed on the page. The local server's is no secret. */
const typedKeys = (): string[] =>
  Object.values(useKeys.getState().keys).filter((key) => key !== '' && key !== LOCAL_KEY);

/** Returns the redaction of every typed key; null without one. */
export const neededRedaction = async (): Promise<Redaction | null> =>
  typedKeys().length === 0 ? null : pageRedaction();

/** Returns the redaction of every typed key. */
export async function pageRedaction(): Promise<Redaction> {
  const keys = typedKeys();
  // Nothing else on a page that has just opened needs it.
  const { Redaction } = await import('#trace/secrets/redaction.ts');
  return new Redaction(...keys);
}
