import type { Clock } from '#lib/clock.ts';
import type { FeedMessage, HearingTurn } from '#recordings/messages.ts';
import type { NewEntry } from '#recordings/store/keeper.ts';
import type { RecordingStart } from '#recordings/store/live-recording.ts';

/** The part of a MessagePort that a feed needs. */
export interface FeedPort {
  postMessage(message: FeedMessage): void;
}

/** Between two posts: a few hundred messages a second would cost more than what is in them. */
const POST_EVERY_MS = 50;

/**
 * The session worker's end of the way to the recordings worker: entries go there some at a time. Until there is a port,
 * what is recorded goes nowhere, and costs nothing.
 */
export class Feed {
  readonly #clock: Pick<Clock, 'after'>;
  #port: FeedPort | null = null;
  #entries: NewEntry[] = [];
  /** Of the entry that comes next. */
  #number = 0;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get isAttached(): boolean {
    return this.#port !== null;
  }

  attach(port: FeedPort): void {
    this.#port = port;
  }

  begin(start: RecordingStart): void {
    this.#post();
    this.#port?.postMessage({ type: 'begin', start });
  }

  /**
   * The entry is copied when it is posted, so that until the caller has returned it may still be changed.
   * @returns its number: entries are counted through all recordings that are made of them, since where one ends and the
   *   next begins is not known here; undefined where it goes nowhere
   */
  add(entry: NewEntry): number | undefined {
    if (!this.#port) return undefined;
    this.#entries.push(entry);
    if (this.#entries.length === 1) this.#clock.after(POST_EVERY_MS, () => this.#post());
    const number = this.#number;
    this.#number += 1;
    return number;
  }

  /** What has been heard by now, at once. */
  hearing(turns: readonly HearingTurn[]): void {
    this.#port?.postMessage({ type: 'hearing', turns });
  }

  #post(): void {
    const entries = this.#entries;
    if (entries.length === 0) return;
    this.#entries = [];
    this.#port?.postMessage({ type: 'entries', first: this.#number - entries.length, entries });
  }
}
