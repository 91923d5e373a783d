import { useMemo } from 'react';
import { groupBy } from '#lib/collections/maps.ts';
import type { SoundSpan } from '#protocol/core/rule.ts';
import type { FoundFinding } from '#recordings/view/check-view.ts';
import { useRecordings } from './recordings-store.ts';
import { useAnswer } from './use-answer.ts';

/** Findings in the sound of a recording, by turn; null is that of sound outside of turns. */
export type SoundFindings = ReadonlyMap<number | null, readonly FoundFinding[]>;

/** Speech before a finding, in seconds, so that an ear knows what the place interrupts. */
const LEAD_S = 0.5;

/** Returns the second of the turn from which a place is played. */
export const leadInS = (fromS: number): number => Math.max(0, fromS - LEAD_S);

/** Returns a place in words: “turn 3, 1.24–1.86 s”. */
export function soundPlace({ turn, fromS, toS }: SoundSpan): string {
  const [from, to] = [fromS.toFixed(2), toS.toFixed(2)];
  const span = `${from === to ? from : `${from}–${to}`} s`;
  return turn === null ? span : `turn ${turn}, ${span}`;
}

/** Returns the findings in the sound of the shown recording; none while `isWanted` is false. */
export function useSoundFindings(isWanted = true): SoundFindings {
  const check = useRecordings((state) => state.check);
  const groups = isWanted ? check.groups.filter(({ rule }) => rule.group === 'sound') : [];
  const total = groups.reduce((sum, { kept }) => sum + kept, 0);
  const found = useAnswer(`${check.recording}`, total, ({ findings }) =>
    Promise.all(groups.map(({ rule, kept }) => findings({ rule: rule.id, from: 0, to: kept }))),
  );
  return useMemo(() => {
    const all = found?.flatMap(({ findings }) => findings) ?? [];
    return groupBy(all, ({ finding }) => finding.sound?.turn ?? null);
  }, [found]);
}
