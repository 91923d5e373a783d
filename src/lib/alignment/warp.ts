import { FEATURES } from './sound-frames.ts';

/** Cost of a step that only one of the two sides takes. Straight ways are preferred. */
const DETOUR = 0.05;
/** A row of the reference that the sound skips counts less, because voices swallow sounds. */
const SKIPPED_WEIGHT = 0.6;

/** Steps of a way: to the next row of both, or of one alone. */
const BOTH = 0;
const SOUND_ONLY = 1;
const REFERENCE_ONLY = 2;

/** Where rows of the reference are in the sound: the first and last row of the sound that each one matches. */
export interface Warp {
  readonly first: Int32Array;
  readonly last: Int32Array;
  /** Rows of the reference that the sound reaches. */
  readonly reached: number;
}

/**
 * Finds the cheapest monotone match of two sounds by dynamic programming within a band around the diagonal.
 * Takes time and memory of `reference rows × 2 × half`.
 * @param reference and @param sound {@link FEATURES} numbers a row
 * @param half rows of the sound on each side of the diagonal
 * @param isOpen the sound may end before the reference; otherwise their ends match
 */
export function warp(
  reference: Float32Array,
  sound: Float32Array,
  { half, isOpen }: { half: number; isOpen: boolean },
): Warp {
  const rows = reference.length / FEATURES;
  const columns = sound.length / FEATURES;
  const first = new Int32Array(rows);
  const last = new Int32Array(rows);
  if (rows === 0 || columns === 0) return { first, last, reached: 0 };
  const whole = rows === 1 ? 1 : (columns - 1) / (rows - 1);
  // Where the end is open, both sides are expected to be equally fast.
  const slope = isOpen ? Math.max(1, whole) : whole;
  const reach = Math.max(half, Math.ceil(slope) + 1);
  const width = Math.min(columns, 2 * reach + 1);
  const lowest = (row: number): number =>
    row === 0 ? 0 : Math.max(0, Math.min(columns - width, Math.round(row * slope) - reach));
  const steps = new Uint8Array(rows * width);
  let costs = new Float32Array(width);
  let above = new Float32Array(width).fill(Number.POSITIVE_INFINITY);
  let [best, reached] = [Number.POSITIVE_INFINITY, rows];
  for (let row = 0; row < rows; row += 1) {
    const low = lowest(row);
    const shift = row === 0 ? 0 : low - lowest(row - 1);
    for (let at = 0; at < width; at += 1) {
      const local = distance(reference, row, sound, low + at);
      // `above` begins `shift` columns earlier.
      const over = at + shift;
      let cost = row === 0 && at === 0 ? local : Number.POSITIVE_INFINITY;
      let step: number = BOTH;
      if (over >= 1 && over <= width) {
        const both = (above[over - 1] as number) + local;
        if (both < cost) cost = both;
      }
      if (at > 0) {
        const alone = (costs[at - 1] as number) + local + DETOUR;
        if (alone < cost) {
          cost = alone;
          step = SOUND_ONLY;
        }
      }
      if (over < width) {
        const skipped = (above[over] as number) + SKIPPED_WEIGHT * local + DETOUR;
        if (skipped < cost) {
          cost = skipped;
          step = REFERENCE_ONLY;
        }
      }
      costs[at] = cost;
      steps[row * width + at] = step;
    }
    const atEnd = low + width === columns ? (costs[width - 1] as number) : Number.POSITIVE_INFINITY;
    if (isOpen && atEnd < best) [best, reached] = [atEnd, row + 1];
    [costs, above] = [above, costs];
  }
  // Backwards from the end.
  let [row, column] = [reached - 1, columns - 1];
  last[row] = column;
  while (row > 0 || column > 0) {
    const step =
      row === 0 ? SOUND_ONLY : column === 0 ? REFERENCE_ONLY : steps[row * width + column - lowest(row)];
    if (step !== REFERENCE_ONLY) column -= 1;
    if (step === SOUND_ONLY) continue;
    first[row] = step === BOTH ? column + 1 : column;
    row -= 1;
    last[row] = column;
  }
  return { first, last, reached };
}

/** Root of the mean square difference of two rows. */
function distance(a: Float32Array, rowA: number, b: Float32Array, rowB: number): number {
  const length = FEATURES;
  const fromA = rowA * length;
  const fromB = rowB * length;
  let sum = 0;
  for (let at = 0; at < length; at += 1) {
    const difference = (a[fromA + at] as number) - (b[fromB + at] as number);
    sum += difference * difference;
  }
  return Math.sqrt(sum / length);
}
