import { cartesiaLinters, cartesiaMessages, cartesiaProtocols } from './cartesia/protocols.ts';
import type { EndpointId, Protocol } from './core/endpoint.ts';
import type { Exchange } from './core/json-frame.ts';
import type { Linter } from './core/rule.ts';
import { deepgramLinters, deepgramMessages, deepgramProtocols } from './deepgram/protocols.ts';
import { elevenLabsLinters, elevenLabsMessages, elevenLabsProtocols } from './elevenlabs/protocols.ts';
import { kugelLinters, kugelMessages, kugelProtocols } from './kugel/protocols.ts';
import { murmrLinters, murmrMessages, murmrProtocols } from './murmr/protocols.ts';

const PROTOCOLS: Readonly<Record<EndpointId, Protocol>> = {
  ...kugelProtocols,
  ...murmrProtocols,
  ...elevenLabsProtocols,
  ...deepgramProtocols,
  ...cartesiaProtocols,
};

export const protocolOf = ({ id }: { id: EndpointId }): Protocol => PROTOCOLS[id];

// Linters and messages are half of the protocols' code, and neither the page nor a session needs them. Their tables are within
// functions: only there does a bundle leave out a spread that it does not use.

/** Returns a linter for any number of connections; null for an endpoint without rules, as in a recording from elsewhere. */
export function openLinter(endpoint: EndpointId): Linter;
export function openLinter(endpoint: string): Linter | null;
export function openLinter(endpoint: string): Linter | null {
  const linters: Readonly<Record<EndpointId, () => Linter>> = {
    ...kugelLinters,
    ...murmrLinters,
    ...elevenLabsLinters,
    ...deepgramLinters,
    ...cartesiaLinters,
  };
  return Object.hasOwn(linters, endpoint) ? linters[endpoint as EndpointId]() : null;
}

/** Returns the messages of an endpoint, as a document for others describes them. */
export function exchangeOf({ id }: { id: EndpointId }): Exchange {
  const messages: Readonly<Record<EndpointId, Exchange>> = {
    ...kugelMessages(),
    ...murmrMessages(),
    ...elevenLabsMessages(),
    ...deepgramMessages(),
    ...cartesiaMessages(),
  };
  return messages[id];
}
