import { wallMs } from '#lib/wall-clock.ts';

let heldMs: number | null = null;

/** Sound stands still from now on, or goes on. */
export function holdHeard(isHeld: boolean): void {
  heldMs = isHeld ? wallMs() : null;
}

/** The wall clock as far as sound follows it: where a play head is worked out from, which waits while sound does. */
export const heardMs = (): number => heldMs ?? wallMs();
