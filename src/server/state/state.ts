import type { z } from '#protocol/core/zod.ts';
import type { Peer } from './shares.ts';
import type { SlidingWindow, WindowLimit } from './sliding-window.ts';

/** State cannot be reached at the moment. Callers refuse what they cannot decide without it. */
export class StateUnavailable extends Error {
  override readonly name = 'StateUnavailable';
}

/** Returns a handler of rejections, which takes a value where the state cannot be reached and throws any other fault. */
export const ifUnavailable =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof StateUnavailable) return value;
    throw error;
  };

/** One place of those that share a kind and a name, such as the sockets of one key. */
export interface WantedPlace {
  readonly kind: string;
  /** May be a key or an address. No store outside of the process keeps it in clear. */
  readonly name: string;
  readonly limit: number;
}

/** `taken` counts the places of others: those of the full kind, or of the last wanted one. */
export type TakenPlaces = { leave(): void; taken: number } | { full: WantedPlace; taken: number };

/** Counts what is open at the same time. Places of a process that crashed are free again after a while. */
export interface Places {
  /** Takes all wanted places or none. Rejects with `StateUnavailable`. */
  take(wanted: readonly WantedPlace[]): Promise<TakenPlaces>;
}

/** Sums that are forgotten at a time, such as usage of a month. */
export interface Sums {
  /** Adds now or, where the state cannot be reached, as soon as it can. */
  add(name: string, amount: number, untilMs: number): void;
  /** The sum of all processes; the last known one where the state cannot be reached. */
  of(name: string): Promise<number>;
}

/** Of one kind, of all processes. */
export const MAX_NOTES = 1000;

/** Short texts of one kind that may be forgotten, the oldest of the peer that has most of them first. */
export interface Notes {
  /** Rejects with `StateUnavailable`. The note may be kept even so, where only the answer was lost. */
  keep(name: string, text: string, peer: Peer): Promise<void>;
  /** Undefined for an unknown name, and where the state cannot be reached. */
  find(name: string): Promise<string | undefined>;
  /** Finds a text once. */
  take(name: string): Promise<string | undefined>;
}

/** A kind of content that clients change. Its model `M` is never changed once others see it. */
export interface DocumentKind<C, M> {
  readonly name: string;
  readonly schema: z.ZodMiniType<C, C>;
  /** A model of its own that may be changed; of the first content for null. */
  open(content: C | null): M;
  contentOf(model: M): C;
}

export interface SharedDocument<M> {
  /** The newest content that this process knows. */
  readonly current: M;
  /**
   * Changes the newest content of all processes in one step. Rejects with what `apply` throws; then nothing is changed.
   * Rejects with `StateUnavailable`; then nothing is changed, or all of it where only the answer of the store was lost.
   * @param apply changes the model, perhaps several times
   */
  change<R>(apply: (model: M) => R): Promise<R>;
}

/**
 * What the sessions of a deployment share: in the memory of its only process, or in the Redis of several. Callers do not
 * know which.
 */
export interface SharedState {
  readonly places: Places;
  readonly sums: Sums;
  notes(kind: string): Notes;
  slidingWindow(name: string, limit: WindowLimit): SlidingWindow;
  document<C, M>(kind: DocumentKind<C, M>): SharedDocument<M>;
  /** Updates all documents. Does nothing where the state cannot be reached. */
  refresh(): Promise<void>;
  /** Why the state cannot be reached; null where it can. */
  problem(): string | null;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}
