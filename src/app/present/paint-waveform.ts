import type { EnvelopeStore } from '../session-client/timeline/envelope-store.ts';
import type { Canvas, Palette } from '../studio/timeline/paint/canvas.ts';
import type { HeardSpan } from './heard-waveform.ts';

/** Audio of one bar. Syllables are four to six bars. */
const BAR_MS = 40;
/** Bars follow perceived loudness, a power of amplitude, because most speech is far below full scale. */
const LOUDNESS = 0.7;
const QUEUED_ALPHA = 0.3;
const OLDEST_ALPHA = 0.3;
/** Share of the way to the left edge over which bars lose their strength. */
const FADES_OVER = 0.9;

export interface WaveformLook {
  widthPx: number;
  heightPx: number;
  /** Place of the playhead. */
  headPx: number;
  pitchPx: number;
  barPx: number;
}

/** Returns the sizes of a picture. A narrow one has thinner bars, so that it still shows about two seconds. */
export function waveformLook(widthPx: number, heightPx: number): WaveformLook {
  const isNarrow = widthPx < 700;
  return {
    widthPx,
    heightPx,
    headPx: Math.round(widthPx * (isNarrow ? 0.6 : 0.62)),
    pitchPx: isNarrow ? 5 : widthPx < 1200 ? 7 : 8,
    barPx: isNarrow ? 3 : 4,
  };
}

/** Paints what was heard left of the playhead in the hue of its voice, and what is queued right of it. */
export function paintWaveform(
  to: Canvas,
  spans: readonly HeardSpan[],
  envelopes: EnvelopeStore,
  palette: Palette,
  look: WaveformLook,
): void {
  const { widthPx, heightPx, headPx, pitchPx, barPx } = look;
  const middle = heightPx / 2;
  const msPerPx = BAR_MS / pitchPx;
  const firstMs = -(headPx + pitchPx) * msPerPx;
  const lastMs = (widthPx - headPx) * msPerPx;
  to.lineCap = 'round';
  to.lineWidth = barPx;
  for (const { turn, hue, fromMs, toMs, audioFromMs } of spans) {
    if (toMs < firstMs || fromMs > lastMs) continue;
    const voice = palette.voice(hue).full;
    // Bars have fixed places in the turn's audio, so that they do not flicker while they move.
    const audioToMs = audioFromMs + toMs - fromMs;
    const seenFromMs = Math.max(audioFromMs, audioFromMs + firstMs - fromMs);
    const seenToMs = Math.min(audioToMs, audioFromMs + lastMs - fromMs);
    for (let bar = Math.floor(seenFromMs / BAR_MS); bar * BAR_MS < seenToMs; bar += 1) {
      const startMs = Math.max(audioFromMs, bar * BAR_MS);
      const atMs = fromMs + bar * BAR_MS - audioFromMs;
      const isHeard = fromMs + startMs - audioFromMs <= 0;
      // The bar at the playhead grows with the samples that have left the speakers.
      const headAudioMs = audioFromMs - fromMs;
      const endMs = Math.min(
        audioToMs,
        (bar + 1) * BAR_MS,
        isHeard ? Math.max(startMs + 1, headAudioMs) : audioToMs,
      );
      const peak = envelopes.highest(turn, startMs, endMs);
      const half = Math.max(0, (peak ** LOUDNESS * (heightPx - barPx)) / 2 - barPx / 2);
      const x = headPx + atMs / msPerPx + pitchPx / 2;
      const age = Math.min(1, Math.max(0, (headPx - x) / (headPx * FADES_OVER)));
      to.globalAlpha = isHeard ? 1 - (1 - OLDEST_ALPHA) * age : QUEUED_ALPHA;
      to.strokeStyle = isHeard ? voice : palette.textSubtle;
      to.beginPath();
      to.moveTo(x, middle - half);
      // A path without length is not drawn, and a silent bar is a dot.
      to.lineTo(x, middle + half + 0.01);
      to.stroke();
    }
  }
  to.globalAlpha = 1;
}

/** Paints the row of dots of a presenter in which nothing has been heard. */
export function paintSilence(
  to: Canvas,
  palette: Palette,
  { widthPx, heightPx, pitchPx, barPx }: WaveformLook,
): void {
  to.fillStyle = palette.borderStrong;
  to.beginPath();
  const step = 2 * pitchPx;
  for (let x = ((widthPx / 2) % step) - step; x < widthPx + step; x += step) {
    to.moveTo(x + barPx / 2, heightPx / 2);
    to.arc(x, heightPx / 2, barPx / 2, 0, 2 * Math.PI);
  }
  to.fill();
}
