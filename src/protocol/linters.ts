import { openCartesiaLinter } from './cartesia/lint/socket.ts';
import type { EndpointId } from './core/endpoint.ts';
import type { Linter } from './core/rule.ts';
import { openDeepgramFluxLinter } from './deepgram/lint/flux.ts';
import { openDeepgramLinter } from './deepgram/lint/speak.ts';
import { openElevenLabsMultiLinter, openElevenLabsStreamLinter } from './elevenlabs/lint/socket.ts';
import { openMultiLinter } from './kugel/lint/multi.ts';
import { openStreamLinter, openTtsLinter } from './kugel/lint/stream.ts';
import { openRealtimeLinter } from './murmr/lint/realtime.ts';

/** Not part of `Endpoint`: the rules are half of the protocols' code, and neither the page nor a session checks frames. */
const LINTERS: Readonly<Record<EndpointId, () => Linter>> = {
  'kugel-stream': openStreamLinter,
  'kugel-multi': openMultiLinter,
  'kugel-tts': openTtsLinter,
  murmr: openRealtimeLinter,
  'elevenlabs-stream': openElevenLabsStreamLinter,
  'elevenlabs-multi': openElevenLabsMultiLinter,
  deepgram: openDeepgramLinter,
  'deepgram-flux': openDeepgramFluxLinter,
  cartesia: openCartesiaLinter,
};

/** Returns a linter for any number of connections; null for an endpoint without rules, as in a recording from elsewhere. */
export function openLinter(endpoint: EndpointId): Linter;
export function openLinter(endpoint: string): Linter | null;
export function openLinter(endpoint: string): Linter | null {
  return Object.hasOwn(LINTERS, endpoint) ? LINTERS[endpoint as EndpointId]() : null;
}
