import { type ScheduledToken, type SimulationProfile, scheduleTokens } from '#text/simulated-model.ts';
import type { SessionParts } from '../session.ts';
import type { Turn } from '../turns/turn.ts';
import { NO_SOURCE, type SourceView } from '../views.ts';

/** A text for a simulated model, and the receiver of its tokens. */
export interface Writing {
  /** The turn of all its tokens; null where it continues in another turn when the server ends one. */
  turn: Turn | null;
  text: string;
  profile: SimulationProfile;
  seed: number;
  say(token: string): void;
  /** The last token has been said. */
  done(): void;
  /** Its turn is over, and the rest is discarded. */
  abandoned?(): void;
  /** The text could not be split into tokens, so none will be said. */
  failed?(): void;
}

/** Splits a text into a model's tokens. */
export type Tokenizer = (text: string) => Promise<string[]>;

type WriterParts = Pick<SessionParts, 'environment' | 'publisher'>;

/** Simulated models: one for each context, all at once. The texts of one context follow one another. */
export class SimulatedModels {
  readonly #parts: WriterParts;
  readonly #tokenize: Tokenizer;
  readonly #writers = new Map<string, Writer>();

  constructor(parts: WriterParts, tokenize: Tokenizer) {
    this.#parts = parts;
    this.#tokenize = tokenize;
  }

  write(context: string, writing: Writing): void {
    const writer = this.#writers.get(context) ?? new Writer(this.#parts, this.#tokenize);
    this.#writers.set(context, writer);
    writer.write(writing);
  }

  /** More text of this turn, and of no other, is to come. */
  isWriting(turn: Turn): boolean {
    return this.#writers.get(turn.context)?.isWriting(turn) ?? false;
  }

  /** Stops the model of that context; null: of all. */
  stop(context: string | null): void {
    for (const [name, writer] of this.#writers) {
      if (context === null || name === context) writer.stop();
    }
  }

  /** Discards the rest of a turn that did not end normally. The texts behind it go on. */
  turnEnded(turn: Turn): void {
    // After a normal end by the server, a model continues its text in another turn.
    if (turn.state !== 'ended' && turn.origin === 'simulated') this.#writers.get(turn.context)?.abandon(turn);
  }

  /** The sum of the running models; with none running, the models that ran last. */
  view(): SourceView {
    const views = [...this.#writers.values()].map((writer) => writer.view());
    const running = views.filter(({ state }) => state === 'running');
    const shown = running.length > 0 ? running : views;
    const [first] = shown;
    if (!first) return NO_SOURCE;
    const startedMs = shown.flatMap((view) => view.startedMs ?? []);
    return {
      ...first,
      total: shown.reduce((sum, { total }) => sum + total, 0),
      sent: shown.reduce((sum, { sent }) => sum + sent, 0),
      startedMs: startedMs.length === 0 ? null : Math.min(...startedMs),
      nextToken: shown.length === 1 ? first.nextToken : null,
    };
  }
}

/** The simulated model of one context. After a late timer it says all overdue tokens one by one, so that none is lost. */
class Writer {
  readonly #parts: WriterParts;
  readonly #tokenize: Tokenizer;
  /** Changes with each start and stop, so that a text whose tokens come late is recognised as stopped. */
  #generation = 0;
  #current: Writing | null = null;
  #queue: Writing[] = [];
  /** The tokens of the last text that was started, and the progress through them. */
  #tokens: readonly ScheduledToken[] = [];
  #state: SourceView['state'] = 'idle';
  #sent = 0;
  #startedMs: number | null = null;
  #finishedMs: number | null = null;
  #cancelTimer = (): void => {};

  constructor(parts: WriterParts, tokenize: Tokenizer) {
    this.#parts = parts;
    this.#tokenize = tokenize;
  }

  write(writing: Writing): void {
    this.#queue.push(writing);
    if (!this.#current) this.#next();
  }

  stop(): void {
    this.#queue = [];
    this.#current = null;
    this.#halt();
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
      this.#halt();
      this.#next();
    }
    for (const writing of abandoned) writing.abandoned?.();
  }

  view(): SourceView {
    return {
      state: this.#state,
      total: this.#tokens.length,
      sent: this.#sent,
      startedMs: this.#startedMs,
      finishedMs: this.#finishedMs,
      nextToken: this.#tokens[this.#sent]?.text ?? null,
    };
  }

  #next(): void {
    this.#current = this.#queue.shift() ?? null;
    if (this.#current) void this.#begin(this.#current);
  }

  async #begin({ text, profile, seed }: Writing): Promise<void> {
    this.#halt();
    const generation = this.#generation;
    const tokens = await this.#tokenize(text).catch(() => null);
    if (generation !== this.#generation) return;
    if (!tokens) {
      this.#fail();
      return;
    }
    this.#tokens = scheduleTokens(tokens, profile, seed);
    this.#state = 'running';
    this.#sent = 0;
    this.#startedMs = this.#parts.environment.nowMs();
    this.#finishedMs = null;
    this.#wait(this.#startedMs);
    this.#parts.publisher.changed('source');
  }

  #wait(startedMs: number): void {
    const next = this.#tokens[this.#sent];
    if (!next) {
      this.#finish('done');
      this.#current?.done();
      this.#next();
      return;
    }
    const delayMs = Math.max(0, startedMs + next.atMs - this.#parts.environment.nowMs());
    this.#cancelTimer = this.#parts.environment.after(delayMs, () => this.#sayDue(startedMs));
  }

  #sayDue(startedMs: number): void {
    const generation = this.#generation;
    const elapsedMs = this.#parts.environment.nowMs() - startedMs;
    do {
      const token = this.#tokens[this.#sent];
      // A timer may fire a fraction early, so its own token is said without a check.
      if (!token) break;
      this.#sent += 1;
      this.#current?.say(token.text);
    } while (
      generation === this.#generation &&
      (this.#tokens[this.#sent]?.atMs ?? Number.POSITIVE_INFINITY) <= elapsedMs
    );
    this.#parts.publisher.changed('source');
    if (generation === this.#generation) this.#wait(startedMs);
  }

  #finish(state: 'done' | 'stopped'): void {
    this.#cancelTimer();
    this.#state = state;
    this.#finishedMs = this.#parts.environment.nowMs();
    this.#parts.publisher.changed('source');
  }

  #halt(): void {
    this.#generation += 1;
    if (this.#state === 'running') this.#finish('stopped');
  }

  #fail(): void {
    const writings = this.#current ? [this.#current, ...this.#queue] : this.#queue;
    this.stop();
    for (const writing of writings) writing.failed?.();
    this.#parts.publisher.problem({
      turn: null,
      severity: 'error',
      title: 'The simulated model has no vocabulary',
      detail: 'The file with its tokens could not be loaded.',
      remedy: 'Reload the page, or type the text and press Speak.',
    });
  }
}
