import { useMemo } from 'react';
import type { SoundSpan } from '#protocol/core/rule.ts';
import type { FoundFinding } from '#recordings/view/check-view.ts';
import { useRecordings } from './recordings-store.ts';
import { useAnswer } from './use-answer.ts';

/** Findings in the sound of a recording, by turn. */
export type SoundFindings = ReadonlyMap<number, readonly FoundFinding[]>;

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
    const byTurn = new Map<number, FoundFinding[]>();
    for (const one of found?.flatMap(({ findings }) => findings) ?? []) {
      const { turn = null } = one.finding.sound ?? {};
      if (turn !== null)
        byTurn
          .set(turn, byTurn.get(turn) ?? [])
          .get(turn)
          ?.push(one);
    }
    return byTurn;
  }, [found]);
}
