import { FULL_SCALE } from '#lib/pcm.ts';
import * as layout from './layout.ts';
import { RingReader } from './ring.ts';

/** The length of a ramp to or from silence: 2.7 ms at 24 kHz. */
const GLIDE_SAMPLES = 64;
/** A jump below this (−54 dB of full scale) makes no audible click, so it gets no ramp. */
const CLICK_MAGNITUDE = 64;

const NOTHING = -1;

/** Decides whether playing may start: with all that comes, or at the prebuffer target. */
export const hasEnough = (samples: number, targetSamples: number, isComplete: boolean): boolean =>
  isComplete || samples >= targetSamples;

/**
 * Plays one ring. Runs on the audio thread: nothing here allocates, waits or logs.
 *
 * **No sample of the stream is altered or left out**, except those that a clear or a halt drops. Where playing stops at
 * a value away from zero (underrun, clear, halt, pause, end), the output glides to silence *after* the last sample.
 * Where it begins at such a value, it glides from silence *before* the first. The next sample waits for the end of a
 * glide, at any place within a quantum.
 */
export class Track {
  readonly #ring: RingReader;
  #playing = false;
  /** The event of the next first sample: a start, or the end of an underrun or of a pause. */
  #beginsAs: typeof layout.STARTED | typeof layout.RESUMED | typeof layout.CONTINUED = layout.STARTED;
  /** The event to log together with the first sample. */
  #announce: number = NOTHING;
  #waited = 0;

  /** The last output value, in units of samples and before gain. */
  #last = 0;
  #glideFrom = 0;
  #glideTo = 0;
  #glideLeft = 0;

  #halted = false;
  #haltedEpoch = 0;
  #retired = false;
  #nextFrame = 0;

  readonly #left = new GlidingGain();
  readonly #right = new GlidingGain();

  #peak = 0;
  #peakBefore = 0;
  #peakQuanta = 0;

  constructor(memory: layout.RingMemory) {
    this.#ring = new RingReader(memory);
  }

  get gone(): boolean {
    return this.#retired && this.#glideLeft === 0;
  }

