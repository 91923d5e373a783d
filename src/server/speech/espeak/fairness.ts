import { remember } from '#lib/remember.ts';

/** A request that could be served now. */
export interface Candidate {
  readonly session: string;
  /** Audio made so far minus the time since its first audio, in ms; undefined while there is no audio. */
  readonly leadMs: number | undefined;
}

/** A listener with less audio ahead than this is served before those that have plenty. */
const SCARCE_LEAD_MS = 500;
const REMEMBERED_SESSIONS = 1024;

/**
 * Decides whose piece is next: sessions take turns, those that have no audio yet or are about to run dry
 * before those that are well supplied; inside a session the neediest request goes first. However many
 * requests a session has, it gets one turn in the round.
 */
export class Turns {
  /** When a session was last served, as a running number; oldest first. */
  readonly #served = new Map<string, number>();
  #count = 0;

  /** The candidate to serve; undefined without candidates. */
  choose<C extends Candidate>(candidates: Iterable<C>): C | undefined {
    let best: C | undefined;
    for (const candidate of candidates) {
      if (best === undefined || this.#isBefore(candidate, best)) best = candidate;
    }
    return best;
  }

  /** Notes that a piece of this session was handed out. */
  served(session: string): void {
    this.#count += 1;
    remember(this.#served, session, this.#count, REMEMBERED_SESSIONS);
  }

  #isBefore(a: Candidate, b: Candidate): boolean {
    const scarceA = (a.leadMs ?? 0) < SCARCE_LEAD_MS;
    const scarceB = (b.leadMs ?? 0) < SCARCE_LEAD_MS;
    if (scarceA !== scarceB) return scarceA;
    const servedA = this.#served.get(a.session) ?? 0;
    const servedB = this.#served.get(b.session) ?? 0;
    if (servedA !== servedB) return servedA < servedB;
    return a.session === b.session && (a.leadMs ?? 0) < (b.leadMs ?? 0);
  }
}
