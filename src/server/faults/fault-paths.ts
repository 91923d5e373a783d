import type { IncomingMessage } from 'node:http';
import type { Clock } from '#lib/clock.ts';
import type { Endpoint, VendorFailures } from '#protocol/core/endpoint.ts';
import {
  describeFaultProblem,
  type Fault,
  faultNumber,
  faultValue,
  formatFault,
  parseFaults,
} from '#protocol/faults/fault-spec.ts';
import { type FaultName, whyIdle } from '#protocol/faults/fault-table.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { reopen } from '#trace/connection.ts';
import { onClose } from '../answers/on-close.ts';
import type { Log } from '../log.ts';
import type { RefusedUpgrade } from '../refused-upgrade.ts';
import { type Handler, replyText } from '../reply.ts';
import type { SocketEndpoint } from '../socket-endpoint.ts';
import { TotalOutput } from '../sockets/unread-output.ts';
import { faulty } from './faulty.ts';
import { firstConnections } from './first-connections.ts';

/** Messages that faults delay. */
const MAX_LATE_BYTES = 16 * 1024 * 1024;

interface Options {
  clock: Clock;
  log: Log;
  /** The endpoint of an address without faults. */
  endpointAt: (url: URL) => SocketEndpoint | RefusedUpgrade | null;
  /** The calls of an address without faults; undefined where it has none. */
  callsAt: (url: URL) => Handler | undefined;
  /** Reports a fault that was injected into a call. @param mark empty for none */
  injectedIntoCall: (request: IncomingMessage, what: string, mark: string) => void;
}

export interface FaultPaths {
  /** The endpoint of an address, or why it has none; null outside of `/faults/`. */
  endpointAt(url: URL): SocketEndpoint | RefusedUpgrade | null;
  handle: Handler;
}

/** `/faults/<spec>/<vendor>/…` and `/faults/<spec>/relay/<vendor>/…`: the same behind faults. */
export function createFaultPaths({ clock, log, endpointAt, callsAt, injectedIntoCall }: Options): FaultPaths {
  const total = new TotalOutput(MAX_LATE_BYTES);
  const isFirst = firstConnections(clock);

  /** The faults of a connection or a call. Warns of those that never strike there. @param vendor null for a call */
  function faultsOf({ faults }: FaultyPath, url: URL, vendor: VendorFailures | null, isFirst: boolean) {
    if (!isFirst) return faults.filter(({ only }) => only === null);
    for (const fault of faults) {
      const why = whyIdle(fault.name, vendor);
      if (why !== null) log.warn({ path: url.pathname }, `${formatFault(fault)} has no effect: ${why}`);
    }
    return faults;
  }

  return {
    endpointAt(url) {
      const read = readPath(url);
      if (!read || 'status' in read) return read;
      const { vendor, inner } = read;
      const endpoint = endpointAt(inner);
      if (!endpoint || 'status' in endpoint) return endpoint;
      const { captureAs, restart } = endpoint;
      // Endpoints without a registry name speak like the others of their vendor.
      const decodedAs = vendor.find(({ id }) => id === captureAs) ?? vendor[0];
      if (!decodedAs) return null;
      return {
        ...endpoint,
        async admit(asked, left) {
          const { request } = asked;
          const protocol = protocolOf(decodedAs);
          const { failures } = protocol;
          const faults = faultsOf(read, url, failures, isFirst(request, url.pathname, request.socket));
          const injected = (fault: Fault) => asked.injected(formatFault(fault), markOf(faults));
          await waited(clock, delayMs(faults), left);
          const refusal = faults.find(({ name }) => name === 'refuse');
          if (refusal) {
            injected(refusal);
            return { status: Number(refusal.value), why: REFUSED };
          }
          const admission = await endpoint.admit({ ...asked, url: inner }, left);
          if ('status' in admission) return admission;
          const dialect = reopen(decodedAs, { address: inner.href });
          return {
            ...admission,
            open: faulty(admission.open, { faults, dialect, protocol, restart, injected, total }),
          };
        },
      };
    },
    async handle(request, response, url, next) {
      const read = readPath(url);
      if (!read) return next();
      if ('status' in read) return replyText(request, response, read.status, read.why);
      const { inner } = read;
      const call = callsAt(inner);
      if (!call) return replyText(request, response, 404, 'No vendor is named there.');
      const answer = {
        destroyed: response.destroyed,
        once: (_: 'close', over: () => void) => onClose(response, over),
      };
      const faults = faultsOf(read, url, null, isFirst(request, url.pathname, answer));
      const injected = (fault: Fault) => injectedIntoCall(request, formatFault(fault), markOf(faults));
      for (const fault of faults) if (DELAYS.includes(fault.name)) injected(fault);
      const left = new AbortController();
      onClose(response, () => left.abort());
      await waited(clock, delayMs(faults), left.signal);
      if (left.signal.aborted) return;
      const refusal = faults.find(({ name }) => name === 'refuse');
      if (refusal) {
        injected(refusal);
        return replyText(request, response, Number(refusal.value), REFUSED);
      }
      request.url = `${inner.pathname}${inner.search}`;
      return call(request, response, inner, next);
    },
  };
}

const REFUSED = 'refused by a fault on purpose';

const FAULTY = /^\/faults\/([^/]*)((?:\/relay|\/served\/[^/]+)?(\/[^/]+)\/.*)$/;

interface FaultyPath {
  faults: readonly Fault[];
  /** The endpoints of its vendor. */
  vendor: readonly Endpoint[];
  /** Without the faults. */
  inner: URL;
}

/** Null for another path. */
function readPath(url: URL): FaultyPath | { status: number; why: string } | null {
  if (!url.pathname.startsWith('/faults/')) return null;
  const [, spec = '', path = '', prefix] = FAULTY.exec(url.pathname) ?? [];
  const vendor = ENDPOINTS.filter(({ localPrefix }) => localPrefix === prefix);
  const [first] = vendor;
  const read = parseFaults(decoded(spec), first && protocolOf(first).failures.errors);
  if (path !== '' && 'problem' in read) return { status: 400, why: describeFaultProblem(read.problem) };
  if (vendor.length === 0 || 'problem' in read)
    return { status: 404, why: `expected /faults/, faults, and ${PREFIXES.join(' or ')}` };
  const inner = new URL(url);
  inner.pathname = path;
  return { faults: read.faults, vendor, inner };
}

const PREFIXES = [...new Set(ENDPOINTS.map(({ localPrefix }) => `${localPrefix}/…`)), '/relay/…'];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Faults that delay a call. */
const DELAYS: readonly FaultName[] = ['latency', 'latency-in', 'latency-out'];

/** Of a question and its answer: both ways, without the random part. */
const delayMs = (faults: readonly Fault[]): number =>
  2 * faultNumber(faults, 'latency') + faultNumber(faults, 'latency-in') + faultNumber(faults, 'latency-out');

const markOf = (faults: readonly Fault[]): string => String(faultValue(faults, 'mark') ?? '');

/** Resolves early when nobody waits any more. */
function waited(clock: Clock, timeMs: number, left: AbortSignal): Promise<void> {
  if (timeMs === 0 || left.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = clock.after(timeMs, resolve);
    left.addEventListener('abort', () => {
      stop();
      resolve();
    });
  });
}
