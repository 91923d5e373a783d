import { madeOnce } from '#lib/collections/maps.ts';
import { type EnvelopePart, PEAK_MS } from '#session/playback/envelopes.ts';
import { Listeners } from '../../browser/listeners.ts';

/** Each level holds the maximum of this many peaks of the level below. */
const FACTOR = 4;
const INITIAL = 256;

/** The peaks of one turn at several levels of detail, so that the maximum of a range costs the same at any length. */
class Envelope {
  readonly #levels: Uint8Array<ArrayBuffer>[] = [new Uint8Array(INITIAL)];
  length = 0;

  /** Writes peaks from an index on, over any that exist. */
  set(from: number, peaks: Uint8Array): void {
    this.length = Math.max(this.length, from + peaks.length);
    let first = from;
    let end = from + peaks.length;
    this.#level(0, end).set(peaks, from);
    for (let level = 1; FACTOR ** level < this.length * FACTOR; level += 1) {
      // A new level has none of the earlier peaks yet.
      first = this.#levels[level] ? Math.floor(first / FACTOR) : 0;
      end = Math.ceil(end / FACTOR);
      const below = this.#level(level - 1, end * FACTOR);
      const own = this.#level(level, end);
      for (let at = first; at < end; at += 1) {
        let most = 0;
        for (let part = 0; part < FACTOR; part += 1) most = Math.max(most, below[at * FACTOR + part] ?? 0);
        own[at] = most;
      }
    }
  }

  /** The highest peak in `[from, to)`; 0 where there is none. */
  highest(from: number, to: number): number {
    const end = Math.min(to, this.length);
    let most = 0;
    let at = Math.max(0, from);
    while (at < end) {
      let level = 0;
      let size = 1;
      while (at % (size * FACTOR) === 0 && at + size * FACTOR <= end && level + 1 < this.#levels.length) {
        level += 1;
        size *= FACTOR;
      }
      most = Math.max(most, this.#levels[level]?.[at / size] ?? 0);
      at += size;
    }
    return most;
  }

  #level(level: number, length: number): Uint8Array<ArrayBuffer> {
    let peaks = this.#levels[level] ?? new Uint8Array(INITIAL);
    if (peaks.length < length) {
      const grown = new Uint8Array(Math.max(length, 2 * peaks.length));
      grown.set(peaks);
      peaks = grown;
    }
    this.#levels[level] = peaks;
    return peaks;
  }
}

/** The loudness of every turn of a session. The page has no samples. An hour of speech takes half a megabyte. */
export class EnvelopeStore {
  readonly #turns = new Map<number, Envelope>();
  readonly #changed = new Listeners();
  readonly subscribe = this.#changed.add;

  take(parts: readonly EnvelopePart[]): void {
    for (const { turn, from, peaks } of parts) {
      madeOnce(this.#turns, turn, () => new Envelope()).set(from, peaks);
    }
    if (parts.length === 0) return;
    this.#changed.call();
  }

  clear(): void {
    this.#turns.clear();
    this.#changed.call();
  }

  /** The highest magnitude of a turn's audio between two moments of it, 0 to 1, to the nearest 10 ms outwards. */
  highest(turn: number, fromMs: number, toMs: number): number {
    const peak = this.#turns.get(turn)?.highest(Math.floor(fromMs / PEAK_MS), Math.ceil(toMs / PEAK_MS)) ?? 0;
    return peak / 255;
  }
}
