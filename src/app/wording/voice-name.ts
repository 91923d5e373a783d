import { create } from 'zustand';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import { idOf } from '#protocol/core/settings.ts';

/** Names by id, from the catalogues loaded so far. No plain object, because a file may name any id: `constructor`. */
const useNames = create<{ names: ReadonlyMap<string, string> }>()(() => ({ names: new Map() }));

/** Keeps the names of a catalogue for every part of the page. */
export const nameVoices = (voices: readonly VoiceInfo[]): void =>
  useNames.setState(({ names }) => ({
    names: new Map([...names, ...voices.map(({ id, name }) => [id, name] as const)]),
  }));

/** Returns a voice's name from the catalogues loaded so far, else its id. Never loads one. */
export function useVoiceName(value: unknown): string {
  const id = idOf(value);
  const name = useNames(({ names }) => (id === null ? undefined : names.get(id)));
  if (id === null) return 'No voice';
  // A described voice has no id but its description.
  return name ?? (/\s/.test(id) ? id : `Voice ${id}`);
}
