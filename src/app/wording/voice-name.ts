import { create } from 'zustand';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import { idOf } from '#protocol/core/settings.ts';

/** Names by id, from the catalogues loaded so far. */
const useNames = create<Readonly<Record<string, string>>>()(() => ({}));

/** Keeps the names of a catalogue for every part of the page. */
export const nameVoices = (voices: readonly VoiceInfo[]): void =>
  useNames.setState(Object.fromEntries(voices.map(({ id, name }) => [id, name])));

/** Returns a voice's name from the catalogues loaded so far, else its id. Never loads one. */
export function useVoiceName(value: unknown): string {
  const id = idOf(value);
  const name = useNames((names) => (id === null ? undefined : names[id]));
  if (id === null) return 'No voice';
  // A described voice has no id but its description.
  return name ?? (/\s/.test(id) ? id : `Voice ${id}`);
}
