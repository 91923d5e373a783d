import { create, type StateCreator, type StoreApi, type UseBoundStore } from 'zustand';
import { type PersistStorage, persist } from 'zustand/middleware';
import { z } from '#protocol/core/zod.ts';

/** A JSON value under one name in the browser's storage. */
export interface StorageSlot<T> {
  /** Returns null for a missing, unreadable or invalid value. */
  load: () => T | null;
  save: (value: T) => void;
  clear: () => void;
}

/**
 * Opens a slot whose functions never throw: a browser may block its storage or have no room left.
 * A value that cannot be stored is missing after a reload.
 * @param area returns the storage; reading the `localStorage` property may throw already
 */
export function storageSlot<Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
  area: () => Storage = () => localStorage,
): StorageSlot<z.output<Schema>> {
  const attempt = <T>(action: () => T): T | null => {
    try {
      return action();
    } catch {
      return null;
    }
  };
  return {
    load: () => attempt(() => schema.parse(JSON.parse(area().getItem(name) ?? ''))),
    save: (value) => attempt(() => area().setItem(name, JSON.stringify(value))),
    clear: () => attempt(() => area().removeItem(name)),
  };
}

/** Version of the stored envelope `{ state, version }`. */
const VERSION = 2;

const envelope = z.object({ state: z.unknown(), version: z.optional(z.unknown()) });

/**
 * Creates a zustand store whose schema fields survive a reload, in `localStorage` under `name`.
 * @param schema each field has a fallback (`catch`), so that damaged storage costs only the fields that are wrong
 * @param actions returns everything that is not stored
 * @param upgrade adds the parts that a state of version 1 lacks; the schema reads such a state
 */
export function persisted<Schema extends z.ZodMiniType<object>, Actions extends object>(
  name: string,
  schema: Schema,
  actions: StateCreator<z.output<Schema> & Actions, [], [], Actions>,
  upgrade: (state: z.output<Schema>) => z.output<Schema> = (state) => state,
): UseBoundStore<StoreApi<z.output<Schema> & Actions>> {
  type Stored = z.output<Schema>;
  const slot = storageSlot(name, envelope);
  const storage: PersistStorage<Stored> = {
    getItem: () => {
      const stored = slot.load();
      if (!stored) return null;
      const state = restored(schema, stored.state);
      return { state: stored.version === 1 ? upgrade(state) : state, version: VERSION };
    },
    setItem: (_, { state }) => slot.save({ state, version: VERSION }),
    removeItem: slot.clear,
  };
  return create<Stored & Actions>()(
    persist((...api) => ({ ...restored(schema, {}), ...actions(...api) }), {
      name,
      version: VERSION,
      storage,
      partialize: (state) => restored(schema, state),
    }),
  );
}

/** Returns valid state from any stored value: fields that are missing or wrong get their fallback. */
function restored<Schema extends z.ZodMiniType>(schema: Schema, stored: unknown): z.output<Schema> {
  const result = schema.safeParse(stored);
  return result.success ? result.data : schema.parse({});
}
