import { madeOnce } from '#lib/collections/maps.ts';
import type { DataFile } from './data-file.ts';
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

/** State of a deployment of one process. @param data keeps documents over restarts; without it they are in memory */
export function openMemoryState(data?: DataFile): SharedState {
  const notes = new Map<string, Notes>();
  return {
    places: createMemoryPlaces(),
    sums: createMemorySums(),
    notes: (kind) => madeOnce(notes, kind, createMemoryNotes),
    slidingWindow: (_, limit) => createSlidingWindow(limit),
    document<C, M>(kind: DocumentKind<C, M>): SharedDocument<M> {
      const section = data?.section(kind.name, kind.schema);
      let current = kind.open(section?.loaded ?? null);
      /** With the changes that are not written yet, which nobody else sees. */
      let next = current;
      return {
        get current() {
          return current;
        },
        async change(apply) {
          const changed = kind.open(kind.contentOf(next));
          const result = apply(changed);
          next = changed;
          try {
            await section?.write(kind.contentOf(changed));
          } catch (error) {
            // The changes behind this one fail with it.
            next = current;
            throw error;
          }
          current = changed;
          return result;
        },
      };
    },
    refresh: async () => {},
    problem: () => null,
    close: async () => data?.close(),
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
