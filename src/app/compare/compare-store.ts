import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { EndpointId, Settings } from '#protocol/core/endpoint.ts';
import { z } from '#protocol/core/zod.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { safeStorage } from '../browser/safe-storage.ts';
import { castOf, useScene } from '../stores/scene-store.ts';
import { selectEndpoint, selectServerId, selectSettings, useSettings } from '../stores/settings-store.ts';
import { type Side, voicedSettings, voiceOf, voiceSettingOf, withVoicedSettings } from './side.ts';

const STORAGE_NAME = 'voicewire.compare';
const TEXT_CHARS = 20_000;
const KNOWN = new Set<string>(ENDPOINTS.map(({ id }) => id));

const side = z.object({
  endpoint: z.custom<EndpointId>((value) => typeof value === 'string' && KNOWN.has(value)),
  server: z.string().max(40),
  customBase: z.string().max(300),
  settings: z.record(z.string(), z.unknown()),
  speaker: z.record(z.string(), z.unknown()),
});

/** `apart`: both, A at the left and B at the right. */
export type Heard = 'a' | 'b' | 'both' | 'apart';

const DEFAULT_TEXTS = [
  'The train to Leipzig leaves from platform four.',
  'I am sorry, but that appointment has already been taken.',
  'Your order of twelve notebooks arrives on Thursday.',
  'Could you spell your last name for me, please?',
].join('\n');

/** What survives a reload; each field falls back on its own. No key and no result is among them. */
const persisted = z.object({
  /** null: not chosen yet, so what the studio has, and for B another voice. */
  a: side.nullable().catch(null),
  b: side.nullable().catch(null),
  view: z.enum(['sideBySide', 'blind']).catch('sideBySide'),
  /** null: the text of the studio's composer. */
  text: z.string().max(TEXT_CHARS).nullable().catch(null),
  order: z.enum(['together', 'inTurn']).catch('inTurn'),
  heard: z.enum(['a', 'b', 'both', 'apart']).catch('both'),
  source: z.enum(['whole', 'simulated']).catch('whole'),
  /** Of the blind comparison: one a line. */
  texts: z.string().max(TEXT_CHARS).catch(DEFAULT_TEXTS),
  matchLoudness: z.boolean().catch(true),
});

export type CompareChoices = z.output<typeof persisted>;

interface CompareState extends CompareChoices {
  set: (change: Partial<CompareChoices>) => void;
}

export const restoreChoices = (stored: unknown): CompareChoices => {
  const restored = persisted.safeParse(stored);
  return restored.success ? restored.data : persisted.parse({});
};

const storage = safeStorage(() => localStorage);

const readStored = (text: string | null): { state: CompareChoices } | null => {
  if (text === null) return null;
  try {
    const value = z.object({ state: z.unknown() }).safeParse(JSON.parse(text));
    return value.success ? { state: restoreChoices(value.data.state) } : null;
  } catch {
    return null;
  }
};

export const useCompare = create<CompareState>()(
  persist((set) => ({ ...restoreChoices({}), set: (change) => set(change) }), {
    name: STORAGE_NAME,
    version: 1,
    storage: {
      getItem: (name) => readStored(storage.getItem(name)),
      setItem: (name, value) => storage.setItem(name, JSON.stringify(value)),
      removeItem: (name) => storage.removeItem(name),
    },
    partialize: (state) => persisted.parse(state),
    migrate: restoreChoices,
    merge: (stored, current) => ({ ...current, ...restoreChoices(stored) }),
  }),
);

/** An endpoint as the studio has it set up: its server, its settings, and the first of its speakers. */
export function studioSide(endpointId: EndpointId): Side {
  const page = { ...useSettings.getState(), endpoint: endpointId };
  const endpoint = selectEndpoint(page);
  const [speaker] = endpoint.contexts ? castOf(useScene.getState(), endpoint) : [];
  return {
    endpoint: endpoint.id,
    server: selectServerId(page),
    customBase: page.customBases[endpoint.id] ?? '',
    settings: selectSettings(page),
    speaker: speaker?.settings ?? {},
  };
}

/** The same side with the voice behind its own in the list; the same where there is no other. */
export function withAnotherVoice(
  of: Side,
  voices: readonly { id: string | number; settings?: Settings | undefined }[],
): Side {
  const setting = voiceSettingOf(endpointOf(of.endpoint));
  const now = voiceOf(of);
  const at = voices.findIndex(({ id }) => String(id) === String(now));
  const other = voices[(at + 1) % Math.max(1, voices.length)];
  if (!setting || !other || String(other.id) === String(now)) return of;
  return withVoicedSettings(of, { ...voicedSettings(of), [setting.field]: other.id, ...other.settings });
}
