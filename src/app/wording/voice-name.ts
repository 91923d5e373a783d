import { create } from 'zustand';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';

/** Names by id, from the catalogues loaded so far. */
const useNames = create<Readonly<Record<string, string>>>()(() => ({}));

/** Keeps the names of a catalogue for every part of the page. */
export const nameVoices = (voices: readonly VoiceInfo[]): void =>
  useNames.setState(Object.fromEntries(voices.map(({ id, name }) => [String(id), name])));

/** Returns a voice's name from the catalogues loaded so far, else its number. Never loads one. */
export function useVoiceName(id: unknown): string {
  const name = useNames((names) => names[String(id)]);
  if (typeof id !== 'number' && typeof id !== 'string') return 'No voice';
  // A described voice has no id but its description.
  return name ?? (/\s/.test(String(id)) ? String(id) : `Voice ${id}`);
}
