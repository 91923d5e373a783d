import type { CleanSession } from './corpus.ts';
import { type Chance, type Faulted, type FaultKind, WHOLE } from './fault-tools.ts';
import { SAMPLE_FAULTS } from './sample-faults.ts';
import { SEAM_FAULTS } from './seam-faults.ts';
import { SILENCE_FAULTS } from './silence-faults.ts';
import { decodeTurn, turnsOf, writeTurn } from './turn.ts';
import { WORD_FAULTS } from './word-faults.ts';

/** Every kind of fault, by its name on the command line: the rule that finds it, and what sort of fault it is. */
export const FAULT_KINDS = { ...SILENCE_FAULTS, ...SEAM_FAULTS, ...SAMPLE_FAULTS, ...WORD_FAULTS };

export type FaultName = keyof typeof FAULT_KINDS;

export const faultKind = (name: FaultName): FaultKind => FAULT_KINDS[name];

/** Puts a fault of this kind into a random turn of a session; null where the chosen turn has no room for it. */
export async function inject(
  name: FaultName,
  session: CleanSession,
  random: () => number,
): Promise<Faulted | null> {
  const chance: Chance = {
    random,
    between: (least, most) => least + (most - least) * random(),
    oneOf: (values) => values[Math.floor(random() * values.length)],
  };
  const kind = faultKind(name);
  const id = chance.oneOf(turnsOf(session));
  const turn = id === undefined ? null : decodeTurn(session, id);
  if (!turn || (kind.isOfBytes && turn.format.encoding !== 'pcm_s16le')) return null;
  if (kind.injectSession) return kind.injectSession(turn, chance);
  const place = (await kind.inject?.(turn, chance)) ?? null;
  if (place === null) return null;
  return {
    entries: writeTurn(turn, kind.isOfSession !== true),
    turn: turn.id,
    place: place === WHOLE ? null : place,
  };
}
