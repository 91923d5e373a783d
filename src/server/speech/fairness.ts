import { remember } from '#lib/collections/maps.ts';

/** A request that could be served now. */
export interface Candidate {
  /** The client's connection. */
  readonly session: string;
  /** One of the session's streams that speak at the same time. */
  readonly context: string;
  /** Audio made so far minus the time since its first audio, in ms; undefined while there is no audio. */
  readonly leadMs: number | undefined;
}

/** A listener with less audio ahead than this is served before those that have plenty. */
const SCARCE_LEAD_MS = 500;
const REMEMBERED = 4096;

const isScarce = ({ leadMs }: Candidate): boolean => (leadMs ?? 0) < SCARCE_LEAD_MS;

/** A request whose session may have pieces in work. */
interface Holder extends Candidate {
  /** Pieces of its session in work. */
  readonly held: number;
}

/**
 * Whether a listener cannot wait for a piece of the other one, which has plenty of audio, or whose session has another
 * piece in work while the listener's has none.
 */
export const isUrgent = (one: Holder, other: Holder): boolean =>
  isScarce(one) && (!isScarce(other) || (one.held === 0 && other.held > 1));

/**
 * Chooses the next piece. Sessions alternate, and those with little or no audio go before well supplied ones. Inside a
 * session its contexts alternate in the same way. A session gets one piece a round, with any number of requests.
 */
export class Turns {
  /** The last turn of each session, and of each of its contexts, as a running number, oldest first. */
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

  /** Notes that a piece of this context was handed out. */
  served(candidate: Pick<Candidate, 'session' | 'context'>): void {
    this.#count += 1;
    for (const name of [candidate.session, contextOf(candidate)]) {
      remember(this.#served, name, this.#count, REMEMBERED);
    }
  }

  #isBefore(a: Candidate, b: Candidate): boolean {
    if (isScarce(a) !== isScarce(b)) return isScarce(a);
    const key = a.session === b.session ? contextOf : sessionOf;
    const servedA = this.#served.get(key(a)) ?? 0;
    const servedB = this.#served.get(key(b)) ?? 0;
    if (servedA !== servedB) return servedA < servedB;
    return a.session === b.session && (a.leadMs ?? 0) < (b.leadMs ?? 0);
  }
}

const sessionOf = ({ session }: Pick<Candidate, 'session'>): string => session;
const contextOf = ({ session, context }: Pick<Candidate, 'session' | 'context'>): string =>
  `${session}\n${context}`;
