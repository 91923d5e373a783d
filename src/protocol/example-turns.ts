import { cartesiaExample } from './cartesia/wire/example-turn.ts';
import type { PageEndpointId } from './core/endpoint.ts';
import type { Frame } from './core/frame.ts';
import { fluxExample, speakExample } from './deepgram/wire/example-turn.ts';
import { elevenLabsExample } from './elevenlabs/wire/example-turn.ts';
import { multiExample, streamExample } from './kugel/wire/example-turn.ts';
import { realtimeExample } from './murmr/wire/example-turn.ts';

/**
 * All frames in which the server accepts the first connection and speaks a short text as one chunk, with the audio of
 * `EXAMPLE_AUDIO`. Without contexts, the context is ignored.
 */
export type ExampleTurn = (text: string, context: string) => Frame[];

/** Not part of `Endpoint`, because the page's first load does not need them. */
export const EXAMPLE_TURNS: Readonly<Record<PageEndpointId, ExampleTurn>> = {
  'kugel-stream': streamExample,
  'kugel-multi': multiExample,
  murmr: realtimeExample,
  'elevenlabs-stream': (text) => elevenLabsExample(text, null),
  'elevenlabs-multi': elevenLabsExample,
  deepgram: speakExample,
  'deepgram-flux': fluxExample,
  cartesia: cartesiaExample,
};
