/** A run of a turn's audio where it is heard, wall clock. A run that plays ends with the audio received so far. */
export interface HeardSpan {
  turn: number;
  hue: number;
  fromMs: number;
  toMs: number;
  /** Position in the turn's audio at `fromMs`. */
  audioFromMs: number;
}

export interface HeardWaveform {
  /** The spans with times relative to the playhead: negative ones were heard. In the order of hearing. */
  spans: readonly HeardSpan[];
  /** The playhead advances. */
  isMoving: boolean;
}

/** Longest silence between two spans of the waveform. The rest of a longer one is cut out, and the waveform stops meanwhile. */
const MAX_SILENCE_MS = 240;

/**
 * Returns the waveform of heard audio. It stops in silence, so that an idle presenter does not move and a pause between
 * turns takes no room. Overlapping speakers keep their overlap.
 */
export function heardWaveform(heard: readonly HeardSpan[], nowMs: number): HeardWaveform {
  const started = heard.filter(({ fromMs, toMs }) => fromMs <= nowMs && toMs > fromMs);
  if (started.length === 0) return { spans: [], isMoving: false };
  const sorted = started.toSorted((a, b) => a.fromMs - b.fromMs);
  let cutMs = 0;
  let endMs = Number.NEGATIVE_INFINITY;
  const placed = sorted.map((span) => {
    if (endMs > Number.NEGATIVE_INFINITY) cutMs += Math.max(0, span.fromMs - endMs - MAX_SILENCE_MS);
    endMs = Math.max(endMs, span.toMs);
    return { ...span, fromMs: span.fromMs - cutMs, toMs: span.toMs - cutMs };
  });
  // Behind the last sample, the head moves on by a gap and stops.
  const headMs = Math.min(nowMs, endMs + MAX_SILENCE_MS) - cutMs;
  return {
    spans: placed.map((span) => ({ ...span, fromMs: span.fromMs - headMs, toMs: span.toMs - headMs })),
    isMoving: nowMs < endMs + MAX_SILENCE_MS,
  };
}
