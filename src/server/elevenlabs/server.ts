import { elevenLabsMulti, elevenLabsStream } from '#protocol/elevenlabs/endpoints.ts';
import { errorFrame } from '#protocol/elevenlabs/wire/errors.ts';
import { isDialogueModel } from '#protocol/elevenlabs/wire/settings.ts';
import { cutReason, GOING_AWAY_CLOSE } from '../connection.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import { remoteOf } from '../origin.ts';
import { type RefusedUpgrade, refusedUpgrade } from '../refused-upgrade.ts';
import type { SocketEnding, SocketEndpoint } from '../socket-endpoint.ts';
import type { VendorServer } from '../vendor-server.ts';
import { createElevenLabsServices, type ElevenLabsServices, restRefusal } from './access.ts';
import { MultiInputSession, StreamInputSession } from './input-sessions.ts';
import { elevenLabsRest } from './rest.ts';
import { handshakeKey, settingsIn } from './speaker.ts';

const SOCKETS = {
  'elevenlabs-stream': { endpoint: elevenLabsStream, Session: StreamInputSession },
  'elevenlabs-multi': { endpoint: elevenLabsMulti, Session: MultiInputSession },
} as const;

/** Ours: the vendor has a limit of generations, and none of sockets. */
function tooMany(why: string): SocketEnding {
  const reason = `Too many concurrent requests: ${why}`;
  const frame = errorFrame('too_many_concurrent_requests', reason);
  return { frame, code: frame.code, reason: cutReason(reason) };
}

/** A socket of this vendor. All is judged after the first message, but for a model of another protocol. */
function createElevenLabsEndpoint(
  id: keyof typeof SOCKETS,
  { engine, ...services }: ElevenLabsServices,
): SocketEndpoint {
  const { endpoint, Session } = SOCKETS[id];
  const meter = services.meter(id);
  // Each generation is one request to the engine.
  const speaking = { ...services, engine: meteredTurns(engine, meter) };
  return {
    captureAs: id,
    meter,
    restart: GOING_AWAY_CLOSE,
    keyOf: ({ request, url }) => handshakeKey(request.headers, url),
    admit({ request, url, requestId }) {
      const model = url.searchParams.get('model_id') ?? '';
      if (isDialogueModel(model)) return unsupported(model);
      const key = handshakeKey(request.headers, url);
      const settings = settingsIn(endpoint, url);
      const address = remoteOf(request);
      return {
        headers: [],
        open: (connection) =>
          new Session({ connection, services: speaking, meter, requestId, address, key, settings }),
      };
    },
    turnedAway: {
      full: tooMany('the server has no free connection.'),
      unreachable: tooMany('connections cannot be counted now.'),
    },
  };
}

/** The refusal of a model at the handshake. */
function unsupported(model: string): RefusedUpgrade {
  const message = `Model '${model}' is not supported on the text-to-speech websocket endpoint. Use the text-to-dialogue websocket endpoint instead.`;
  return refusedUpgrade(
    restRefusal(400, 'validation_error', 'unsupported_model', message, { param: 'model_id' }),
  );
}

export const server: VendorServer = {
  pathRoots: ['v1', 'v2'],
  open(parts) {
    const services = createElevenLabsServices(parts);
    return {
      sockets: [
        createElevenLabsEndpoint('elevenlabs-stream', services),
        createElevenLabsEndpoint('elevenlabs-multi', services),
      ],
      rest: elevenLabsRest(services),
    };
  },
};
