/** When a sample at `contextTimeS` of the audio clock was handed to the device, on the wall clock. */
export interface ClockAnchor {
  contextTimeS: number;
  /** `performance.timeOrigin + performance.now()`, the same in page and worker. */
  wallMs: number;
  /** From there to the speakers. */
  outputLatencyMs: number;
}

/** The audio clock moves in steps of several quanta, so one anchor may be late by that much: the earliest of a few counts. */
const REMEMBERED_ANCHORS = 8;
/** An anchor that differs by more means that the audio clock stood still in between. */
const STOOD_STILL_MS = 50;

/** Turns audio frames into wall time and back. Says nothing before its first anchor. */
export class AudioClock {
  readonly sampleRate: number;
  /** Wall time of audio frame 0 for each of the last anchors. */
  #originsMs: number[] = [];
  #outputLatencyMs = 0;

  constructor(sampleRate: number) {
    this.sampleRate = sampleRate;
  }

  anchor({ contextTimeS, wallMs, outputLatencyMs }: ClockAnchor): void {
    const originMs = wallMs - contextTimeS * 1000;
    const known = this.#originMs();
    if (known !== null && Math.abs(originMs - known) > STOOD_STILL_MS) this.#originsMs = [];
    this.#originsMs.push(originMs);
    if (this.#originsMs.length > REMEMBERED_ANCHORS) this.#originsMs.shift();
    this.#outputLatencyMs = outputLatencyMs;
  }

  /** When that frame leaves the speakers; null before the first anchor. */
  wallMsOf(frame: number): number | null {
    const originMs = this.#originMs();
    return originMs === null ? null : originMs + (frame / this.sampleRate) * 1000 + this.#outputLatencyMs;
  }

  #originMs(): number | null {
    return this.#originsMs.length === 0 ? null : Math.min(...this.#originsMs);
  }
}

/** What is known of the play head at one moment: `sample` of `turn` leaves the speakers at `atMs`. */
export interface PlayHeadPoint {
  epoch: number;
  turn: number | null;
  sample: number;
  atMs: number;
  /** It moves from there on. */
  playing: boolean;
  /** Samples behind it that are there to be played: it cannot be further. */
  queuedSamples: number;
  sampleRate: number;
}

/** The play head at paint time. Never ahead of what is queued, never back within a turn and epoch. */
export class PlayHead {
  #point: PlayHeadPoint | null = null;
  #shown = 0;

  update(point: PlayHeadPoint): void {
    if (point.turn !== this.#point?.turn || point.epoch !== this.#point.epoch) this.#shown = 0;
    this.#point = point;
  }

  /** The sample that leaves the speakers at that wall time; null where no turn is at the play head. */
  at(nowMs: number): { turn: number; sample: number } | null {
    const point = this.#point;
    if (!point || point.turn === null) return null;
    const moved = ((nowMs - point.atMs) * point.sampleRate) / 1000;
    const sample = point.sample + (point.playing ? Math.min(moved, point.queuedSamples) : Math.min(moved, 0));
    this.#shown = Math.max(this.#shown, Math.floor(sample));
    return { turn: point.turn, sample: this.#shown };
  }
}
