import { create } from 'zustand';
import { z } from '#protocol/core/zod.ts';
import { endpointOf } from '#protocol/registry.ts';
import { safeStorage } from '../browser/safe-storage.ts';

const STORAGE_NAME = 'voicewire.keys';
const tabStorage = safeStorage(() => sessionStorage);

/** Keys live in memory. Only by the user's choice are they kept for this tab, and never beyond it. */
interface KeyState {
  /** By `keySlot`. */
  keys: Readonly<Record<string, string>>;
  remember: boolean;
  setKey: (slot: string, key: string) => void;
  setRemember: (remember: boolean) => void;
}

/** Keys belong to one server of one vendor: a key typed for one is never shown to another. */
export const keySlot = (endpointId: string, serverId: string): string => `${endpointId}/${serverId}`;

const stored = z.record(z.string(), z.string());

function remembered(): Record<string, string> | null {
  try {
    const parsed = stored.safeParse(JSON.parse(tabStorage.getItem(STORAGE_NAME) ?? 'null'));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const atStart = remembered();

export const useKeys = create<KeyState>()((set, get) => {
  const keep = () => {
    const { remember, keys } = get();
    if (remember) tabStorage.setItem(STORAGE_NAME, JSON.stringify(keys));
    else tabStorage.removeItem(STORAGE_NAME);
  };
  return {
    keys: atStart ?? {},
    remember: atStart !== null,
    setKey: (slot, key) => {
      set({ keys: { ...get().keys, [slot]: key } });
      keep();
    },
    setRemember: (remember) => {
      set({ remember });
      keep();
    },
  };
});

/** The key to connect with: as entered, or the endpoint's own on the local server. */
export const keyOf = (state: Pick<KeyState, 'keys'>, endpointId: string, serverId: string): string =>
  state.keys[keySlot(endpointId, serverId)] ?? (serverId === 'local' ? endpointOf(endpointId).localKey : '');
