import type { Endpoint, EndpointId } from './core/endpoint.ts';
import type { Exchange } from './core/json-frame.ts';
import type { EndpointRules, Linter } from './core/rule.ts';
import { LateParts } from './late-parts.ts';
import { ENDPOINTS, endpointNamed } from './registry.ts';

const parts = new LateParts<EndpointRules>(
  'rules',
  async (vendor) => (await import(`./${vendor}/rules.ts`)).rules,
);

/** Loads the rules of endpoints; of all by default. Null where they have loaded. */
export const loadRules = (endpoints: readonly Endpoint[] = ENDPOINTS): Promise<unknown> | null =>
  parts.load(endpoints);

/** Returns a linter for any number of connections; null for an endpoint without rules, as in a recording from elsewhere. */
export function openLinter(endpoint: EndpointId): Linter;
export function openLinter(endpoint: string): Linter | null;
export function openLinter(endpoint: string): Linter | null {
  const known = endpointNamed(endpoint);
  return known && parts.of(known.id).openLinter();
}

/** Returns the messages of an endpoint, as a document for others describes them. */
export const exchangeOf = ({ id }: { id: EndpointId }): Exchange => parts.of(id).messages;
