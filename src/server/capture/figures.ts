import { knownSum } from '#lib/statistics/known-sum.ts';
import { endpointNamed } from '#protocol/registry.ts';
import type { CapturedClient, CapturedEntry } from '#trace/capture-messages.ts';
import { EntryLinter } from '#trace/entry-linter.ts';
import { Trace } from '#trace/trace.ts';
import type { CapturedConnection } from './captured-connection.ts';

/** Entries read in one task, so that a page that looks delays no session. */
const ENTRIES_A_SLICE = 64;
/** Text without an answer is followed this far: a hostile client sends any amount. */
const MAX_UNANSWERED_CHARS = 256 * 1024;

type Findings = CapturedClient['findings'];

/** Turns, audio and findings of one captured connection. They are counted only while a page looks. */
export class ConnectionFigures {
  /** Null once the length of some audio is unknown. */
  audioMs: number | null = 0;
  readonly findings: Findings = { violations: 0, warnings: 0, advice: 0 };
  readonly #connection: CapturedConnection;
  readonly #trace: Trace;
  readonly #linter: EntryLinter;
  #next = 0;
  /** Length of the frames sent since the last answer. */
  #unanswered = 0;
  /** Entries were dropped. */
  #isTorn = false;

  constructor(connection: CapturedConnection) {
    this.#connection = connection;
    this.#trace = new Trace(endpointNamed(connection.endpoint), connection.address);
    this.#linter = new EntryLinter(connection.endpoint);
  }

  get turns(): number {
    return this.#trace.turns;
  }

  /** Reads further entries. Returns whether there are more. */
  readOn(): boolean {
    const connection = this.#connection;
    if (connection.lost > this.#next) {
      this.#next = connection.lost;
      this.#isTorn = true;
    }
    for (const entry of connection.from(this.#next, ENTRIES_A_SLICE)) {
      this.#read(entry, this.#next);
      this.#next += 1;
    }
    return this.#next < connection.length;
  }

  #read({ atMs, direction, kind, payload }: CapturedEntry, index: number): void {
    const head = { index, atUs: Math.round(atMs * 1000), connection: 1, direction, kind };
    if (direction === 'in') this.#unanswered = 0;
    if (direction !== 'connection' && this.#unanswered < MAX_UNANSWERED_CHARS) {
      const { note } = this.#trace.append({ ...head, payload });
      if (note.kind === 'audio') this.audioMs = knownSum(this.audioMs, note.audioMs);
    }
    if (direction === 'out') this.#unanswered += payload.length;
    const found = this.#linter.take(head, this.#isTorn ? null : payload);
    for (const { severity } of found) {
      if (severity === 'violation') this.findings.violations += 1;
      else if (severity === 'warning') this.findings.warnings += 1;
      else this.findings.advice += 1;
    }
  }
}
