import { smallest } from '#lib/collections/arrays.ts';
/** A reading of the audio clock: its sample goes to the device at `wallMs`, and is heard `outputLatencyMs` later. */
export interface ClockAnchor {
  contextTimeS: number;
  /** `performance.timeOrigin + performance.now()`, the same in page and worker. */
  wallMs: number;
  outputLatencyMs: number;
}

/** Anchors are late by up to a step of the audio clock, so the earliest of these counts. */
const REMEMBERED_ANCHORS = 8;
/** A clock that has just started jumps, so drift is measured from behind these. */
const SETTLING_ANCHORS = 8;
/** A larger difference between two readings means that the audio clock stood still in between. */
export const STOOD_STILL_MS = 50;

/** A frame that does not move for so long stands still. Devices take samples in batches of up to half of it. */
const STILL_AFTER_MS = 100;
/** After a longer break between two reports, the worker was blocked, and a report may be older than it seems. */
const LATE_REPORT_MS = 50;
/** The reports that waited are read within this time. */
const CATCH_UP_MS = 10;

/** Frames that the audio thread renders at a time. */
const QUANTUM = 128;

/** Whether the audio clock stood still, or jumped, between two readings of the same moment. */
const stoodStill = (aMs: number, bMs: number): boolean => Math.abs(aMs - bMs) > STOOD_STILL_MS;

/** Maps the audio frames of one output to wall time. */
export class AudioClock {
  readonly sampleRate: number;
  /** Wall time of audio frame 0 by each of the last anchors. */
  #originsMs: number[] = [];
  /** The same by the first anchors behind the settling ones. */
  #firstOriginsMs: number[] = [];
  #settling = SETTLING_ANCHORS;
  #outputLatencyMs = 0;
  /** Wall time of the last restart. An anchor from before it knows nothing of the standstill. */
  #restartedMs = Number.NEGATIVE_INFINITY;
  /** The furthest audio frame that was reported, and when the reports last showed it move. */
  #frame = Number.NEGATIVE_INFINITY;
  #movedMs = 0;
  #reportedMs = Number.NEGATIVE_INFINITY;
  #trustedFromMs = 0;
  #isStill = false;
  /** Tracks that played by their last report. */
  readonly #playing = new Set<string>();

  constructor(sampleRate: number) {
    this.sampleRate = sampleRate;
  }

  anchor({ contextTimeS, wallMs, outputLatencyMs }: ClockAnchor): void {
    if (wallMs < this.#restartedMs) return;
    const originMs = wallMs - contextTimeS * 1000;
    if (this.#originsMs.length > 0 && stoodStill(originMs, smallest(this.#originsMs))) this.#restart(wallMs);
    this.#originsMs.push(originMs);
    if (this.#originsMs.length > REMEMBERED_ANCHORS) this.#originsMs.shift();
    if (this.#settling > 0) this.#settling -= 1;
    else if (this.#firstOriginsMs.length < REMEMBERED_ANCHORS) this.#firstOriginsMs.push(originMs);
    this.#outputLatencyMs = outputLatencyMs;
  }

  /**
   * Notes a report of the audio thread on one track. The page's anchors show a standstill half a second late, and not at all
   * while no anchor can be read, so the reports decide: whether the clock stands still, and when it went on.
   * @param frame the next to be rendered
   * @param isPlaying the track plays, so each quantum is reported
   */
  reported(track: string, frame: number, nowMs: number, isPlaying: boolean): void {
    if (isPlaying) this.#playing.add(track);
    else this.#playing.delete(track);
    if (nowMs - this.#reportedMs > LATE_REPORT_MS) this.#trustedFromMs = nowMs + CATCH_UP_MS;
    this.#reportedMs = nowMs;
    const isTrusted = nowMs >= this.#trustedFromMs;
    const hasMoved = frame > this.#frame;
    const isAnyPlaying = this.#playing.size > 0;
    if (!isAnyPlaying) this.#isStill = false;
    if (isAnyPlaying && !hasMoved && isTrusted) {
      this.#isStill = nowMs - this.#movedMs > STILL_AFTER_MS;
      return;
    }
    this.#movedMs = nowMs;
    if (!hasMoved) return;
    this.#frame = frame;
    this.#isStill = false;
    const originMs = nowMs - (frame / this.sampleRate) * 1000;
    if (!isTrusted || originMs <= smallest(this.#originsMs) + STOOD_STILL_MS) return;
    this.#restart(nowMs);
    this.#originsMs.push(originMs);
  }

  /** Notes that a track was closed and sends no more reports. */
  closed(track: string): void {
    this.#playing.delete(track);
    if (this.#playing.size === 0) this.#isStill = false;
  }

  /** The clock stands still under a track that plays: nothing leaves the speakers. */
  get isStill(): boolean {
    return this.#isStill;
  }

  /**
   * Tells that the sample of an audio frame was handed to the player at `wallMs`. It went to the device in that quantum or
   * later, so a clock that says otherwise has stood still for a moment that is too short for {@link stoodStill}.
   */
  handed(frame: number, wallMs: number): void {
    const originMs = wallMs - ((frame + QUANTUM) / this.sampleRate) * 1000;
    this.#originsMs = this.#originsMs.map((each) => Math.max(each, originMs));
  }

  /** When an audio frame leaves the speakers; null before the first anchor. */
  wallMsOf(frame: number): number | null {
    if (this.#originsMs.length === 0) return null;
    return smallest(this.#originsMs) + (frame / this.sampleRate) * 1000 + this.#outputLatencyMs;
  }

  #restart(wallMs: number): void {
    this.#restartedMs = wallMs;
    this.#originsMs = [];
    this.#firstOriginsMs = [];
    this.#settling = SETTLING_ANCHORS;
  }

  /** The audio clock's lead over the wall clock since it began to run, without pauses; null until known. */
  get driftMs(): number | null {
    if (this.#firstOriginsMs.length < REMEMBERED_ANCHORS) return null;
    return smallest(this.#firstOriginsMs) - smallest(this.#originsMs);
  }
}
