import { createHash } from 'node:crypto';
import type { Language } from '../speech/languages.ts';
import { findVoice, type Voice } from '../speech/voices/voices.ts';

/** A saved voice of `GET /v1/voices` (`facts 7`). */
export interface SavedVoice {
  id: string;
  voice: Voice;
  /** ISO 8601. */
  createdAt: string;
}

const saved = (id: string, handle: string, createdAt: string): SavedVoice[] => {
  const voice = findVoice(handle);
  return voice ? [{ id, voice, createdAt }] : [];
};

/** Saved voices of every accepted key, newest first. */
export const SAVED_VOICES: readonly SavedVoice[] = [
  ...saved('voice_7c1e09d4ab35', 'walter', '2026-10-19T09:12:00Z'),
  ...saved('voice_e25f80b1c946', 'grace', '2026-10-02T15:40:00Z'),
  ...saved('voice_31ad6bc07f58', 'greta', '2026-09-23T08:05:00Z'),
  ...saved('voice_94f2d7e6018c', 'etienne', '2026-09-04T11:31:00Z'),
  ...saved('voice_b80c53a9e17d', 'mateo', '2026-08-27T18:20:00Z'),
  ...saved('voice_06e9417df2ba', 'haruka', '2026-08-11T06:54:00Z'),
];

export const findSavedVoice = (id: string): SavedVoice | undefined =>
  SAVED_VOICES.find((voice) => voice.id === id);

/** Default language of a saved voice. */
export const languageOf = ({ voice }: SavedVoice): Language => voice.languages[0];

/** Magic bytes and version of every prompt of this server. */
const MAGIC = 'VWVP1 ';
const CHECKSUM_BYTES = 8;

const checksum = (bytes: Uint8Array): Buffer =>
  createHash('sha256').update(bytes).digest().subarray(0, CHECKSUM_BYTES);

/** `voice_clone_prompt` of a voice: base64 of magic, id and checksum. */
export function promptOf({ id }: SavedVoice): string {
  const content = Buffer.from(`${MAGIC}${id}`, 'latin1');
  return Buffer.concat([content, checksum(content)]).toString('base64');
}

/**
 * The voice of a prompt, or the reason why it has none.
 * @param prompt well-formed base64
 */
export function readPrompt(prompt: string): { voice: SavedVoice } | { found: string } {
  const bytes = Buffer.from(prompt, 'base64');
  const content = bytes.subarray(0, -CHECKSUM_BYTES);
  const text = content.toString('latin1');
  if (!text.startsWith(MAGIC)) return { found: `${bytes.length} bytes of something else` };
  if (!checksum(content).equals(bytes.subarray(-CHECKSUM_BYTES))) return { found: 'a damaged prompt' };
  const voice = findSavedVoice(text.slice(MAGIC.length));
  return voice ? { voice } : { found: 'the prompt of a voice that is not there' };
}