  /** Silences this epoch and older ones at the next quantum; later ones play on. */
  halt(epoch: number): void {
    if (this.#halted && ((epoch - this.#haltedEpoch) | 0) < 0) return;
    this.#halted = true;
    this.#haltedEpoch = epoch;
  }

  retire(): void {
    this.#retired = true;
  }

  /** Sets the gain of each channel, 0 to 1: within {@link GLIDE_SAMPLES} while the track sounds, otherwise at once. */
  setGain(left: number, right: number): void {
    this.#left.set(left);
    this.#right.set(right);
    if (!this.#playing && this.#glideLeft === 0) this.#settleGains();
  }

  #settleGains(): void {
    this.#left.settle();
    this.#right.settle();
  }

  /**
   * Adds the next quantum to both channels.
   * @param frame the audio frame of its first sample (`currentFrame`)
   */
  render(left: Float32Array, right: Float32Array, frame: number): void {
    const ring = this.#ring;
    ring.begin();
    if (ring.refresh()) {
      this.#abandon(frame);
      ring.adoptEpoch();
    }
    if (this.#isSilenced()) this.#abandon(frame);
    else if (ring.isPaused) this.#pause(frame);
    else if (this.#playing && this.#announce === NOTHING && ((frame - this.#nextFrame) | 0) !== 0) {
      ring.log(layout.REALIGNED, frame | 0, ring.position, ring.epoch);
    }

    let at = 0;
    while (at < left.length) {
      if (this.#glideLeft > 0) at = this.#glide(left, right, at);
      else if (this.#playing) at = this.#play(left, right, at, frame);
      else if (!this.#begin(frame + at, left.length - at)) break;
    }

    this.#nextFrame = (frame + left.length) | 0;
    ring.publish(this.#state(), this.#nextFrame, this.#meter());
  }

  #isSilenced(): boolean {
    return this.#retired || (this.#halted && ((this.#ring.epoch - this.#haltedEpoch) | 0) <= 0);
  }

  #state(): number {
    if (this.#isSilenced()) return layout.IDLE;
    if (this.#playing) return layout.PLAYING;
    return this.#ring.available > 0 || this.#beginsAs !== layout.STARTED ? layout.BUFFERING : layout.IDLE;
  }

  /** Returns whether playing begins here, and counts the wait where it does not. */
  #begin(frame: number, rest: number): boolean {
    const ring = this.#ring;
    if (this.#isSilenced() || ring.isPaused) return false;
    if (ring.available === 0) {
      if (this.#beginsAs !== layout.STARTED && ring.complete) {
        if (this.#beginsAs === layout.RESUMED) ring.countUnderrun(-1);
        this.#beginsAs = layout.STARTED;
        ring.log(layout.ENDED, frame | 0, ring.position, ring.epoch);
      } else if (this.#beginsAs === layout.CONTINUED) {
        this.#last = 0;
        this.#runDry(frame | 0);
      }
      this.#waited = 0;
      return false;
    }
    // A pause keeps what was queued, so playing continues without a wait for the target.
    const isReady =
      this.#beginsAs === layout.CONTINUED || hasEnough(ring.available, ring.target, ring.complete);
    if (!isReady && this.#waited < ring.maxWait) {
      this.#waited += rest;
      return false;
    }
    this.#playing = true;
    this.#announce = this.#beginsAs;
    this.#waited = 0;
    this.#last = 0;
    this.#settleGains();
    this.#startGlide(ring.peek(0));
    return true;
  }

  /** Plays available samples, up to the end of the quantum. */
  #play(left: Float32Array, right: Float32Array, at: number, frame: number): number {
    const ring = this.#ring;
    const count = Math.min(ring.available, left.length - at);
    if (count === 0) {
      this.#runDry((frame + at) | 0);
      return at;
    }
    if (this.#announce !== NOTHING) {
      ring.log(this.#announce, (frame + at) | 0, ring.position, ring.epoch);
      this.#announce = NOTHING;
      this.#beginsAs = layout.STARTED;
    }
    const isSteady = this.#left.isSteady && this.#right.isSteady;
    const peak = isSteady
      ? ring.mix(left, right, at, count, this.#left.value, this.#right.value)
      : this.#playGliding(left, right, at, count);
    if (peak > this.#peak) this.#peak = peak;
    this.#last = ring.peek(count - 1);
    ring.advance(count);
    return at + count;
  }

  /** Plays samples while a gain changes. @returns the highest magnitude */
  #playGliding(left: Float32Array, right: Float32Array, at: number, count: number): number {
    let peak = 0;
    for (let i = 0; i < count; i += 1) {
      const sample = this.#ring.peek(i);
      peak = Math.max(peak, Math.abs(sample));
      this.#put(left, right, at + i, sample);
    }
    return peak;
  }

  #runDry(frame: number): void {
    const ring = this.#ring;
    this.#playing = false;
    if (ring.complete) {
      ring.log(layout.ENDED, frame, ring.position, ring.epoch);
    } else {
      this.#beginsAs = layout.RESUMED;
      ring.countUnderrun(1);
      ring.log(layout.UNDERRUN, frame, ring.position, ring.epoch);
    }
    this.#startGlide(0);
  }

  /** Stops for a pause, which keeps the samples that were playing or due. A pause ends an underrun. */
  #pause(frame: number): void {
    const ring = this.#ring;
    // In the glide before its first sample, playing has not begun.
    const isHeard = this.#playing && this.#announce === NOTHING;
    if (isHeard || this.#beginsAs === layout.RESUMED) {
      ring.log(layout.PAUSED, frame | 0, ring.position, ring.epoch);
      this.#beginsAs = layout.CONTINUED;
    }
    if (this.#playing) this.#startGlide(0);
    this.#playing = false;
    this.#announce = NOTHING;
    this.#waited = 0;
  }

  /** Stops for a clear or a halt, which drops the samples that were playing or due. It ends an underrun, too. */
  #abandon(frame: number): void {
    const ring = this.#ring;
    // A pause has logged its silence.
    if (this.#playing || this.#beginsAs === layout.RESUMED)
      ring.log(layout.CLEARED, frame | 0, ring.position, ring.epoch);
    if (this.#playing) this.#startGlide(0);
    this.#playing = false;
    this.#announce = NOTHING;
    this.#beginsAs = layout.STARTED;
    this.#waited = 0;
  }

  #startGlide(to: number): void {
    this.#glideFrom = this.#last;
    this.#glideTo = to;
    this.#glideLeft = Math.abs(to - this.#last) < CLICK_MAGNITUDE ? 0 : GLIDE_SAMPLES;
  }

  #glide(left: Float32Array, right: Float32Array, at: number): number {
    const end = Math.min(left.length, at + this.#glideLeft);
    for (let i = at; i < end; i += 1) {
      const done = (GLIDE_SAMPLES + 1 - this.#glideLeft) / (GLIDE_SAMPLES + 1);
      // Whole samples have exact sums, so at full gain the sound does not depend on the order of the tracks.
      const value = Math.round(this.#glideFrom + (this.#glideTo - this.#glideFrom) * done);
      this.#put(left, right, i, value);
      this.#glideLeft -= 1;
    }
    return end;
  }

  #put(left: Float32Array, right: Float32Array, at: number, value: number): void {
    left[at] = (left[at] ?? 0) + (value / FULL_SCALE) * this.#left.next();
    right[at] = (right[at] ?? 0) + (value / FULL_SCALE) * this.#right.next();
    this.#last = value;
  }

  #meter(): number {
    const peak = Math.max(this.#peak, this.#peakBefore);
    this.#peakQuanta += 1;
    if (this.#peakQuanta === layout.PEAK_WINDOW_QUANTA) {
      this.#peakQuanta = 0;
      this.#peakBefore = this.#peak;
      this.#peak = 0;
    }
    return peak;
  }
}

/** A gain that moves to its target without a click. */
class GlidingGain {
  value = 1;
  #target = 1;
  #step = 0;
  #stepsLeft = 0;

  get isSteady(): boolean {
    return this.#stepsLeft === 0;
  }

  /** The gain arrives with the last of {@link GLIDE_SAMPLES} calls of `next`, or at once on `settle`. */
  set(target: number): void {
    this.#target = target;
    this.#step = (target - this.value) / GLIDE_SAMPLES;
    this.#stepsLeft = target === this.value ? 0 : GLIDE_SAMPLES;
  }

  settle(): void {
    this.value = this.#target;
    this.#stepsLeft = 0;
  }

  next(): number {
    if (this.#stepsLeft > 0) {
      this.#stepsLeft -= 1;
      // The sum of the steps misses the target by rounding.
      this.value = this.#stepsLeft === 0 ? this.#target : this.value + this.#step;
    }
    return this.value;
  }
}
