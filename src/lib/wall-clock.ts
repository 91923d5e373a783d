/** Asking the browser for it each time takes longer than the time itself. */
const originMs = performance.timeOrigin;

/** Wall clock of `session/views.ts`, in ms since 1970 to the microsecond: the same in the page and in a worker. */
export const wallMs = (): number => originMs + performance.now();
