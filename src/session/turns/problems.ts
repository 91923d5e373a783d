import type { Problem } from '../views.ts';

/** A server that only ever complains must not fill the page. */
const MAX_PROBLEMS = 100;

/** What went wrong and has not been dealt with. The same thing in the same turn is told once. */
export class Problems {
  #list: readonly Problem[] = [];
  #nextId = 1;

  get list(): readonly Problem[] {
    return this.#list;
  }

  /** False where it is known already. */
  add(problem: Omit<Problem, 'id'>): boolean {
    const known = this.#list.some(
      (other) =>
        other.turn === problem.turn && other.title === problem.title && other.detail === problem.detail,
    );
    if (known) return false;
    this.#list = [...this.#list, { ...problem, id: this.#nextId }].slice(-MAX_PROBLEMS);
    this.#nextId += 1;
    return true;
  }

  /** Something of this kind is known of the turn. */
  has(turn: number, title: string): boolean {
    return this.#list.some((problem) => problem.turn === turn && problem.title === title);
  }

  dismiss(id: number): void {
    this.#list = this.#list.filter((problem) => problem.id !== id);
  }
}
