import type { Clock } from '#lib/clock.ts';
import { type ScheduledToken, type SimulationProfile, scheduleTokens } from '#text/simulated-model.ts';
import type { TokenReceiver, TokenSource } from './models.ts';

/** Splits a text into a model's tokens. */
export type Tokenizer = (text: string) => Promise<string[]>;

/** A text, the pace of its tokens, and the seed that decides their times. */
interface Simulation {
  text: string;
  profile: SimulationProfile;
  seed: number;
}

/** Says the tokens of a text at the pace of a simulated model. After a late timer it says all overdue tokens. */
export class SimulatedModelSource implements TokenSource {
  readonly model = 'simulated';
  readonly #clock: Clock;
  readonly #tokenize: Tokenizer;
  readonly #simulation: Simulation;
  #scheduled: readonly ScheduledToken[] = [];
  #said = 0;
  #isStopped = false;
  #cancelTimer = (): void => {};

  constructor(clock: Clock, tokenize: Tokenizer, simulation: Simulation) {
    this.#clock = clock;
    this.#tokenize = tokenize;
    this.#simulation = simulation;
  }

  get total(): number {
    return this.#scheduled.length;
  }

  get nextToken(): string | null {
    return this.#scheduled[this.#said]?.text ?? null;
  }

  start(to: TokenReceiver): void {
    void this.#start(to);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  async #start(to: TokenReceiver): Promise<void> {
    const { text, profile, seed } = this.#simulation;
    const tokens = await this.#tokenize(text).catch(() => null);
    if (this.#isStopped) return;
    if (!tokens) {
      to.failed(NO_VOCABULARY);
      return;
    }
    this.#scheduled = scheduleTokens(tokens, profile, seed);
    to.began();
    this.#wait(to, this.#clock.nowMs());
  }

  #wait(to: TokenReceiver, startedMs: number): void {
    const next = this.#scheduled[this.#said];
    if (!next) {
      to.done();
      return;
    }
    const delayMs = Math.max(0, startedMs + next.atMs - this.#clock.nowMs());
    this.#cancelTimer = this.#clock.after(delayMs, () => this.#sayDue(to, startedMs));
  }

  #sayDue(to: TokenReceiver, startedMs: number): void {
    const elapsedMs = this.#clock.nowMs() - startedMs;
    const from = this.#said;
    do {
      // A timer may fire a fraction early, so its own token is said without a check.
      this.#said += 1;
    } while ((this.#scheduled[this.#said]?.atMs ?? Number.POSITIVE_INFINITY) <= elapsedMs);
    to.say(this.#scheduled.slice(from, this.#said).map(({ text }) => text));
    if (!this.#isStopped) this.#wait(to, startedMs);
  }
}

const NO_VOCABULARY = {
  severity: 'error',
  title: 'The simulated model has no vocabulary',
  detail: 'The file with its tokens could not be loaded.',
  remedy: 'Reload the page, or type the text and press Speak.',
} as const;
