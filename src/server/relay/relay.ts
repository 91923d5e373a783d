import type { Clock } from '#lib/clock.ts';
import { readAddress } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { CallBodies } from '../call-bodies.ts';
import type { Log } from '../log.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import type { RefusedUpgrade } from '../refused-upgrade.ts';
import { type Handler, replyText } from '../reply.ts';
import type { SocketEndpoint } from '../socket-endpoint.ts';
import { TotalOutput } from '../sockets/unread-output.ts';
import { createRelayRest } from './relay-rest.ts';
import { placeOf, type RelayTargets } from './targets.ts';
import { openUpstream } from './upstream.ts';
import { VendorMemory } from './vendor-memory.ts';

/** What vendors have not read. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

interface Options {
  targets: RelayTargets;
  /** The local socket of an endpoint, which knows how the vendor ends and refuses connections. */
  socketOf(endpoint: Endpoint | undefined): SocketEndpoint | undefined;
  bodies: CallBodies;
  clock: Clock;
  log: Log;
  meter: EndpointMeter;
}

export interface Relay {
  /** The endpoint of an address, or why it has none; null outside of the relay. */
  endpointAt(url: URL): SocketEndpoint | RefusedUpgrade | null;
  handle: Handler;
}

/** `/relay/<vendor>/…`: passes sockets and calls on to one fixed host for each vendor. */
export function createRelay({ targets, socketOf, bodies, clock, log, meter }: Options): Relay {
  const total = new TotalOutput(MAX_UNREAD_BYTES);
  const memory = new VendorMemory();
  const calls = new Map(
    Object.keys(targets).map((vendor) => [vendor, createRelayRest(vendor, { targets, bodies, clock, log })]),
  );
  return {
    endpointAt(url) {
      const place = placeOf(url, targets);
      if (!place || 'status' in place) return place;
      const { vendor, path, address } = place;
      const ofVendor = ENDPOINTS.filter(({ localPrefix }) => localPrefix === `/${vendor}`);
      const known = ofVendor.find((each) => readAddress(each, path)?.base === '');
      const local = socketOf(known ?? ofVendor[0]);
      if (!local) return { status: 404, why: `${vendor} has no sockets here` };
      const { restart } = local;
      return {
        ...local,
        captureAs: known?.id ?? '',
        meter,
        // The vendor has its own limit.
        mayIdle: true,
        admit: ({ request }, left) => openUpstream(address, request, left, { clock, restart, total, memory }),
      };
    },
    handle(request, response, url, next) {
      const place = placeOf(url, targets);
      if (!place) return next();
      if ('status' in place) return replyText(request, response, place.status, place.why);
      return calls.get(place.vendor)?.(request, response, url, next);
    },
  };
}
