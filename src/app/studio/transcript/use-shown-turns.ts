import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { largest } from '#lib/collections/arrays.ts';
import { paint } from '../../browser/paint.ts';

/**
 * Returns the turns that exist on the page: those that are needed and all before them, and the others a few at a time. The
 * words of the current turn would light up late while a whole script of turns is made.
 */
export function useShownTurns(ids: readonly number[], needed: readonly (number | null)[]): readonly number[] {
  const [shownTo, setShownTo] = useState(ids.at(-1));
  const at = largest(needed.map((id) => (id === null ? -1 : ids.lastIndexOf(id))));
  const waiting = Math.max(0, (shownTo === undefined ? -1 : ids.lastIndexOf(shownTo)) - at);
  const end = at + 1 + waiting;
  const isBehind = end < ids.length;
  const grow = useEffectEvent(() => setShownTo(ids[Math.min(ids.length - 1, at + Math.max(1, 2 * waiting))]));
  useEffect(() => {
    if (!isBehind) return;
    const step = () => {
      grow();
      cancel = paint.defer(step);
    };
    let cancel = paint.defer(step);
    return () => cancel();
  }, [isBehind]);
  return useMemo(() => (isBehind ? ids.slice(0, end) : ids), [isBehind, ids, end]);
}
