import { createHash } from 'node:crypto';
import type { Voice } from './voices.ts';

/** Sex of a published voice; null where the vendor publishes none. */
export type PublishedSex = Voice['sex'] | null;

/**
 * The one of some voices that speaks for a published voice: one of its sex where there is one, always the same for an id.
 * Undefined without any voice.
 */
export function standInFor<T>(
  id: string,
  sex: PublishedSex,
  voices: readonly T[],
  sexOf: (voice: T) => Voice['sex'],
): T | undefined {
  const alike = voices.filter((voice) => sexOf(voice) === sex);
  const pool = alike.length > 0 ? alike : voices;
  return pool[createHash('sha256').update(id).digest().readUInt32BE() % pool.length];
}
