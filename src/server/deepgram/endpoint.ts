import { audioFormatOf } from '#protocol/deepgram/wire/audio-format.ts';
import { encodeSamples } from '../audio/output.ts';
import { GOING_AWAY_CLOSE } from '../connection.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import { type AcceptedUpgrade, type Asked, closeTurnedAway, type SocketEndpoint } from '../upgrade.ts';
import { credentialsIn } from './access.ts';
import { querySettings, speakerIn } from './address.ts';
import { AuraSession } from './aura-session.ts';
import { FluxSession } from './flux-session.ts';
import type { DeepgramServices } from './services.ts';

const SOCKETS = {
  deepgram: { family: 'aura', Session: AuraSession },
  'deepgram-flux': { family: 'flux', Session: FluxSession },
} as const;

/** A socket of this vendor. Key and settings are judged at the handshake (`facts-deepgram 1.3`). */
export function createDeepgramEndpoint(
  id: keyof typeof SOCKETS,
  { engine, access, voices, log, ...services }: DeepgramServices,
): SocketEndpoint {
  const { family, Session } = SOCKETS[id];
  const meter = services.meter(id);
  const common = { services: { engine: meteredTurns(engine, meter), log }, meter };

  async function admit({ request, url, requestId }: Asked, left: AbortSignal): Promise<AcceptedUpgrade> {
    const account = await access.accountIn(request.headers);
    const settings = querySettings(url, family, 'sockets');
    const speaker = speakerIn(settings, family, voices);
    const { encoding, sampleRate } = audioFormatOf(family)(settings);
    const encode = (samples: Int16Array) => encodeSamples(encoding, samples);
    const isLimited = account.condition === 'limited';
    const lease = await access.admit(account, `${family}-sockets`);
    if (left.aborted) lease.leave();
    left.addEventListener('abort', lease.leave);
    return {
      headers: [`dg-request-id: ${requestId}`],
      open: (connection) =>
        new Session({ ...common, connection, requestId, speaker, encode, sampleRate, lease, isLimited }),
    };
  }

  return {
    captureAs: id,
    meter,
    restart: GOING_AWAY_CLOSE,
    keyOf: ({ request }) => credentialsIn(request.headers).secret,
    admit,
    /** Ours: the vendor counts the sockets of a key alone. */
    turnAway: closeTurnedAway('too many connections'),
  };
}
