/**
 * p-values that may be compared with one level although several questions were asked: Holm's step-down correction, which
 * keeps the chance of even one false alarm among all of them below that level, whatever their dependence. In the order
 * given; never smaller than they were.
 */
export function holm(pValues: readonly number[]): number[] {
  const byValue = pValues.map((pValue, at) => ({ pValue, at })).sort((x, y) => x.pValue - y.pValue);
  const corrected = new Array<number>(pValues.length).fill(1);
  let before = 0;
  byValue.forEach(({ pValue, at }, rank) => {
    before = Math.max(before, Math.min(1, pValue * (pValues.length - rank)));
    corrected[at] = before;
  });
  return corrected;
}
