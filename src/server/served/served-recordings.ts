import type { Clock } from '#lib/clock.ts';
import { REST_APIS } from '#record/rest-calls.ts';
import type { CallBodies } from '../call-bodies.ts';
import type { Handler } from '../reply.ts';
import type { SocketEndpoint } from '../upgrade.ts';
import type { Cassette } from './cassette.ts';
import { serveCall } from './served-calls.ts';
import { servedEndpointAt } from './served-endpoints.ts';
import type { Manner } from './served-session.ts';

/** Recordings that answer clients at one base address. */
export interface Served {
  cassette: Cassette;
  manner: Manner;
}

/** `/served/<id>`, in front of a vendor's prefix. */
const SERVED = /^\/served\/([^/]*)(\/.*)$/;

/** The recordings that a server plays: those of pages below `/served/<id>`, or one in place of all vendors. */
export class ServedRecordings {
  readonly #root: Served | null;
  readonly #byId = new Map<string, Served>();

  /** @param root answers in place of the local server; null for none */
  constructor(root: Served | null) {
    this.#root = root;
  }

  add(id: string, served: Served): void {
    this.#byId.set(id, served);
  }

  remove(id: string): void {
    this.#byId.delete(id);
  }

  /** The recordings at a path, and the path without their prefix; null for a path of the local server. */
  #placeOf(pathname: string): { served: Served; path: string } | null {
    const [, id = '', path = ''] = SERVED.exec(pathname) ?? [];
    const served = this.#byId.get(id);
    if (served) return { served, path };
    const isOfVendor = REST_APIS.some(({ localPrefix }) => pathname.startsWith(`${localPrefix}/`));
    return this.#root && isOfVendor ? { served: this.#root, path: pathname } : null;
  }

  /** Null where no recording answers at this address. */
  endpointAt({ pathname }: URL, locals: Readonly<Record<string, SocketEndpoint>>): SocketEndpoint | null {
    const place = this.#placeOf(pathname);
    return place && servedEndpointAt(place.path, { ...place.served, locals });
  }

  /** Answers a call to a vendor's prefix; undefined where no recording answers at this address. */
  callsAt(url: URL, bodies: CallBodies, clock: Clock): Handler | undefined {
    const place = this.#placeOf(url.pathname);
    const api = REST_APIS.find(({ localPrefix }) => place?.path.startsWith(`${localPrefix}/`));
    if (!place || !api) return undefined;
    const path = `${place.path.slice(api.localPrefix.length)}${url.search}`;
    return (request, response) => serveCall(api, path, request, response, { ...place.served, bodies, clock });
  }
}
