import { type ScheduledToken, type SimulationProfile, scheduleTokens } from '#text/simulated-model.ts';
import type { SessionEnvironment } from '../environment.ts';
import type { SourceView } from '../views.ts';

const NO_SOURCE: SourceView = {
  state: 'idle',
  total: 0,
  sent: 0,
  startedMs: null,
  finishedMs: null,
  nextToken: null,
};

export interface SimulationHandlers {
  say(text: string): void;
  /** The last token has been said. */
  done(): void;
  changed(): void;
  /** The text could not be cut into tokens. */
  failed(): void;
}

/** A model that can be asked again and again; the newest text is the one that is said. */
export class SimulatedModel {
  readonly #environment: SessionEnvironment;
  readonly #tokens: (text: string) => Promise<string[]>;
  readonly #handlers: SimulationHandlers;
  #run: Simulation | null = null;
  /** Counts texts and stops, so that a text that is still being cut knows when it is no longer wanted. */
  #number = 0;

  constructor(
    environment: SessionEnvironment,
    tokens: (text: string) => Promise<string[]>,
    handlers: SimulationHandlers,
  ) {
    this.#environment = environment;
    this.#tokens = tokens;
    this.#handlers = handlers;
  }

  view(): SourceView {
    return this.#run?.view() ?? NO_SOURCE;
  }

  async say(text: string, profile: SimulationProfile, seed: number): Promise<void> {
    this.stop();
    const number = this.#number;
    try {
      const tokens = await this.#tokens(text);
      if (number !== this.#number) return;
      this.#run = new Simulation(this.#environment, scheduleTokens(tokens, profile, seed), this.#handlers);
      this.#run.start();
      this.#handlers.changed();
    } catch {
      if (number === this.#number) this.#handlers.failed();
    }
  }

  stop(): void {
    this.#number += 1;
    this.#run?.stop();
  }
}

/** Says tokens when they are due. What is overdue after a late timer is said at once, token by token, so none is lost. */
class Simulation {
  readonly #environment: SessionEnvironment;
  readonly #tokens: readonly ScheduledToken[];
  readonly #handlers: SimulationHandlers;
  readonly #startedMs: number;
  #state: SourceView['state'] = 'running';
  #sent = 0;
  #finishedMs: number | null = null;
  #callOff = (): void => {};

  constructor(
    environment: SessionEnvironment,
    tokens: readonly ScheduledToken[],
    handlers: SimulationHandlers,
  ) {
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
