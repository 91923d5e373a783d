import { create } from 'zustand';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { z } from '#protocol/core/zod.ts';
import { storageSlot } from '../browser/persisted.ts';

const tabSlot = storageSlot('voicewire.keys', z.record(z.string(), z.string()), () => sessionStorage);

/** API keys live in memory. The user may choose to keep them for this tab, in `sessionStorage`, and never longer. */
interface KeyState {
  keys: Readonly<Record<string, string>>;
  remember: boolean;
  setKey: (slot: string, key: string) => void;
  setRemember: (remember: boolean) => void;
}

/** Keys belong to one server of one vendor: a key typed for one is never shown to another. */
export const keySlot = (endpointId: string, serverId: string): string => `${endpointId}/${serverId}`;

const atStart = tabSlot.load();

export const useKeys = create<KeyState>()((set, get) => {
  const keep = () => {
    const { remember, keys } = get();
    if (remember) tabSlot.save(keys);
    else tabSlot.clear();
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

/** The key to connect with: as entered, or that of the local server. */
export const keyOf = (state: Pick<KeyState, 'keys'>, endpointId: string, serverId: string): string =>
  state.keys[keySlot(endpointId, serverId)] ?? (serverId === 'local' ? LOCAL_KEY : '');
