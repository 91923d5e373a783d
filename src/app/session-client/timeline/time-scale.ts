/** The limits of zoom: 2000 px and 0.02 px a second. */
const CLOSEST_MS_PER_PX = 0.5;
const FARTHEST_MS_PER_PX = 50_000;

/** Labels are at least this far apart. */
const LABEL_GAP_PX = 80;

export interface AxisTick {
  atMs: number;
  /** Labelled ticks are major. */
  isMajor: boolean;
}

const STEPS_MS: readonly number[] = [
  10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
  3_600_000, 7_200_000,
];

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** The only conversion between wall clock in ms and CSS pixels from the left edge of the lanes. Immutable. */
export class TimeScale {
  /** Time at the left edge. */
  readonly startMs: number;
  readonly msPerPx: number;
  readonly widthPx: number;

  constructor(startMs: number, msPerPx: number, widthPx: number) {
    this.startMs = startMs;
    this.msPerPx = clamp(msPerPx, CLOSEST_MS_PER_PX, FARTHEST_MS_PER_PX);
    this.widthPx = Math.max(1, widthPx);
  }

  /** Shows a range of time, with a share of the width free at its right. */
  static fit(fromMs: number, toMs: number, widthPx: number, free = 0.06): TimeScale {
    const usedPx = Math.max(1, widthPx * (1 - free));
    return new TimeScale(fromMs, Math.max(toMs - fromMs, 1) / usedPx, widthPx);
  }

  get endMs(): number {
    return this.startMs + this.widthPx * this.msPerPx;
  }

  toPx(ms: number): number {
    return (ms - this.startMs) / this.msPerPx;
  }

  toMs(px: number): number {
    return this.startMs + px * this.msPerPx;
  }

  /** Zooms in (`factor` above 1) or out about the moment at `px`. */
  zoom(factor: number, px: number): TimeScale {
    const msPerPx = clamp(this.msPerPx / factor, CLOSEST_MS_PER_PX, FARTHEST_MS_PER_PX);
    return new TimeScale(this.toMs(px) - px * msPerPx, msPerPx, this.widthPx);
  }

  pan(px: number): TimeScale {
    return new TimeScale(this.startMs + px * this.msPerPx, this.msPerPx, this.widthPx);
  }

  /** Pans as little as needed to show a range of time with a margin. Zooms out for a range that is too long. */
  showing(fromMs: number, toMs: number, marginPx: number): TimeScale {
    const room = Math.max(1, this.widthPx - 2 * marginPx);
    if ((toMs - fromMs) / this.msPerPx > room) {
      const msPerPx = (toMs - fromMs) / room;
      return new TimeScale(fromMs - marginPx * msPerPx, msPerPx, this.widthPx);
    }
    const before = this.toPx(fromMs) - marginPx;
    if (before < 0) return this.pan(before);
    const behind = this.toPx(toMs) - (this.widthPx - marginPx);
    return behind > 0 ? this.pan(behind) : this;
  }

  withWidth(widthPx: number): TimeScale {
    return new TimeScale(this.startMs, this.msPerPx, widthPx);
  }

  /** Pans as little as needed to show a moment in the left `share` of the width. */
  following(ms: number, share: number): TimeScale {
    const px = this.toPx(ms);
    if (px < 0) return this.pan(px - this.widthPx * (1 - share));
    const over = px - this.widthPx * share;
    return over > 0 ? this.pan(over) : this;
  }

  get labelStepMs(): number {
    return STEPS_MS.find((ms) => ms / this.msPerPx >= LABEL_GAP_PX) ?? LABEL_GAP_PX * this.msPerPx;
  }

  /** Ticks in view at round times from `originMs`, four per label. */
  ticks(originMs: number): AxisTick[] {
    const minor = this.labelStepMs / 4;
    const first = Math.ceil((this.startMs - originMs) / minor);
    const last = Math.floor((this.endMs - originMs) / minor);
    const ticks: AxisTick[] = [];
    for (let at = first; at <= last; at += 1) {
      ticks.push({ atMs: originMs + at * minor, isMajor: at % 4 === 0 });
    }
    return ticks;
  }
}

/** `0 s`, `2.5 s`, `1:20`, `−0.4 s`: a time from the origin with the digits that `stepMs` needs. */
export function axisLabel(ms: number, stepMs: number): string {
  const sign = ms < -0.5 ? '−' : '';
  const size = Math.abs(ms);
  const digits = stepMs >= 1000 ? 0 : stepMs >= 100 ? 1 : 2;
  if (size < 60_000) return `${sign}${(size / 1000).toFixed(digits)} s`;
  const minutes = Math.floor(size / 60_000);
  const seconds = ((size - minutes * 60_000) / 1000).toFixed(digits);
  return `${sign}${minutes}:${seconds.padStart(digits === 0 ? 2 : digits + 3, '0')}`;
}
