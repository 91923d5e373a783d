import { audioFormatOf } from '#protocol/deepgram/wire/settings.ts';
import { encodeSamples } from '../audio/output.ts';
import { GOING_AWAY_CLOSE } from '../connection.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import {
  type AcceptedUpgrade,
  type AskedUpgrade,
  closeTurnedAway,
  leaseOfHandshake,
  type SocketEndpoint,
} from '../socket-endpoint.ts';
import type { VendorServer } from '../vendor-server.ts';
import { accountIn, admit, createDeepgramServices, credentialsIn, type DeepgramServices } from './access.ts';
import { querySettings, speakerIn } from './address.ts';
import { AuraSession } from './aura-session.ts';
import { FluxSession } from './flux-session.ts';
import { deepgramRest } from './rest.ts';

const SOCKETS = {
  deepgram: { family: 'aura', Session: AuraSession },
  'deepgram-flux': { family: 'flux', Session: FluxSession },
} as const;

/** A socket of this vendor. Key and settings are judged at the handshake. */
function createDeepgramEndpoint(
  id: keyof typeof SOCKETS,
  { engine, accounts, voices, log, ...services }: DeepgramServices,
): SocketEndpoint {
  const { family, Session } = SOCKETS[id];
  const meter = services.meter(id);
  const common = { services: { engine: meteredTurns(engine, meter), log }, meter };

  async function open(
    { request, url, requestId }: AskedUpgrade,
    left: AbortSignal,
  ): Promise<AcceptedUpgrade> {
    const account = await accountIn(request.headers, accounts);
    const settings = querySettings(url, family, 'sockets');
    const speaker = speakerIn(settings, family, voices);
    const { encoding, sampleRate } = audioFormatOf(family)(settings);
    const encode = (samples: Int16Array) => encodeSamples(encoding, samples);
    const isLimited = account.condition === 'limited';
    const lease = leaseOfHandshake(await admit(accounts, account, `${family}-sockets`), left);
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
    admit: open,
    /** Ours: the vendor counts the sockets of a key alone. */
    turnedAway: closeTurnedAway('too many connections'),
  };
}

export const server: VendorServer = {
  pathRoots: ['v1', 'v2'],
  open(parts) {
    const services = createDeepgramServices(parts);
    return {
      sockets: [
        createDeepgramEndpoint('deepgram', services),
        createDeepgramEndpoint('deepgram-flux', services),
      ],
      rest: deepgramRest(services),
    };
  },
};
