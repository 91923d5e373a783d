import type { RecordEntry } from '#trace/entry.ts';

/** Returns all entries in order, or at least those at the ascending indexes. Each call begins anew. */
export type OpenEntries = (indexes?: readonly number[]) => Iterable<RecordEntry> | AsyncIterable<RecordEntry>;

const NO_ADDRESS = 'ws://unknown.invalid/';

/** A time outside the calendar becomes 1970. */
export function dateOf(ms: number): string {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString() : new Date(0).toISOString();
}

/** Percent-encodes characters that RFC 3986 forbids, as in the mark of the key. */
export function uriOf(address: string): string {
  try {
    const { protocol, host, pathname, search } = new URL(address);
    return `${protocol}//${host}${(pathname + search).replace(NOT_IN_URI, encodeURIComponent)}`;
  } catch {
    return NO_ADDRESS;
  }
}

const NOT_IN_URI = /[^\w:/?@!$&'()*+,;=.~%-]|%(?![0-9A-Fa-f]{2})/g;

interface NameAndValue {
  name: string;
  value: string;
}

export const queryPairs = (uri: string): NameAndValue[] => pairsOf(new URL(uri).searchParams);

export const pairsOf = (pairs: Iterable<readonly [name: string, value: string]>): NameAndValue[] =>
  Array.from(pairs, ([name, value]) => ({ name, value }));
