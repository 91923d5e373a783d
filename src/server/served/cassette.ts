import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { RecordedCall, ResponseHead, RestApi } from '#record/rest-calls.ts';
import type { ClientDifference } from './client-difference.ts';
import type { ServedScript } from './script.ts';

/** One recorded connection. */
export interface RecordedConnection {
  endpoint: Endpoint;
  /** File, or name of the recording, with the number of the connection where there are several. */
  title: string;
  startedAtMs: number;
  script: ServedScript;
}

/** One recorded call that was answered. */
export interface ServableCall {
  api: RestApi;
  title: string;
  startedAtMs: number;
  /** Number of its first entry in the recording. */
  entry: number;
  call: RecordedCall;
  /** Of the request, for comparison. */
  body: unknown;
  response: ResponseHead;
}

/** The servable parts of some recordings. */
export interface Servable {
  connections: RecordedConnection[];
  calls: ServableCall[];
}

const MAX_DIFFERENCES = 200;
const MAX_RUNS = 1000;

/** A client's connection or call, and what it did otherwise than the recording. */
export class ServedRun {
  /** From 1, in the order of their beginning. */
  readonly number: number;
  /** Such as the title of the endpoint. */
  readonly what: string;
  /** Title of the recorded one; null where none was left. */
  readonly recording: string | null;
  isOver = false;
  /** The first {@link MAX_DIFFERENCES} of them. */
  readonly differences: ClientDifference[] = [];
  count = 0;
  /** Steps that came at another moment, in words. */
  readonly moved: string[] = [];
  readonly #changed: () => void;

  constructor(number: number, what: string, recording: string | null, changed: () => void) {
    this.number = number;
    this.what = what;
    this.recording = recording;
    this.#changed = changed;
  }

  differs(difference: ClientDifference): void {
    this.count += 1;
    if (this.differences.length < MAX_DIFFERENCES) this.differences.push(difference);
    this.#changed();
  }

  moves(words: string): void {
    if (this.moved.length < MAX_DIFFERENCES) this.moved.push(words);
    this.#changed();
  }

  end(): void {
    this.isOver = true;
    this.#changed();
  }
}

/** Recorded connections, or calls. Each one answers once. */
export class Shelf<T extends { startedAtMs: number }> {
  /** Oldest first. */
  readonly all: readonly T[];
  readonly #repeats: boolean;
  #left: readonly T[];

  /** @param repeats begins again where all that fit a client were taken */
  constructor(all: readonly T[], repeats: boolean) {
    this.all = all.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
    this.#repeats = repeats;
    this.#left = this.all;
  }

  /** Those that no client has taken. */
  get left(): readonly T[] {
    return this.#repeats ? [] : this.#left;
  }

  /** Those that fit a client best, oldest first. @param unlikeness null for one that does not fit at all */
  nearest(unlikeness: (one: T) => number | null): T[] {
    // Once for each, because a comparison may parse a body.
    const fitting = (some: readonly T[]) =>
      some.flatMap((one) => {
        const differing = unlikeness(one);
        return differing === null ? [] : [{ one, differing }];
      });
    let candidates = fitting(this.#left);
    if (this.#repeats && candidates.length === 0) {
      candidates = fitting(this.all);
      this.#left = [...this.#left, ...candidates.map(({ one }) => one)];
    }
    const least = candidates.reduce((min, { differing }) => Math.min(min, differing), Infinity);
    return candidates.filter(({ differing }) => differing === least).map(({ one }) => one);
  }

  take(taken: T): void {
    this.#left = this.#left.filter((one) => one !== taken);
  }
}

/** Recordings that answer clients, and what these did. */
export class Cassette {
  readonly connections: Shelf<RecordedConnection>;
  readonly calls: Shelf<ServableCall>;
  /** The newest ones. */
  runs: readonly ServedRun[] = [];
  /** A client differed, also one whose run is no longer among the newest. */
  hasDifferences = false;
  #runs = 0;
  readonly #listeners = new Set<() => void>();

  /** @param repeats begins again at the end */
  constructor({ connections, calls }: Servable, repeats: boolean) {
    this.connections = new Shelf(connections, repeats);
    this.calls = new Shelf(calls, repeats);
  }

  begin(what: string, recording: string | null): ServedRun {
    this.#runs += 1;
    const run = new ServedRun(this.#runs, what, recording, () => {
      this.hasDifferences ||= run.count > 0;
      this.#changed();
    });
    this.runs = [...this.runs, run].slice(-MAX_RUNS);
    this.#changed();
    return run;
  }

  /** @returns the function that ends the calls */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
