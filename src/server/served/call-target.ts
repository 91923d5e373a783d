import type { RequestHead } from '#trace/rest-calls.ts';
import { isSecretName } from '#trace/secrets/named-secrets.ts';

/** Names what a call asks for. Keys in a query do not matter, nor does the order of its fields. Null for no address. */
export function callTargetOf({ method, path }: Pick<RequestHead, 'method' | 'path'>): string | null {
  // A path of two slashes is no host.
  const address = `http://voicewire.invalid${path}`;
  if (!URL.canParse(address)) return null;
  const { pathname, searchParams } = new URL(address);
  const query = [...searchParams]
    .filter(([name]) => !isSecretName(name))
    .sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0));
  return JSON.stringify([method, pathname, query]);
}
