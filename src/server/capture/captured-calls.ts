import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#lib/clock.ts';
import { REST_APIS } from '#record/rest-calls.ts';
import { keyIn } from '../keys.ts';
import { isOwnPage } from '../origin.ts';
import { WaitingParts } from './call-body.ts';
import { CallCount } from './call-count.ts';
import type { Capture } from './capture.ts';
import { CapturedCall } from './captured-call.ts';
import type { CapturedConnection, CapturedStart } from './captured-connection.ts';
import { SecretFilter } from './secret-filter.ts';
import { tapCall } from './tap-call.ts';

/** Programs that may call again at a time; a hostile one could have a new name in each call. */
const MAX_WAITING_CLIENTS = 100;

/** A vendor's prefix behind faults and relay, and the path on the vendor's host. */
const CALL = /^((?:\/faults\/[^/]*)?(?:\/relay)?(\/[^/]+))(\/.*)$/;

interface CallClient {
  record: CapturedConnection;
  calls: CallCount;
  /** Secrets of its newest calls. */
  recent: Map<string, true>;
}

/** Records the calls of programs. Those of one program, without a long gap, are one client of the capture. */
export class CapturedCalls {
  readonly #capture: Capture;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #isPublic: (secret: string) => boolean;
  /** By base address, remote address and program. */
  readonly #clients = new Map<string, CallClient>();
  readonly #running = new WeakMap<IncomingMessage, CapturedCall>();
  readonly #waiting = new WaitingParts();

  /** @param isPublic keys that everybody knows are no secrets */
  constructor(capture: Capture, clock: Pick<Clock, 'nowMs'>, isPublic: (secret: string) => boolean) {
    this.#capture = capture;
    this.#clock = clock;
    this.#isPublic = isPublic;
  }

  /** Records a call to a vendor's path. Calls of the server's own pages are not recorded. */
  begin(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const [, base = '', prefix, path = ''] = CALL.exec(url.pathname) ?? [];
    const api = REST_APIS.find(({ localPrefix }) => localPrefix === prefix);
    const { headers, method = '', socket } = request;
    if (!api || isOwnPage(headers)) return;
    const program = headers['user-agent'] ?? '';
    const key = JSON.stringify([base, headers.host, socket.remoteAddress, program]);
    const client = this.#clientOf(key, (calls) => ({
      id: String(response.getHeader('x-request-id')),
      endpoint: api.id,
      address: `http://${headers.host}${base}`,
      program,
      secrets: [keyIn({ url, headers })],
      isPublic: this.#isPublic,
      calls,
    }));
    const secrets = new SecretFilter(this.#isPublic, client.recent);
    const head = { method, path: `${path}${url.search}`, headers };
    const call = new CapturedCall(head, { ...client, secrets, waiting: this.#waiting });
    this.#running.set(request, call);
    tapCall(request, response, call);
  }

  /** Reports a fault on purpose that struck a call. @param mark its name for the page; empty for none */
  struck(request: IncomingMessage, what: string, mark: string): void {
    this.#running.get(request)?.struck(what);
    this.#capture.struck(what, mark);
  }

  #clientOf(key: string, start: (calls: CallCount) => CapturedStart): CallClient {
    const known = this.#clients.get(key);
    const client = known && !known.calls.isOver ? known : this.#begin(start);
    this.#clients.delete(key);
    this.#clients.set(key, client);
    for (const [other, { calls }] of this.#clients) {
      if (this.#clients.size <= MAX_WAITING_CLIENTS) break;
      if (other === key || calls.running > 0) continue;
      calls.close();
      this.#clients.delete(other);
    }
    return client;
  }

  #begin(start: (calls: CallCount) => CapturedStart): CallClient {
    const calls = new CallCount(this.#clock);
    return { record: this.#capture.begin(start(calls)), calls, recent: new Map() };
  }
}
