/**
 * What a browser may take for a gesture that lets sound through. A mouse gives it on the way down, a finger only on the
 * way up.
 */
const GESTURES = ['pointerdown', 'pointerup', 'keydown'] as const;

/** The part of `navigator` that tells whether the page may make sound now; absent in older browsers. */
interface Activation {
  readonly userActivation?: { readonly isActive: boolean };
}

/**
 * Calls back once, in the handler of the first gesture that lets sound through, before anything on the page has seen
 * it. Returns what stops waiting for it.
 */
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
