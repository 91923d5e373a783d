import type { Connection } from '../connection.ts';

/** Waiting characters at which a connection is full: about two hours of speech. */
const MAX_WAITING_CHARS = 100_000;
/** Waiting generations at which it is full. */
const MAX_WAITING_GENERATIONS = 4096;

/** The text that waits on one connection. Stops reading instead of rejecting text, because clients expect all of it to be spoken. */
export class WaitingText {
  readonly #connection: Connection;
  #characters = 0;
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

  #count(generations: number, characters: number): void {
    this.#generations += generations;
    this.#characters += characters;
    const isFull = this.#characters >= MAX_WAITING_CHARS || this.#generations >= MAX_WAITING_GENERATIONS;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    if (isFull) this.#connection.pause();
    else this.#connection.resume();
  }
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

/** Speaks generations in their order, one at a time. */
export class GenerationQueue<Generation extends { readonly text: string }> {
  readonly #options: Options<Generation>;
  readonly #abort = new AbortController();
  #waiting: Generation[] = [];
  #isOpen = false;
  #speaking = false;

  constructor(options: Options<Generation>) {
    this.#options = options;
  }

  /** Generations that are not finished. */
  get length(): number {
    return this.#waiting.length + (this.#speaking ? 1 : 0);
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

  /** Stops for good. */
  stop(): void {
    this.#abort.abort();
    for (const { text } of this.#waiting) this.#options.waiting.remove(text);
    this.#waiting = [];
  }

  #run(): void {
    const { signal } = this.#abort;
    const next = this.#isOpen && !this.#speaking && !signal.aborted ? this.#waiting.shift() : undefined;
    if (!next) return;
    const { connection, waiting, speak, emptied, failed } = this.#options;
    waiting.remove(next.text);
    this.#speaking = true;
    connection.background(async () => {
      try {
        await speak(next, signal);
      } catch (error) {
        if (!signal.aborted) failed(error);
      } finally {
        this.#speaking = false;
      }
      if (signal.aborted) return;
      if (this.#waiting.length === 0) emptied();
      else this.#run();
    });
  }
}
