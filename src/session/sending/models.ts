import type { SimulationProfile } from '#text/simulated-model.ts';
import type { SessionEnvironment } from '../environment.ts';
import type { Turn } from '../turns/turn.ts';
import type { SourceView } from '../views.ts';
import { SimulatedModel } from './simulation.ts';

/** A text that a model writes, and what becomes of it. */
export interface Writing {
  /** The turn that it writes; null where it goes on in another when the server ends one. */
  turn: Turn | null;
  text: string;
  profile: SimulationProfile;
  seed: number;
  say(token: string): void;
  /** The last token has been said. */
  done(): void;
  /** Its turn is over, and the rest of it is not wanted. */
  abandoned(): void;
  /** It could not be cut into tokens, so nothing of it will be said. */
  failed(): void;
}

export interface ModelsHandlers {
  changed(): void;
  /** A text could not be cut into tokens. */
  failed(): void;
}

/** Simulated models: one for each context, all at once; the texts of one context follow one another. */
export class Models {
  readonly #environment: SessionEnvironment;
  readonly #tokens: (text: string) => Promise<string[]>;
  readonly #handlers: ModelsHandlers;
  readonly #writers = new Map<string, Writer>();

  constructor(
    environment: SessionEnvironment,
    tokens: (text: string) => Promise<string[]>,
    handlers: ModelsHandlers,
  ) {
    this.#environment = environment;
    this.#tokens = tokens;
    this.#handlers = handlers;
  }

  write(context: string, writing: Writing): void {
    let writer = this.#writers.get(context);
    if (!writer) {
      writer = new Writer(this.#environment, this.#tokens, this.#handlers);
      this.#writers.set(context, writer);
    }
    writer.write(writing);
  }

  /** More of this turn, and of no other, is to come. */
  isWriting(turn: Turn): boolean {
    return this.#writers.get(turn.context)?.isWriting(turn) ?? false;
  }

  /** On that context, or on all (null). */
  stop(context: string | null): void {
    for (const [name, writer] of this.#writers) {
      if (context === null || name === context) writer.stop();
    }
  }

  /** Nothing more of this turn is wanted; the texts behind it go on. */
  abandon(turn: Turn): void {
    this.#writers.get(turn.context)?.abandon(turn);
  }

  /** All of them together: what is under way where anything is, else what was written last. */
  view(): SourceView {
    const views = [...this.#writers.values()].map((writer) => writer.view());
    const running = views.filter(({ state }) => state === 'running');
    const shown = running.length > 0 ? running : views;
    const [first] = shown;
    if (!first)
      return { state: 'idle', total: 0, sent: 0, startedMs: null, finishedMs: null, nextToken: null };
    return {
      state: first.state,
      total: sumOf(shown, 'total'),
      sent: sumOf(shown, 'sent'),
      startedMs: earliest(shown),
      finishedMs: first.finishedMs,
      nextToken: shown.length === 1 ? first.nextToken : null,
    };
  }
}

class Writer {
  readonly #model: SimulatedModel;
  #current: Writing | null = null;
  #queue: Writing[] = [];

  constructor(
    environment: SessionEnvironment,
    tokens: (text: string) => Promise<string[]>,
    handlers: ModelsHandlers,
  ) {
    this.#model = new SimulatedModel(environment, tokens, {
      say: (token) => this.#current?.say(token),
      done: () => {
        this.#current?.done();
        this.#next();
      },
      changed: () => handlers.changed(),
      failed: () => {
        const writings = this.#current ? [this.#current, ...this.#queue] : this.#queue;
        this.stop();
        for (const writing of writings) writing.failed();
        handlers.failed();
      },
    });
  }

  write(writing: Writing): void {
    this.#queue.push(writing);
    if (!this.#current) this.#next();
  }

  stop(): void {
    this.#queue = [];
    this.#current = null;
    this.#model.stop();
  }

  isWriting(turn: Turn): boolean {
    return this.#current?.turn === turn || this.#queue.some((writing) => writing.turn === turn);
  }

  abandon(turn: Turn): void {
    const isMeant = (writing: Writing): boolean => writing.turn === turn;
    const abandoned = this.#queue.filter(isMeant);
    this.#queue = this.#queue.filter((writing) => !isMeant(writing));
    const current = this.#current;
    if (current && (isMeant(current) || current.turn === null)) {
      abandoned.push(current);
      this.#model.stop();
      this.#next();
    }
    for (const writing of abandoned) writing.abandoned();
  }

  view(): SourceView {
    return this.#model.view();
  }

  #next(): void {
    this.#current = this.#queue.shift() ?? null;
    if (this.#current) void this.#model.say(this.#current.text, this.#current.profile, this.#current.seed);
  }
}

const sumOf = (views: readonly SourceView[], key: 'total' | 'sent'): number =>
  views.reduce((sum, view) => sum + view[key], 0);

const earliest = (views: readonly SourceView[]): number | null =>
  views.reduce<number | null>(
    (first, { startedMs }) => (startedMs === null ? first : Math.min(first ?? startedMs, startedMs)),
    null,
  );
