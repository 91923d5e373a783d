import { deepEqual } from '#lib/deep-equal.ts';
import { readAddress } from '#protocol/core/address.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { StepReader } from '#record/client-steps.ts';
import type { RequestHead, ResponseHead, RestApi } from '#record/rest-calls.ts';
import type { Difference } from './difference.ts';
import type { Script } from './script.ts';

/** One recorded connection. */
export interface RecordedConnection {
  endpoint: Endpoint;
  /** File, or name of the recording, with the number of the connection where there are several. */
  title: string;
  startedAtMs: number;
  script: Script;
}

/** One recorded call. */
export interface RecordedCall {
  api: RestApi;
  title: string;
  startedAtMs: number;
  /** Its first entry in the recording. */
  entry: number;
  atUs: number;
  request: RequestHead;
  /** For comparison. */
  body: unknown;
  /** When the request was complete. */
  askedUs: number;
  response: ResponseHead & { atUs: number };
  received: readonly { atUs: number; part: Frame }[];
  isBrokenOff: boolean;
}

/** A client's connection or call, and what it did otherwise than the recording. */
export interface ServedRun {
  /** From 1, in the order of their beginning. */
  number: number;
  /** Such as the title of the endpoint. */
  what: string;
  /** Title of the recorded one; null where none was left. */
  recording: string | null;
  startedAtMs: number;
  isOver: boolean;
  /** The first {@link MAX_DIFFERENCES}. */
  differences: Difference[];
  /** All differences. */
  count: number;
  /** Steps that came at another moment, in words. */
  moved: string[];
}

const MAX_DIFFERENCES = 200;
const MAX_RUNS = 1000;

/** Recorded connections and calls that answer, each once, and what their clients did. */
export class Cassette {
  readonly connections: readonly RecordedConnection[];
  readonly calls: readonly RecordedCall[];
  readonly #repeats: boolean;
  #left: RecordedConnection[];
  #leftCalls: RecordedCall[];
  /** The newest ones. */
  runs: ServedRun[] = [];
  count = 0;
  /** Of all runs. */
  differences = 0;
  readonly #changed = new Set<() => void>();

  /** @param repeats begins again at the end */
  constructor(
    { connections, calls }: { connections: readonly RecordedConnection[]; calls: readonly RecordedCall[] },
    repeats: boolean,
  ) {
    this.connections = connections.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
    this.calls = calls.toSorted((a, b) => a.startedAtMs + a.atUs / 1000 - b.startedAtMs - b.atUs / 1000);
    this.#repeats = repeats;
    this.#left = [...this.connections];
    this.#leftCalls = [...this.calls];
  }

  /** Recorded connections and calls that no client has taken. */
  get left(): readonly { title: string }[] {
    return this.#repeats ? [] : [...this.#left, ...this.#leftCalls];
  }

  /** Takes the oldest call of this target with an equal body, or else the oldest of this target; null where none is left. */
  takeCall(
    isMeant: (call: RecordedCall) => boolean,
    isEqual: (call: RecordedCall) => boolean,
  ): RecordedCall | null {
    const left = this.#leftCalls.filter(isMeant);
    const candidates = left.length === 0 && this.#repeats ? this.calls.filter(isMeant) : left;
    const taken = candidates.find(isEqual) ?? candidates[0] ?? null;
    this.#leftCalls = [...new Set([...this.#leftCalls, ...candidates])].filter((one) => one !== taken);
    return taken;
  }

  /** Whether several recorded connections have this address, and their first messages decide. */
  needsFirstFrame(endpoint: Endpoint, address: string): boolean {
    const nearest = nearestOf(this.#candidates(endpoint), ({ script }) =>
      unlikeness(endpoint, script, address, null),
    );
    return nearest.length > 1 && nearest.every(({ script }) => script.events[0]?.kind === 'ask');
  }

  /**
   * Takes the recorded connection whose opening differs least, then the oldest; null where none is left.
   * @param first the client's first message, where it is known
   */
  take(endpoint: Endpoint, address: string, first: Frame | null): RecordedConnection | null {
    const candidates = this.#candidates(endpoint);
    const [taken = null] = nearestOf(candidates, ({ script }) =>
      unlikeness(endpoint, script, address, first),
    );
    this.#left = [...new Set([...this.#left, ...candidates])].filter((one) => one !== taken);
    return taken;
  }

  #candidates(endpoint: Endpoint): readonly RecordedConnection[] {
    const isOf = ({ endpoint: own }: RecordedConnection) => own === endpoint;
    const left = this.#left.filter(isOf);
    return left.length === 0 && this.#repeats ? this.connections.filter(isOf) : left;
  }

  /** A client opened a connection that no recording holds. */
  refused(what: string, startedAtMs: number): void {
    const run = this.begin({ what, recording: null, startedAtMs });
    const client = { words: 'another connection', message: null, atMs: 0 };
    this.change(run, { difference: { kind: 'extra', recorded: null, client }, isOver: true });
  }

  begin(run: Pick<ServedRun, 'what' | 'recording' | 'startedAtMs'>): ServedRun {
    this.count += 1;
    const begun = { ...run, number: this.count, isOver: false, differences: [], count: 0, moved: [] };
    this.runs = [...this.runs, begun].slice(-MAX_RUNS);
    this.#tell();
    return begun;
  }

  change(run: ServedRun, what: { difference?: Difference; moved?: string; isOver?: true }): void {
    if (what.difference) {
      run.count += 1;
      this.differences += 1;
      if (run.differences.length < MAX_DIFFERENCES) run.differences.push(what.difference);
    }
    if (what.moved !== undefined && run.moved.length < MAX_DIFFERENCES) run.moved.push(what.moved);
    if (what.isOver) run.isOver = true;
    this.#tell();
  }

  /** @returns the function that ends the calls */
  onChange(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => void this.#changed.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#changed) listener();
  }
}

/** Those with the least figure, in their order. */
function nearestOf<T>(all: readonly T[], figureOf: (one: T) => number): T[] {
  const figures = all.map(figureOf);
  const least = Math.min(...figures);
  return all.filter((_, at) => figures[at] === least);
}

/** Number of settings in which the opening of a client differs from a recorded one. */
function unlikeness(endpoint: Endpoint, script: Script, address: string, first: Frame | null): number {
  const inAddress = differing(settingsOf(endpoint, address), settingsOf(endpoint, script.address));
  const [recorded] = script.sent;
  if (first === null || !recorded) return inAddress;
  return inAddress + differing(firstSettings(endpoint, first), firstSettings(endpoint, recorded.frame));
}

const settingsOf = (endpoint: Endpoint, address: string): Settings =>
  readAddress(endpoint, address)?.settings ?? {};

const firstSettings = (endpoint: Endpoint, frame: Frame): Settings =>
  Object.assign(
    {},
    ...new StepReader(endpoint).read(frame).map(({ kind, value }) => (kind === 'settings' ? value : {})),
  );

const differing = (a: Settings, b: Settings): number =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((field) => !deepEqual(a[field], b[field]))
    .length;
