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
 * Chooses the next piece. Sessions alternate, and those with little or no audio go before well supplied ones. Inside a
 * session the request with the least audio goes first. A session gets one piece a round, with any number of requests.
 */
export class Turns {
  /** The last turn of each session as a running number, oldest first. */
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
