import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#lib/clock.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import { REST_APIS, type RestApi } from '#trace/rest-calls.ts';
import type { SecretForms } from '#trace/secrets/redaction.ts';
import { faultFields, type Log } from '../log.ts';
import { isOwnPage, remoteOf } from '../origin.ts';
import { waitingParts } from './call-body.ts';
import { CallCount } from './call-count.ts';
import type { Capture } from './capture.ts';
import { CapturedCall } from './captured-call.ts';
import type { CapturedConnection, CapturedStart } from './captured-connection.ts';
import { QueuedBody } from './queued-body.ts';
import { headerSecrets, querySecrets, SecretFilter } from './secret-filter.ts';
import { type RecordLater, type RecordPart, tapCall } from './tap-call.ts';

/** Programs that may call again at a time; a hostile one could have a new name in each call. */
const MAX_WAITING_CLIENTS = 100;

/** A vendor's prefix behind faults and relay, and the path on the vendor's host. */
const CALL = /^((?:\/faults\/[^/]*)?(?:\/relay|\/served\/[^/]+)?(\/[^/]+))(\/.*)$/;

interface CallClient {
  record: CapturedConnection;
  calls: CallCount;
  /** Secrets of its newest calls. */
  recent: Map<string, SecretForms>;
}

interface Options {
  capture: Capture;
  clock: Clock;
  log: Log;
  /** Keys that everybody knows are no secrets. */
  isPublic: (secret: string) => boolean;
}

interface Begun {
  id: string;
  api: RestApi;
  base: string;
  path: string;
  remote: string;
  request: IncomingMessage;
  url: URL;
}

/** Records the calls of programs. Those of one program, without a long gap, are one client of the capture. */
export class CapturedCalls {
  readonly #capture: Capture;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #isPublic: Options['isPublic'];
  /** By base address, remote address and program. */
  readonly #clients = new Map<string, CallClient>();
  readonly #running = new WeakMap<IncomingMessage, RecordLater>();
  readonly #tasks: (() => void)[] = [];
  #isRunning = false;
  readonly #waiting = waitingParts();

  constructor({ capture, clock, log, isPublic }: Options) {
    this.#capture = capture;
    this.#clock = clock;
    this.#log = log;
    this.#isPublic = isPublic;
  }

  /** Records a call to a vendor's path. Calls of the server's own pages are not recorded. */
  begin(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const [, base = '', prefix, path = ''] = CALL.exec(url.pathname) ?? [];
    const api = REST_APIS.find(({ localPrefix }) => localPrefix === prefix);
    if (!api || isOwnPage(request.headers)) return;
    const id = String(response.getHeader('x-request-id'));
    // Read now, because a closed socket has none.
    const remote = remoteOf(request);
    let call: CapturedCall | null = null;
    this.#later((atMs) => {
      call = this.#open(atMs, { id, api, base, path, remote, request, url });
    });
    const record: RecordLater = (task) =>
      this.#later((atMs) => {
        if (call) task(call, atMs);
      });
    this.#running.set(request, record);
    const newBody = () => new QueuedBody(this.#waiting, [remote]);
    const recordPart: RecordPart = (body, bytes, task) => {
      const part = body.add(bytes);
      if (!part) return;
      this.#later((atMs) => {
        body.take(part);
        if (call) task(call, atMs, part);
      });
    };
    const bodies = { sent: newBody(), received: newBody() };
    tapCall(request, response, { record, recordPart, bodies, clock: this.#clock });
  }

  /** Reports a fault that was injected into a call. @param mark its name for the page; empty for none */
  injected(request: IncomingMessage, what: string, mark: string): void {
    this.#running.get(request)?.((call, atMs) => call.injected(atMs, what));
    this.#capture.injected(what, mark);
  }

  /** Runs the task once the answer had its chance, because secrets take longer to find than a small answer to make. */
  #later(task: (atMs: number) => void): void {
    const atMs = this.#clock.nowMs();
    this.#tasks.push(() => task(atMs));
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#runTasks());
  }

  async #runTasks(): Promise<void> {
    // Tasks that come meanwhile run as well, in their order.
    for (let task = this.#tasks.shift(); task; task = this.#tasks.shift()) {
      try {
        task();
      } catch (error) {
        this.#log.error(faultFields(error), 'call not recorded');
      }
      const pause = yieldIfLong();
      if (pause) await pause;
    }
    this.#isRunning = false;
  }

  #open(atMs: number, { id, api, base, path, remote, request, url }: Begun): CapturedCall {
    const { headers, method = '' } = request;
    const { host, 'user-agent': program = '' } = headers;
    const client = this.#clientOf(JSON.stringify([base, host, remote, program]), (calls) => ({
      id,
      endpoint: api.id,
      address: `http://${host}${base}`,
      program,
      peer: [remote],
      secrets: [...querySecrets(url.search), ...headerSecrets(headers)],
      isPublic: this.#isPublic,
      calls,
    }));
    const secrets = new SecretFilter(this.#isPublic, client.recent);
    const head = { method, path: `${path}${url.search}`, headers };
    return new CapturedCall(atMs, head, { ...client, secrets, waiting: this.#waiting, peer: [remote] });
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
