import {
  END,
  EPOCH,
  EPOCH_START,
  EVENTS,
  FLOOR,
  FRAME,
  LOG,
  LOG_ENTRIES,
  LOG_ENTRY_SLOTS,
  MAX_WAIT,
  PEAK,
  READ,
  READ_EPOCH,
  type RingMemory,
  SEQUENCE,
  STATE,
  UNDERRUNS,
  WRITE,
} from './layout.ts';

/** A sample of this size is 1 in the output. */
export const FULL_SCALE = 32_768;

/** The feeder's half of a control block: the only place that writes the feeder's slots. */
export class FeederControl {
  readonly #control: Int32Array;
  readonly #capacity: number;

  constructor(control: Int32Array, capacity: number) {
    this.#control = control;
    this.#capacity = capacity;
  }

  /** Position behind the last sample queued. */
  get writePosition(): number {
    return Atomics.load(this.#control, WRITE);
  }

  get epoch(): number {
    return Atomics.load(this.#control, EPOCH);
  }

  /** Samples that can be queued now. After a clear the old ones take room until the reader has let go of them. */
  room(): number {
    return this.#capacity - ((this.writePosition - Atomics.load(this.#control, READ)) | 0);
  }

  /** The samples up to here are in place. */
  advance(samples: number): void {
    Atomics.store(this.#control, WRITE, (this.writePosition + samples) | 0);
  }

  /**
   * Begins an epoch here. The reader loads `WRITE` before `EPOCH` and `EPOCH` before `EPOCH_START`, so that it never
   * plays a sample of the new epoch under the old one.
   */
  clear(): number {
    const start = this.writePosition;
    const epoch = (this.epoch + 1) | 0;
    Atomics.store(this.#control, END, start);
    Atomics.store(this.#control, EPOCH_START, start);
    Atomics.store(this.#control, EPOCH, epoch);
    return epoch;
  }

  /** What has been queued so far is complete. */
  end(): void {
    Atomics.store(this.#control, END, this.writePosition);
  }

  /** Both in samples. A floor above the capacity could never be met. */
  setFloor(floorSamples: number, maxWaitSamples: number): void {
    Atomics.store(this.#control, MAX_WAIT, maxWaitSamples);
    Atomics.store(this.#control, FLOOR, Math.min(floorSamples, this.#capacity));
  }
}

/** The feeder's half of a ring. */
export class RingWriter extends FeederControl {
  readonly #data: Int16Array;

  constructor({ control, data }: RingMemory) {
    super(control, data.length);
    this.#data = data;
  }

  /** Queues as many of the samples as there is room for, and tells how many. */
  write(samples: Int16Array): number {
    const count = Math.min(samples.length, this.room());
    if (count <= 0) return 0;
    const at = this.writePosition & (this.#data.length - 1);
    const beforeEdge = Math.min(count, this.#data.length - at);
    this.#data.set(beforeEdge < samples.length ? samples.subarray(0, beforeEdge) : samples, at);
    if (beforeEdge < count) this.#data.set(samples.subarray(beforeEdge, count), 0);
    this.advance(count);
    return count;
  }
}

/** The reader's half of a ring: the only place that writes the reader's slots. Nothing here allocates. */
export class RingReader {
  /** Position of the next sample to play. */
  position: number;
  /** The epoch that is being read. */
  epoch: number;
  /** As of the last {@link refresh}. */
  floor = 0;
  maxWait = 0;
  #write: number;
  #end: number;
  #events: number;
  #underruns: number;
  readonly #control: Int32Array;
  readonly #data: Int16Array;
  readonly #mask: number;

  constructor({ control, data }: RingMemory) {
    this.#control = control;
    this.#data = data;
    this.#mask = data.length - 1;
    this.position = Atomics.load(control, READ);
    this.epoch = Atomics.load(control, READ_EPOCH);
    this.#write = this.position;
    this.#end = this.position;
    this.#events = Atomics.load(control, EVENTS);
    this.#underruns = Atomics.load(control, UNDERRUNS);
  }

  /**
   * Looks at what the feeder has done, and says whether it has begun another epoch. The order matters: `END` never
   * runs ahead of a `WRITE` loaded after it, and `WRITE` never ahead of an `EPOCH` loaded after it.
   */
  refresh(): boolean {
    const control = this.#control;
    this.floor = Atomics.load(control, FLOOR);
    this.maxWait = Atomics.load(control, MAX_WAIT);
    this.#end = Atomics.load(control, END);
    this.#write = Atomics.load(control, WRITE);
    return Atomics.load(control, EPOCH) !== this.epoch;
  }

  /** Moves to the newest epoch. Its samples may have been queued since {@link refresh}; the next one sees them. */
  adoptEpoch(): void {
    this.epoch = Atomics.load(this.#control, EPOCH);
    this.position = Atomics.load(this.#control, EPOCH_START);
    // WRITE as loaded may lie before a start that was moved since then.
    if (((this.#write - this.position) | 0) < 0) this.#write = this.position;
    if (((this.#end - this.position) | 0) < 0) this.#end = this.position;
  }

  /** Samples queued and not played. */
  get available(): number {
    return (this.#write - this.position) | 0;
  }

  /** All that is queued is complete. */
  get complete(): boolean {
    return this.#end === this.#write;
  }

  /** The sample that many behind the next one; only where {@link available} says that there is one. */
  peek(offset: number): number {
    return this.#data[(this.position + offset) & this.#mask] ?? 0;
  }

  /**
   * Adds the next samples to two channels, each times its gain; no more than {@link available}.
   * @returns the highest magnitude among them, 0 to 32768
   */
  mix(
    left: Float32Array,
    right: Float32Array,
    at: number,
    count: number,
    gainLeft: number,
    gainRight: number,
  ): number {
    const data = this.#data;
    const mask = this.#mask;
    const scaleLeft = gainLeft / FULL_SCALE;
    const scaleRight = gainRight / FULL_SCALE;
    let from = this.position & mask;
    let peak = 0;
    for (let i = at; i < at + count; i += 1) {
      const sample = data[from] ?? 0;
      from = (from + 1) & mask;
      // Not by a condition: the sign of a sample is what a processor cannot foresee.
      const magnitude = Math.abs(sample);
      if (magnitude > peak) peak = magnitude;
      left[i] = (left[i] ?? 0) + sample * scaleLeft;
      right[i] = (right[i] ?? 0) + sample * scaleRight;
    }
    return peak;
  }

  /** Lets go of samples. */
  advance(samples: number): void {
    this.position = (this.position + samples) | 0;
  }

  /** Between this and {@link publish} the worker sees the slots as changing. */
  begin(): void {
    this.#step();
  }

  /** @param frame 32 bits of the audio frame */
  log(kind: number, frame: number, position: number, epoch: number): void {
    const at = LOG + (this.#events & (LOG_ENTRIES - 1)) * LOG_ENTRY_SLOTS;
    Atomics.store(this.#control, at, kind);
    Atomics.store(this.#control, at + 1, frame);
    Atomics.store(this.#control, at + 2, position);
    Atomics.store(this.#control, at + 3, epoch);
    this.#events = (this.#events + 1) | 0;
  }

  /** @param by 1, or -1 where an underrun turns out to have been the end, told late */
  countUnderrun(by: 1 | -1): void {
    this.#underruns = (this.#underruns + by) | 0;
  }

  /** Tells the worker where things stand. @param nextFrame 32 bits of the frame at which the next quantum begins */
  publish(state: number, nextFrame: number, peak: number): void {
    const control = this.#control;
    Atomics.store(control, READ_EPOCH, this.epoch);
    Atomics.store(control, READ, this.position);
    Atomics.store(control, FRAME, nextFrame);
    Atomics.store(control, STATE, state);
    Atomics.store(control, PEAK, peak);
    Atomics.store(control, UNDERRUNS, this.#underruns);
    Atomics.store(control, EVENTS, this.#events);
    this.#step();
  }

  #step(): void {
    Atomics.store(this.#control, SEQUENCE, (Atomics.load(this.#control, SEQUENCE) + 1) | 0);
  }
}
