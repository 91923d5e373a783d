/** Condition that a key produces (`contract.md`, "Keys on the local server"). */
export type KeyCondition = 'works' | 'unpriced' | 'noCredits' | 'rateLimited' | 'busy' | 'limited';

export interface Keys {
  /** A key of the contract, which everybody knows. */
  isShared(key: string): boolean;
  /** Null for an unknown key. */
  conditionOf(key: string): KeyCondition | null;
}

const CONDITIONS: Readonly<Record<string, KeyCondition>> = {
  local: 'works',
  'local-unpriced': 'unpriced',
  'local-no-credits': 'noCredits',
  'local-rate-limited': 'rateLimited',
  'local-busy': 'busy',
  'local-limited': 'limited',
};

/** Keys that behave like `local`, beside those of the contract or instead of them. */
export interface KeyList {
  readonly keys: readonly string[];
  readonly only: boolean;
}

export function createKeys({ keys, only }: KeyList = { keys: [], only: false }): Keys {
  const conditions = new Map<string, KeyCondition>([
    ...keys.map((key): [string, KeyCondition] => [key, 'works']),
    ...(only ? [] : Object.entries(CONDITIONS)),
  ]);
  return {
    conditionOf: (key) => conditions.get(key) ?? null,
    isShared: (key) => key in CONDITIONS,
  };
}

/** Parts of a request that can carry a key. */
interface Asked {
  url: URL;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The key of an `Authorization` header; undefined without one. */
export const bearerIn = (headers: Asked['headers']): string | undefined =>
  /^Bearer\s+(\S+)\s*$/i.exec(String(headers.authorization ?? ''))?.[1];

/** Parameters of a query that hold a key (`facts 1.2`). Apps in a browser send a token. */
const PARAMETERS = ['api_key', 'token', 'master_key'];

/** The key of a request, from the first place of `facts 1.2` that holds one; empty without any. */
export function keyIn({ url, headers }: Asked): string {
  const parameter = PARAMETERS.map((name) => url.searchParams.get(name)).find(Boolean);
  return parameter ?? bearerIn(headers) ?? String(headers['x-api-key'] ?? '');
}
