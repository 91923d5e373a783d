/** Read once, because reading it costs more than `performance.now()`. */
const originMs = performance.timeOrigin;

/** Returns wall-clock ms since 1970 to the microsecond, equal in page and workers. */
export const wallMs = (): number => originMs + performance.now();
