import type { Connection } from '../connection.ts';

/** Memory of waiting text at which a connection is full: about two hours of speech. */
const MAX_WAITING_BYTES = 200_000;
/** Waiting generations at which it is full. */
const MAX_WAITING_GENERATIONS = 4096;
/** Of UTF-16, the larger of the two forms that a text has in memory. */
const BYTES_OF_UNIT = 2;
/** Generations that are cut ahead of speech. Further text of a message waits as text. */
const MAX_AHEAD = 16;

/** The text that waits on one connection. Stops reading instead of rejecting text, because clients expect all of it to be spoken. */
export class WaitingText {
  readonly #connection: Connection;
  #bytes = 0;
  #generations = 0;
  #isFull = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  add({ length }: string): void {
    this.#count(1, length);
  }

  remove({ length }: string): void {
    this.#count(-1, -length);
  }

  #count(generations: number, units: number): void {
    this.#generations += generations;
    this.#bytes += units * BYTES_OF_UNIT;
    const isFull = this.#bytes >= MAX_WAITING_BYTES || this.#generations >= MAX_WAITING_GENERATIONS;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    if (isFull) this.#connection.pause();
    else this.#connection.resume();
  }
}

/** A message of which some is not cut yet. */
interface Feed {
  /** Each step adds at most one generation. */
  readonly steps: Iterator<unknown>;
  readonly text: string;
  isCounted: boolean;
}

interface Options<Generation> {
  connection: Connection;
  /** Shared by the queues of a connection. */
  waiting: WaitingText;
  /** Speaks one generation. The signal aborts when the queue stops. Rejects when the engine fails or is aborted. */
  speak(generation: Generation, signal: AbortSignal): Promise<void>;
  /** Called after a generation that leaves none behind. */
  emptied(): void;
  failed(error: unknown): void;
}

/** Speaks generations in their order, one at a time. Messages that become generations wait as they are while enough are ahead. */
export class GenerationQueue<Generation extends { readonly text: string }> {
  readonly #options: Options<Generation>;
  readonly #abort = new AbortController();
  #waiting: Generation[] = [];
  #feeds: Feed[] = [];
  #isOpen = false;
  #speaking = false;
  #isFeeding = false;

  constructor(options: Options<Generation>) {
    this.#options = options;
  }

  /** Generations that are not finished, and messages that are not cut. A message whose step runs does not count. */
  get length(): number {
    return this.#waiting.length + this.#feeds.length + (this.#speaking ? 1 : 0);
  }

  /** Starts speaking. */
  open(): void {
    this.#isOpen = true;
    this.#run();
  }

  /** Accepts every generation. */
  add(generation: Generation): void {
    this.#waiting.push(generation);
    this.#options.waiting.add(generation.text);
    this.#run();
  }

  /**
   * Runs the steps that make generations of a message, in the order of the messages, as far as there is room ahead of
   * speech.
   * @param text of the message
   */
  feed(steps: Iterator<unknown>, text = ''): void {
    this.#feeds.push({ steps, text, isCounted: false });
    this.#feedOn();
    for (const feed of this.#feeds) {
      if (feed.isCounted) continue;
      feed.isCounted = true;
      this.#options.waiting.add(feed.text);
    }
  }

  /** Stops for good. */
  stop(): void {
    this.#abort.abort();
    for (const { text } of this.#waiting) this.#options.waiting.remove(text);
    for (const { text, isCounted } of this.#feeds) if (isCounted) this.#options.waiting.remove(text);
    this.#waiting = [];
    this.#feeds = [];
  }

  #feedOn(): void {
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    try {
      while (this.#waiting.length < MAX_AHEAD) {
        const feed = this.#feeds.shift();
        if (!feed) break;
        const isWhole = feed.steps.next().done === true;
        if (!isWhole && !this.#abort.signal.aborted) this.#feeds.unshift(feed);
        else if (feed.isCounted) this.#options.waiting.remove(feed.text);
      }
    } finally {
      this.#isFeeding = false;
    }
  }

  #run(): void {
    const { signal } = this.#abort;
    const next = this.#isOpen && !this.#speaking && !signal.aborted ? this.#waiting.shift() : undefined;
    if (!next) return;
    const { connection, waiting, speak, emptied, failed } = this.#options;
    waiting.remove(next.text);
    this.#speaking = true;
    this.#feedOn();
    connection.background(async () => {
      try {
        await speak(next, signal);
      } catch (error) {
        if (!signal.aborted) failed(error);
      } finally {
        this.#speaking = false;
      }
      if (signal.aborted) return;
      if (this.length === 0) emptied();
      else this.#run();
    });
  }
}
