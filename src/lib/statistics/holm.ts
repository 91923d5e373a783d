/** Corrects p-values for multiple comparisons by Holm's step-down method. The order is kept. */
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
