/** Returns the sum of two figures; null where one is unknown. */
export const knownSum = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a + b;
