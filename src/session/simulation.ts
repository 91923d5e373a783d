import type { ScheduledToken } from '../text/simulated-model.ts';
import type { Environment } from './environment.ts';
import type { SourceView } from './model.ts';

export const NO_SOURCE: SourceView = {
  state: 'idle',
  total: 0,
  sent: 0,
  startedMs: null,
  finishedMs: null,
  nextToken: null,
};

interface SimulationHandlers {
  say(text: string): void;
  /** The last token has been said. */
  done(): void;
  changed(): void;
}

/** Says tokens when they are due. What is overdue after a late timer is said at once, token by token, so none is lost. */
export class Simulation {
  readonly #environment: Environment;
  readonly #tokens: readonly ScheduledToken[];
  readonly #handlers: SimulationHandlers;
  readonly #startedMs: number;
  #state: SourceView['state'] = 'running';
  #sent = 0;
  #finishedMs: number | null = null;
  #callOff = (): void => {};

  constructor(environment: Environment, tokens: readonly ScheduledToken[], handlers: SimulationHandlers) {
    this.#environment = environment;
    this.#tokens = tokens;
    this.#handlers = handlers;
    this.#startedMs = environment.nowMs();
  }

  start(): void {
    this.#wait();
  }

  stop(): void {
    if (this.#state === 'running') this.#finish('stopped');
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

  #wait(): void {
    const next = this.#tokens[this.#sent];
    if (!next) {
      this.#finish('done');
      this.#handlers.done();
      return;
    }
    const delayMs = Math.max(0, this.#startedMs + next.atMs - this.#environment.nowMs());
    this.#callOff = this.#environment.after(delayMs, () => this.#sayDue());
  }

  #sayDue(): void {
    const elapsedMs = this.#environment.nowMs() - this.#startedMs;
    do {
      const token = this.#tokens[this.#sent];
      // A timer may fire a fraction early; its own token is said all the same.
      if (!token) break;
      this.#sent += 1;
      this.#handlers.say(token.text);
    } while (
      this.#state === 'running' &&
      (this.#tokens[this.#sent]?.atMs ?? Number.POSITIVE_INFINITY) <= elapsedMs
    );
    this.#handlers.changed();
    if (this.#state === 'running') this.#wait();
  }

  #finish(state: 'done' | 'stopped'): void {
    this.#callOff();
    this.#state = state;
    this.#finishedMs = this.#environment.nowMs();
    this.#handlers.changed();
  }
}
