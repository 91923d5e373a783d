/** Times of a recording as rows show them. They are kept to the microsecond; the detail shows all of it. */

const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;

/** Since the beginning: `42.533 s`; from ten minutes on `12:05.033`, from an hour on `1:02:05.033`. */
export function sinceStart(us: number): string {
  if (us < 10 * MINUTE_US) return `${(us / SECOND_US).toFixed(3)} s`;
  const wholeMs = Math.round(us / 1000);
  const minutes = Math.floor(wholeMs / 60_000);
  const seconds = ((wholeMs % 60_000) / 1000).toFixed(3).padStart(6, '0');
  if (minutes < 60) return `${minutes}:${seconds}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${seconds}`;
}

/** Time since the frame before: `+84 µs`, `+1.2 ms`, `+32 ms`, `+12.4 s`; empty for the first. */
export function gap(us: number | null): string {
  if (us === null) return '';
  if (us < 1000) return `+${us} µs`;
  if (us < 9950) return `+${(us / 1000).toFixed(1)} ms`;
  if (us < 10 * SECOND_US) return `+${Math.round(us / 1000)} ms`;
  if (us < 10 * MINUTE_US) return `+${(us / SECOND_US).toFixed(1)} s`;
  return `+${Math.round(us / MINUTE_US)} min`;
}

/** Returns whole percent; 100 only when all is done. */
export const percent = (done: number, of: number): number =>
  of === 0 ? 100 : Math.floor((100 * Math.min(done, of)) / of);
