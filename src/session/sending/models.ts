import type { Clock } from '#lib/clock.ts';
import { smallest } from '#lib/collections/arrays.ts';
import { madeOnce } from '#lib/collections/maps.ts';
import type { Publisher } from '../publisher.ts';
import type { SessionTurn } from '../turns/session-turn.ts';
import { NO_SOURCE, type Problem, type SourceView } from '../views.ts';

/** The words of a problem that ends a text. */
export type ModelFault = Pick<Problem, 'severity' | 'title' | 'detail' | 'remedy'>;

/** The receiver of one text. After a `stop`, no source calls it any more. */
export interface TokenReceiver {
  /** The model writes from now on. */
  began(): void;
  /** Tokens that came at the same moment. */
  say(tokens: readonly string[]): void;
  done(): void;
  failed(fault: ModelFault): void;
}

/** A model that writes one text: simulated, or a server's. */
export interface TokenSource {
  readonly model: 'simulated' | 'live';
  /** Number of tokens, where it is known before the last one; otherwise null. */
  readonly total: number | null;
  readonly nextToken: string | null;
  start(to: TokenReceiver): void;
  stop(): void;
}

/** A text that a model writes, and the actions for its tokens and its end. */
export interface Writing {
  /** The turn of all its tokens; null where it continues in another turn when the server ends one. */
  turn: SessionTurn | null;
  source: TokenSource;
  say(token: string): void;
  /** The last token has been said. */
  done(): void;
  /** It was stopped by hand. */
  stopped?(): void;
  /** Its turn is over, and the rest is discarded. */
  abandoned?(): void;
  /** No further token will be said. The session reports the problem. */
  failed?(): void;
}

interface ModelOptions {
  clock: Clock;
  publisher: Publisher;
}

/** The models that write: one for each context, all at once. The texts of one context follow one another. */
export class Models {
  readonly #options: ModelOptions;
  readonly #writers = new Map<string, Writer>();

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  write(context: string, writing: Writing): void {
    madeOnce(this.#writers, context, () => new Writer(this.#options)).write(writing);
  }

  /** More text of this turn, and of no other, is to come. */
  isWriting(turn: SessionTurn): boolean {
    return this.#writers.get(turn.context)?.isWriting(turn) ?? false;
  }

  /** Stops the model of that context; null: of all. */
  stop(context: string | null): void {
    this.stopThose((name) => context === null || name === context);
  }

  stopThose(isMeant: (context: string) => boolean): void {
    for (const [name, writer] of this.#writers) if (isMeant(name)) writer.stop();
  }

  /** Discards the rest of a turn that did not end normally. The texts behind it go on. */
  turnEnded(turn: SessionTurn): void {
    // After a normal end by the server, a model continues its text in another turn.
    const { origin } = turn.asked;
    const isWritten = origin === 'simulated' || origin === 'live';
    if (turn.state !== 'ended' && isWritten) this.#writers.get(turn.context)?.abandon(turn);
  }

  /** The sum of the running models; with none running, the models that ran last. */
  view(): SourceView {
    const views = [...this.#writers.values()].map((writer) => writer.view());
    const running = views.filter(({ state }) => state === 'running');
    const shown = running.length > 0 ? running : views;
    const [first] = shown;
    if (!first) return NO_SOURCE;
    const startedMs = shown.flatMap((view) => view.startedMs ?? []);
    const totals = shown.flatMap(({ total }) => total ?? []);
    return {
      ...first,
      total: totals.length < shown.length ? null : totals.reduce((sum, total) => sum + total, 0),
      sent: shown.reduce((sum, { sent }) => sum + sent, 0),
      startedMs: startedMs.length === 0 ? null : smallest(startedMs),
      nextToken: shown.length === 1 ? first.nextToken : null,
    };
  }
}

/** The model of one context. */
class Writer {
  readonly #options: ModelOptions;
  #current: Writing | null = null;
  #queue: Writing[] = [];
  /** The source that was started last, and the progress through it. */
  #source: TokenSource | null = null;
  #state: SourceView['state'] = 'idle';
  #sent = 0;
  #startedMs: number | null = null;
  #finishedMs: number | null = null;

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  write(writing: Writing): void {
    this.#queue.push(writing);
    if (!this.#current) this.#next();
  }

  stop(): void {
    const stopped = this.#clear();
    for (const writing of stopped) writing.stopped?.();
  }

  isWriting(turn: SessionTurn): boolean {
    return this.#current?.turn === turn || this.#queue.some((writing) => writing.turn === turn);
  }

  abandon(turn: SessionTurn): void {
    const isMeant = (writing: Writing): boolean => writing.turn === turn;
    const abandoned = this.#queue.filter(isMeant);
    this.#queue = this.#queue.filter((writing) => !isMeant(writing));
    const current = this.#current;
    if (current && (isMeant(current) || current.turn === null)) {
      abandoned.push(current);
      this.#halt();
      this.#next();
    }
    for (const writing of abandoned) writing.abandoned?.();
  }

  view(): SourceView {
    return {
      model: this.#source?.model ?? null,
      state: this.#state,
      total: this.#source ? this.#source.total : 0,
      sent: this.#sent,
      startedMs: this.#startedMs,
      finishedMs: this.#finishedMs,
      nextToken: this.#source?.nextToken ?? null,
    };
  }

  #next(): void {
    this.#current = this.#queue.shift() ?? null;
    if (this.#current) this.#begin(this.#current);
  }

  #begin(writing: Writing): void {
    const { source } = writing;
    source.start({
      began: () => {
        this.#source = source;
        this.#state = 'running';
        this.#sent = 0;
        this.#startedMs = this.#options.clock.nowMs();
        this.#finishedMs = null;
        this.#options.publisher.changed('source');
      },
      say: (tokens) => {
        for (const token of tokens) {
          this.#sent += 1;
          writing.say(token);
          // A token may end its own turn, where the connection fails.
          if (this.#current !== writing) break;
        }
        this.#options.publisher.changed('source');
      },
      done: () => {
        this.#finish('done');
        writing.done();
        // The end may have ended the turn, and begun the next text.
        if (this.#current === writing) this.#next();
      },
      failed: (fault) => this.#fail(fault),
    });
  }

  #finish(state: 'done' | 'stopped'): void {
    this.#state = state;
    this.#finishedMs = this.#options.clock.nowMs();
    this.#options.publisher.changed('source');
  }

  #halt(): void {
    this.#current?.source.stop();
    if (this.#state === 'running') this.#finish('stopped');
  }

  /** Ends all texts. Returns them. */
  #clear(): Writing[] {
    const writings = this.#current ? [this.#current, ...this.#queue] : this.#queue;
    this.#halt();
    this.#queue = [];
    this.#current = null;
    return writings;
  }

  #fail(fault: ModelFault): void {
    for (const writing of this.#clear()) writing.failed?.();
    this.#options.publisher.problem({ turn: null, ...fault });
  }
}
