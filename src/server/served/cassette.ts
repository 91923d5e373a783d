import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import type { RecordedCall, RestApi } from '#trace/rest-calls.ts';
import { Shares } from '../state/shares.ts';
import { type ClientDifference, clientDifferenceWords } from './client-difference.ts';
import type { ComparedBody } from './compared-body.ts';
import type { ServedScript } from './script.ts';

/** The answer of a server that took no connection. */
export interface RecordedRefusal {
  status: number;
  body: string;
  contentType: string;
}

/** One recorded connection. */
export interface RecordedConnection {
  endpoint: Endpoint;
  /** File, or name of the recording, with the number of the connection where there are several. */
  title: string;
  startedAtMs: number;
  /** Those in its address. */
  settings: Settings;
  script: ServedScript;
  /** The answer in place of a connection; null where it was opened. */
  refusal: RecordedRefusal | null;
  /** The server said something: a frame, a close of its own, or a refusal. */
  isAnswered: boolean;
}

/** One recorded call that was answered. */
export interface AnsweredCall {
  api: RestApi;
  title: string;
  startedAtMs: number;
  /** Number of its first entry in the recording. */
  entry: number;
  readonly call: RecordedCall;
  /** Names what it asks for; see {@link callTargetOf}. */
  target: string | null;
  /** Reads the body of the request for comparison, once. Null where it was refused before all of the body was recorded. */
  body(): Promise<ComparedBody | null>;
}

/** The parts of recordings that can be served. */
export interface Servable {
  connections: RecordedConnection[];
  calls: AnsweredCall[];
  /** Sentences for people about the rest. */
  notes: string[];
}

/** Whether there is anything that a server said. A connection without it is served beside others only. */
export const hasAnswers = ({ connections, calls }: Omit<Servable, 'notes'>): boolean =>
  calls.length > 0 || connections.some(({ isAnswered }) => isAnswered);

/** How recordings answer. */
export interface Manner {
  /** `recorded`: frames keep their distance in time from what the client had sent. */
  pace: 'recorded' | 'fast';
  /** Compares frames instead of their meaning. */
  strict: boolean;
  /** Closes a connection at its first difference. */
  closes: boolean;
  /** Begins again where all that fit a client were taken, and on a connection whose recording is played. */
  repeats: boolean;
}

/** Lines of a run that are kept. */
const MAX_LINES = 100;

/** A client's connection or call, and what it did otherwise than the recording. */
export class ServedRun {
  /** From 1, in the order of their beginning. */
  readonly number: number;
  /** Such as the title of the endpoint. */
  readonly what: string;
  /** Title of the recorded one; null where none was left. */
  readonly recording: string | null;
  /** The address of its client. */
  readonly peer: string;
  isOver = false;
  /** Number of differences. */
  count = 0;
  /** Steps that came at another moment. */
  #moved = 0;
  readonly #lines: string[] = [];
  readonly #changed: () => void;

  constructor(
    number: number,
    { what, recording, peer }: Pick<ServedRun, 'what' | 'recording' | 'peer'>,
    changed: () => void,
  ) {
    this.number = number;
    this.peer = peer;
    this.what = what;
    this.recording = recording;
    this.#changed = changed;
  }

  differs(difference: ClientDifference): void {
    this.count += 1;
    this.#add(() => clientDifferenceWords(difference));
  }

  moves(words: string): void {
    this.#moved += 1;
    this.#add(() => `timing: ${words}`);
  }

  end(): void {
    this.isOver = true;
    this.#changed();
  }

  /** Returns its differences and what moved, in their order. @param most further ones are counted in a line */
  lines(most = MAX_LINES): string[] {
    const lines = this.#lines.slice(0, most);
    const more = this.count + this.#moved - lines.length;
    return more > 0 ? [...lines, `and ${more} more`] : lines;
  }

  #add(line: () => string): void {
    if (this.#lines.length < MAX_LINES) this.#lines.push(line());
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

const MAX_RUNS = 1000;

/** Recordings that answer clients, and what these did. */
export class Cassette {
  readonly manner: Manner;
  readonly connections: Shelf<RecordedConnection>;
  readonly calls: Shelf<AnsweredCall>;
  /** The newest ones. */
  runs: readonly ServedRun[] = [];
  /** A client differed, also one whose run is no longer among the newest. */
  hasDifferences = false;
  /** It answers no further client. */
  isStopped = false;
  readonly #maxRuns: number;
  readonly #shares = new Shares<ServedRun>();
  #begun = 0;
  readonly #listeners = new Set<() => void>();

  constructor({ connections, calls }: Omit<Servable, 'notes'>, manner: Manner, maxRuns = MAX_RUNS) {
    this.manner = manner;
    this.connections = new Shelf(connections, manner.repeats);
    this.calls = new Shelf(calls, manner.repeats);
    this.#maxRuns = maxRuns;
  }

  /** @param peer the address of the client */
  begin(what: string, recording: string | null, peer = ''): ServedRun {
    this.#begun += 1;
    const run = new ServedRun(this.#begun, { what, recording, peer }, () => {
      this.hasDifferences ||= run.count > 0;
      this.#changed();
    });
    this.runs = [...this.runs, run];
    this.#shares.add(run, [peer]);
    if (this.runs.length > this.#maxRuns) this.#dropRun();
    this.#changed();
    return run;
  }

  /** Drops the oldest run of the client with the most, one that is over first, so that no client hides those of others. */
  #dropRun(): void {
    const oldest = this.#shares.first();
    const dropped = this.runs.find(({ isOver, peer }) => isOver && peer === oldest?.peer) ?? oldest;
    if (dropped) this.#shares.remove(dropped);
    this.runs = this.runs.filter((run) => run !== dropped);
  }

  stop(): void {
    this.isStopped = true;
    this.#changed();
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
