import { remember } from '#lib/remember.ts';
import { openDataFile } from './data-file.ts';
import { createMemoryPlaces } from './memory-places.ts';
import { createSlidingWindow } from './sliding-window.ts';
import type { DocumentKind, Notes, SharedDocument, SharedState, Sums } from './state.ts';

const MAX_NOTES = 1000;

/**
 * State of a deployment of one process. @param path the data file that keeps documents over restarts; without it they are
 * in memory. Throws a StartError where no file can be. @param report receives lines about the file
 */
export function openMemoryState(path?: string, report?: (line: string) => void): SharedState {
  const data = openDataFile(path, report);
  return {
    places: createMemoryPlaces(),
    sums: createMemorySums(),
    notes: createMemoryNotes(),
    slidingWindow: (_, limit) => createSlidingWindow(limit),
    document<C, M>(kind: DocumentKind<C, M>): SharedDocument<M> {
      const section = data.section(kind.name, kind.schema, () => kind.contentOf(current));
      let current = kind.open(section.loaded ?? null);
      return {
        get current() {
          return current;
        },
        async change(apply) {
          const next = kind.open(kind.contentOf(current));
          const result = apply(next);
          current = next;
          section.changed();
          return result;
        },
      };
    },
    refresh: async () => {},
    problem: () => null,
    close: () => data.flush(),
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
  const notes = new Map<string, string>();
  return {
    keep: (name, text) => remember(notes, name, text, MAX_NOTES),
    find: async (name) => notes.get(name),
  };
}
