import { elevenLabsMulti } from '#protocol/elevenlabs/multi.ts';
import { elevenLabsStream } from '#protocol/elevenlabs/stream.ts';
import { closeCodeOf, errorFrame } from '#protocol/elevenlabs/wire/errors.ts';
import { isDialogueModel } from '#protocol/elevenlabs/wire/models.ts';
import { cutReason, GOING_AWAY_CLOSE } from '../connection.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import { remoteOf } from '../origin.ts';
import { type RefusedUpgrade, refusedUpgrade, type SocketEndpoint, type TurnedAway } from '../upgrade.ts';
import { handshakeKey, settingsIn } from './address.ts';
import { MultiInputSession } from './multi-session.ts';
import { restRefusal } from './rest-errors.ts';
import type { ElevenLabsServices } from './services.ts';
import { StreamInputSession } from './stream-session.ts';

const SOCKETS = {
  'elevenlabs-stream': { endpoint: elevenLabsStream, Session: StreamInputSession },
  'elevenlabs-multi': { endpoint: elevenLabsMulti, Session: MultiInputSession },
} as const;

/** Ours: the vendor has a limit of generations, and none of sockets. */
const TURNED_AWAY: Readonly<Record<Exclude<TurnedAway, 'shutting down'>, string>> = {
  full: 'Too many concurrent requests: the server has no free connection.',
  unreachable: 'Too many concurrent requests: connections cannot be counted now.',
};

/** A socket of this vendor. All is judged after the first message, but for a model of another protocol. */
export function createElevenLabsEndpoint(
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
    turnAway(connection, why) {
      if (why === 'shutting down') {
        connection.close(GOING_AWAY_CLOSE.code, GOING_AWAY_CLOSE.reason);
        return;
      }
      const error = 'too_many_concurrent_requests';
      connection.send(JSON.stringify(errorFrame(error, TURNED_AWAY[why])));
      connection.close(closeCodeOf(error), cutReason(TURNED_AWAY[why]));
    },
  };
}

/** The refusal of a model at the handshake (`facts-elevenlabs 1.4.1`). */
function unsupported(model: string): RefusedUpgrade {
  const message = `Model '${model}' is not supported on the text-to-speech websocket endpoint. Use the text-to-dialogue websocket endpoint instead.`;
  return refusedUpgrade(
    restRefusal(400, 'validation_error', 'unsupported_model', message, { param: 'model_id' }),
  );
}
