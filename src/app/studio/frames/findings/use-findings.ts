import { useEffect, useState } from 'react';
import type { FindingsAnswer, FoundFinding } from '#recordings/view/check-view.ts';
import { recordingsLink } from '../../../recordings-client/recordings-link.ts';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';
import { totalOf } from './finding-count.ts';

const NONE: FindingsAnswer = { findings: [], of: 0 };

/** Returns the findings of a shown entry; none until they are known. */
export function useFindings(index: number | null): FindingsAnswer {
  const recording = useRecordings((state) => state.check.recording);
  // More may be found in it as the recording goes on.
  const total = useRecordings((state) => totalOf(state.check.groups));
  const key = `${recording} ${index}`;
  const [answer, setAnswer] = useState({ key, found: NONE });
  useEffect(() => {
    if (index === null || total === 0) return;
    let isOver = false;
    void recordingsLink
      .query(({ findings }) => findings({ entries: [index] }), NONE)
      .then((found) => {
        if (!isOver) setAnswer({ key, found });
      });
    return () => {
      isOver = true;
    };
  }, [key, index, total]);
  return answer.key === key && total > 0 ? answer.found : NONE;
}

/** The first findings of a rule, as many as are wanted and kept. */
export function useFindingsOfRule(rule: string, kept: number, wanted: number): readonly FoundFinding[] {
  const recording = useRecordings((state) => state.check.recording);
  const key = `${recording} ${rule}`;
  const [answer, setAnswer] = useState({ key, found: NONE });
  const to = Math.min(kept, wanted);
  useEffect(() => {
    let isOver = false;
    void recordingsLink
      .query(({ findings }) => findings({ rule, from: 0, to }), NONE)
      .then((found) => {
        if (!isOver) setAnswer({ key, found });
      });
    return () => {
      isOver = true;
    };
  }, [key, rule, to]);
  return answer.key === key ? answer.found.findings : NONE.findings;
}
