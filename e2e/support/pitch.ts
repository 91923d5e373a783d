/** A frame must hold two periods of the lowest voice. */
const FRAME_SECONDS = 0.04;
const LOWEST_HZ = 50;
const HIGHEST_HZ = 600;
/** So alike a frame must be to itself a period later to count as voiced. */
const VOICED = 0.6;

/** The median fundamental frequency of voiced speech in Hz, by autocorrelation; 0 without any. */
export function medianPitch(samples: Float32Array, sampleRate: number): number {
  const size = Math.round(FRAME_SECONDS * sampleRate);
  const found: number[] = [];
  for (let at = 0; at + 2 * size < samples.length; at += size) {
    const hz = pitchOf(samples.subarray(at, at + 2 * size), size, sampleRate);
    if (hz !== null) found.push(hz);
  }
  found.sort((a, b) => a - b);
  return found[found.length >> 1] ?? 0;
}

function pitchOf(frame: Float32Array, size: number, sampleRate: number): number | null {
  const likeness = (lag: number): number => {
    let product = 0;
    let here = 0;
    let there = 0;
    for (let i = 0; i < size; i += 1) {
      const a = frame[i] ?? 0;
      const b = frame[i + lag] ?? 0;
      product += a * b;
      here += a * a;
      there += b * b;
    }
    return here < 1e-3 || there < 1e-3 ? 0 : product / Math.sqrt(here * there);
  };
  let best = { lag: 0, score: VOICED };
  for (
    let lag = Math.floor(sampleRate / HIGHEST_HZ);
    lag <= Math.min(size, sampleRate / LOWEST_HZ);
    lag += 1
  ) {
    const score = likeness(lag);
    // Multiples of a period fit as well, so the shortest counts unless a longer one is clearly better.
    if (score > best.score + 0.05) best = { lag, score };
  }
  return best.lag === 0 ? null : sampleRate / best.lag;
}
