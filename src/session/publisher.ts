import type { Clock } from '#lib/clock.ts';
import type { SessionTurn } from './turns/session-turn.ts';
import type { Mark, Problem, SessionUpdate } from './views.ts';

/** One animation frame of a 60 Hz screen: the page paints no faster. */
const MIN_INTERVAL_MS = 16;

/** Bounds the list for a server that only ever complains. */
const MAX_PROBLEMS = 100;

/** More turns in one report would cost the page more than a frame. */
const MAX_TURNS = 50;

type Part = Exclude<keyof SessionUpdate, 'turns'>;
type Views = { [Name in Part]-?: () => SessionUpdate[Name] | undefined };
type MarkDetails = Partial<Pick<Mark, 'context' | 'turn' | 'amount' | 'text'>> & {
  frame?: number | undefined;
};

export interface PublisherOptions {
  clock: Clock;
  /** Of the times in marks and problems. */
  network: Pick<Clock, 'nowMs'>;
  /** Replaces keys in the words of a problem. */
  clean(text: string): string;
  report(update: SessionUpdate): void;
}

/**
 * Collects marks, problems and changes, and reports them to the page: at most once per animation frame, but at once when a
 * sound begins.
 */
export class Publisher {
  /** Return what the page sees; undefined where there is nothing to report. */
  readonly #views: Views;
  readonly #options: PublisherOptions;
  readonly #changed = new Set<Part>();
  readonly #turns = new Set<SessionTurn>();
  readonly #marks: Mark[] = [];
  #problems: readonly Problem[] = [];
  #nextProblem = 1;
  #lastMs = Number.NEGATIVE_INFINITY;
  #callOff: (() => void) | null = null;

  constructor(options: PublisherOptions, views: Omit<Views, 'marks' | 'problems'>) {
    this.#options = options;
    this.#views = { ...views, marks: () => this.#marks.splice(0), problems: () => this.#problems };
  }

  changed(part: Part): void {
    this.#changed.add(part);
    this.#publishSoon();
  }

  turnChanged(turn: SessionTurn): void {
    this.#turns.add(turn);
    this.#publishSoon();
  }

  /** Reports the changes so far at once: a word that begins to be heard is to light up with it. */
  hurry(): void {
    this.#callOff?.();
    this.#publishAfter(0);
  }

  mark(
    kind: Mark['kind'],
    atMs: number,
    { context = null, turn = null, amount = 0, frame, text }: MarkDetails = {},
  ): void {
    const optional = { ...(frame === undefined ? {} : { frame }), ...(text === undefined ? {} : { text }) };
    this.#marks.push({ kind, atMs, context, turn, amount, ...optional });
    this.changed('marks');
  }

  /** Adds a problem, or counts it where the same one is already listed for the turn. `atMs` defaults to now. Returns its id. */
  problem(problem: Omit<Problem, 'id' | 'atMs' | 'times'> & { atMs?: number }): number {
    const { turn, title } = problem;
    // The detail may repeat the key.
    const detail = this.#options.clean(problem.detail);
    this.changed('problems');
    const at = this.#problems.findIndex(
      (other) => other.turn === turn && other.title === title && other.detail === detail,
    );
    const known = this.#problems[at];
    if (known) {
      this.#problems = this.#problems.with(at, { ...known, times: known.times + 1 });
      return known.id;
    }
    const added = {
      atMs: this.#options.network.nowMs(),
      ...problem,
      detail,
      id: this.#nextProblem,
      times: 1,
    };
    this.#nextProblem += 1;
    this.#problems = [...this.#problems, added].slice(-MAX_PROBLEMS);
    return added.id;
  }

  hasProblem(turn: number, title: string): boolean {
    return this.#problems.some((problem) => problem.turn === turn && problem.title === title);
  }

  dismissProblems(ids: readonly number[]): void {
    this.#problems = this.#problems.filter(({ id }) => !ids.includes(id));
    this.changed('problems');
  }

  #publishSoon(): void {
    if (this.#callOff) return;
    this.#publishAfter(Math.max(0, this.#lastMs + MIN_INTERVAL_MS - this.#options.clock.nowMs()));
  }

  #publishAfter(waitMs: number): void {
    this.#callOff = this.#options.clock.after(waitMs, () => {
      this.#callOff = null;
      this.#lastMs = this.#options.clock.nowMs();
      this.#publish();
    });
  }

  #publish(): void {
    const views = [...this.#changed].flatMap((part) => {
      const view = this.#views[part]();
      return view === undefined ? [] : [[part, view] as const];
    });
    const changed = [...this.#turns].slice(0, MAX_TURNS);
    const turns = changed.map((turn) => turn.report());
    this.#changed.clear();
    for (const turn of changed) this.#turns.delete(turn);
    this.#options.report({ ...Object.fromEntries(views), ...(turns.length > 0 ? { turns } : {}) });
    for (const turn of changed) if (turn.hasMoreToReport) this.#turns.add(turn);
    if (this.#turns.size > 0) this.#publishSoon();
  }
}
