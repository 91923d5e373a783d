import { madeOnce } from '#lib/collections/maps.ts';
import { createMemoryPlaces } from './memory-places.ts';
import { FairStore } from './shares.ts';
import { createSlidingWindow } from './sliding-window.ts';
import {
  type DocumentKind,
  MAX_NOTES,
  type Notes,
  type SharedDocument,
  type SharedState,
  type Sums,
} from './state.ts';

/** State of a deployment of one process, which ends with it. */
export function openMemoryState(): SharedState {
  const notes = new Map<string, Notes>();
  return {
    places: createMemoryPlaces(),
    sums: createMemorySums(),
    notes: (kind) => madeOnce(notes, kind, createMemoryNotes),
    slidingWindow: (_, limit) => createSlidingWindow(limit),
    document<C, M>(kind: DocumentKind<C, M>): SharedDocument<M> {
      let current = kind.open(null);
      return {
        get current() {
          return current;
        },
        async change(apply) {
          const changed = kind.open(kind.contentOf(current));
          const result = apply(changed);
          current = changed;
          return result;
        },
      };
    },
    refresh: async () => {},
    problem: () => null,
    close: async () => {},
  };
}

function createMemorySums(): Sums {
  const sums = new Map<string, { sum: number; untilMs: number }>();
  return {
    add(name, amount, untilMs) {
      // A name has one time, so that later times are those of other names.
      for (const [other, each] of sums) if (each.untilMs < untilMs) sums.delete(other);
      sums.set(name, { sum: (sums.get(name)?.sum ?? 0) + amount, untilMs });
    },
    of: async (name) => sums.get(name)?.sum ?? 0,
  };
}

function createMemoryNotes(): Notes {
  const notes = new FairStore<string>(MAX_NOTES);
  return {
    keep: async (name, text, peer) => notes.set(name, text, peer),
    find: async (name) => notes.get(name),
    async take(name) {
      const text = notes.get(name);
      notes.delete(name);
      return text;
    },
  };
}
