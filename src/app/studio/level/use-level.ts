import { type RefObject, useEffect } from 'react';
import { paint } from '../../browser/paint.ts';
import { meterShare, settle } from './level.ts';

/** The meter moves in steps of this part of its length. */
const STEPS = 64;

/**
 * Shows how loud something is by how much of an element is left uncovered, painted past React; still when nothing is
 * heard. `heard` gives the magnitude that is heard now, 0 to 1; keep it the same function.
 */
export function useLevel(bar: RefObject<HTMLElement | null>, heard: () => number): void {
  useEffect(() => {
    let shown = 0;
    let lastMs = 0;
    let painted = -1;
    return paint.add((nowMs) => {
      shown = settle(shown, meterShare(heard()), lastMs === 0 ? 0 : nowMs - lastMs);
      lastMs = nowMs;
      const step = Math.round(shown * STEPS);
      if (step !== painted && bar.current) {
        bar.current.style.clipPath = `inset(0 ${100 - (step / STEPS) * 100}% 0 0)`;
      }
      painted = step;
      if (shown <= 0) lastMs = 0;
      return shown > 0;
    });
  }, [bar, heard]);
}
