import type { Clock } from '#lib/clock.ts';
import type { NewEntry } from '#record/record.ts';
import type { BatcherMessage, HearingTurn } from '#recordings/batcher-messages.ts';
import type { RecordingStart } from '#recordings/store/live-recording.ts';

/** Entries are posted in batches, because hundreds of messages a second cost more than their content. */
const POST_EVERY_MS = 50;

/** Sends entries to the recordings worker in batches. Without a port, entries are discarded. */
export class EntryBatcher {
  readonly #clock: Pick<Clock, 'after'>;
  #port: { postMessage(message: BatcherMessage): void } | null = null;
  #entries: NewEntry[] = [];
  #number = 0;
  /** Entries are still being read. */
  #holds = 0;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get isAttached(): boolean {
    return this.#port !== null;
  }

  attach(port: { postMessage(message: BatcherMessage): void }): void {
    this.#port = port;
  }

  begin(start: RecordingStart): void {
    this.#post();
    this.#port?.postMessage({ type: 'begin', start });
  }

  /**
   * Adds an entry, which the caller may still change in the same task, or while it holds them.
   * @returns its number, counted over all recordings of the session; undefined where the entry is discarded
   */
  add(entry: NewEntry): number | undefined {
    if (!this.#port) return undefined;
    this.#entries.push(entry);
    if (this.#entries.length === 1) this.#clock.after(POST_EVERY_MS, () => this.#postUnlessHeld());
    const number = this.#number;
    this.#number += 1;
    return number;
  }

  /** Keeps entries from being posted until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
      this.#postUnlessHeld();
    };
  }

  /** Posts at once what has been heard so far. */
  hearing(turns: readonly HearingTurn[]): void {
    this.#port?.postMessage({ type: 'hearing', turns });
  }

  #postUnlessHeld(): void {
    if (this.#holds === 0) this.#post();
  }

  #post(): void {
    const entries = this.#entries;
    if (entries.length === 0) return;
    this.#entries = [];
    this.#port?.postMessage({ type: 'entries', first: this.#number - entries.length, entries });
  }
}
