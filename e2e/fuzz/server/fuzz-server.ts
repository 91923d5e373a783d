import { type FuzzLimits, type FuzzResult, runFuzz, watching } from '../fuzz-part.ts';
import { httpPart } from './http-part.ts';
import { Neighbour } from './neighbour.ts';
import { relayPart, socketPart } from './socket-part.ts';

/** A server that is fuzzed, and its state. It relays to another server on this machine. */
export interface FuzzedServer {
  http: string;
  ws: string;
  /** Memory after a collection, and of that the frames kept for pages that watch, in MiB. */
  probe(): Promise<{ heapMiB: number; capturedMiB: number }>;
  /** So far: lines of its log, or its end. */
  faults(): readonly string[];
}

/** One HTTP request for this many WebSocket messages. */
const MESSAGES_A_REQUEST = 20;
/** One message through the relay for this many without it. */
const MESSAGES_A_RELAYED = 5;
/** HTTP requests, and connections through the relay, at once beside the other connections. */
const SIDE_LANES = 2;
/** Code and caches that the first messages of every kind load. */
const WARM_UP = 0.1;
/** Noise of the heap, and all that clients may store: voices, dictionaries, jobs. */
const MOST_GROWTH_MIB = 48;

export interface ServerVerdict {
  results: readonly FuzzResult[];
  neighbour: Neighbour;
  /** Without captured frames, which have a bound of their own. */
  heapMiB: { before: number; after: number };
  /** Broken promises of the server as a whole. */
  problems: readonly string[];
}

/** Sends mutated messages and requests to a server, while a well-behaved client speaks beside them. */
export async function fuzzServer(server: FuzzedServer, limits: FuzzLimits): Promise<ServerVerdict> {
  const neighbour = new Neighbour(server);
  const faults = () => server.faults();
  const run = (share: number, seed: number) => {
    const frames = Math.ceil(limits.frames * share);
    const side = (a: number) => ({ ...limits, seed, frames: Math.ceil(frames / a), lanes: SIDE_LANES });
    return Promise.all([
      runFuzz(watching(socketPart(server.ws), faults), { ...limits, seed, frames }),
      runFuzz(watching(relayPart(server.ws), faults), side(MESSAGES_A_RELAYED)),
      runFuzz(watching(httpPart(server.http), faults), side(MESSAGES_A_REQUEST)),
    ]);
  };
  // A server that has ended is among the faults.
  const heapMiB = () =>
    server.probe().then(
      ({ heapMiB, capturedMiB }) => heapMiB - capturedMiB,
      () => Number.NaN,
    );
  const first = await run(WARM_UP, limits.seed);
  const before = await heapMiB();
  const rest = await run(1 - WARM_UP, limits.seed + 1);
  await neighbour.stop();
  const after = await heapMiB();
  const problems = faults().map((fault) => `expected no fault of the server, got ${fault}`);
  if (neighbour.problem !== null) {
    problems.push(`expected the client beside it to be served, got: ${neighbour.problem}`);
  }
  if (after - before > MOST_GROWTH_MIB) {
    problems.push(`expected memory to come back, got ${Math.round(after - before)} MiB more`);
  }
  return { results: [...first, ...rest], neighbour, heapMiB: { before, after }, problems };
}
