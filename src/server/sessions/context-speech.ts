import type { Connection } from '../connection.ts';
import type { Engine, SpeechBlock, SpeechRequest } from '../speech/engine.ts';
import { GenerationQueue, type WaitingText } from '../speech/generation-queue.ts';

/** Characters of one turn that are not spoken: about two hours of speech. Ours. */
export const MAX_SPOKEN_TURN_CHARS = 100_000;

/** The parts of a session that its contexts use. */
export interface ContextParts {
  connection: Connection;
  engine: Engine;
  /** Fairness at the engine. */
  share: Pick<SpeechRequest, 'session' | 'context'>;
  waiting: WaitingText;
  send(message: string): void;
  /** Nothing waits to be spoken. */
  emptied(): void;
  failed(error: unknown): void;
}

/** The speech of one context or turn, up to its last frame. The queue opens when it may begin. */
export abstract class ContextSpeech<
  Spoken extends { readonly text: string },
  Options extends ContextParts & {
    /** The last frame was sent. */
    finished?(): void;
  },
> {
  protected readonly options: Options;
  protected readonly queue: GenerationQueue<Spoken>;
  /** Takes no more text. */
  isEnding = false;
  /** Sends nothing more. */
  isOver = false;
  /** Of this turn, not spoken yet. A client that never flushes has one turn without an end. */
  #turnChars = 0;
  /** Of the turns before, not spoken yet. */
  #olderChars = 0;

  constructor(options: Options) {
    this.options = options;
    this.queue = new GenerationQueue({
      connection: options.connection,
      waiting: options.waiting,
      speak: async (spoken, signal) => {
        await this.speak(spoken, signal);
        this.#spoke(spoken.text.length);
      },
      emptied: () => {
        // Blanks that are not spoken would add up.
        this.#turnChars = 0;
        this.#olderChars = 0;
        this.rest();
        options.emptied();
      },
      failed: options.failed,
    });
  }

  protected abstract speak(spoken: Spoken, signal: AbortSignal): Promise<void>;
  /** Nothing waits to be spoken. */
  protected abstract rest(): void;

  /** The text makes the turn longer than {@link MAX_SPOKEN_TURN_CHARS}. */
  isTooLongWith({ length }: string): boolean {
    return this.#turnChars + length > MAX_SPOKEN_TURN_CHARS;
  }

  protected addChars({ length }: string): void {
    this.#turnChars += length;
  }

  protected beginTurn(): void {
    this.#olderChars += this.#turnChars;
    this.#turnChars = 0;
  }

  #spoke(length: number): void {
    const older = Math.min(this.#olderChars, length);
    this.#olderChars -= older;
    this.#turnChars = Math.max(0, this.#turnChars - (length - older));
  }

  get isBusy(): boolean {
    return this.queue.length > 0;
  }

  stop(): void {
    this.isOver = true;
    this.queue.stop();
  }

  /** Ends with this frame. */
  protected finish(frame: object): void {
    this.stop();
    this.options.send(JSON.stringify(frame));
    this.options.finished?.();
  }

  /** @returns whether it was spoken to the end */
  protected async synthesize(
    request: Omit<SpeechRequest, 'session'>,
    signal: AbortSignal,
    heard: (block: SpeechBlock) => void | Promise<void>,
  ): Promise<boolean> {
    const { connection, engine, share } = this.options;
    for await (const block of engine.synthesize({ ...request, ...share }, signal)) {
      await heard(block);
      if (signal.aborted) return false;
      await connection.drained();
      if (signal.aborted) return false;
    }
    return !signal.aborted;
  }
}
