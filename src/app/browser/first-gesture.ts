/** Events that may unlock sound: a mouse does on the way down, a finger only on the way up. */
const GESTURES = ['pointerdown', 'pointerup', 'keydown'] as const;

/** The part of `navigator` that reports whether the page may start sound; absent in older browsers. */
interface Activation {
  readonly userActivation?: { readonly isActive: boolean };
}

/** Calls `act` once, in the first gesture that unlocks sound. Returns a function that ends the wait. */
export function onFirstGesture(
  target: Pick<EventTarget, 'addEventListener' | 'removeEventListener'>,
  browser: Activation,
  act: () => void,
): () => void {
  const stop = () => {
    for (const gesture of GESTURES) target.removeEventListener(gesture, take, { capture: true });
  };
  const take = () => {
    if (browser.userActivation?.isActive === false) return;
    stop();
    act();
  };
  for (const gesture of GESTURES) target.addEventListener(gesture, take, { capture: true, passive: true });
  return stop;
}
