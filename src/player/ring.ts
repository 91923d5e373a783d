import { FULL_SCALE } from '#lib/pcm.ts';
import * as layout from './layout.ts';
import { type PlayerStatus, StatusReader } from './status.ts';
import type { TrackMessage, TrackPort, TrackReport } from './worklet-messages.ts';

/** How samples reach the audio thread: through shared memory, or by messages past the page. */
export type Transport = 'shared' | 'message';

/** The feeder's half of a control block: the only place that writes the feeder's slots. */
class FeederControl {
  /** In samples. */
  readonly capacity: number;
  readonly #control: Int32Array;

  constructor(control: Int32Array, capacity: number) {
    this.#control = control;
    this.capacity = capacity;
  }

  /** Position behind the last sample queued. */
  get writePosition(): number {
    return Atomics.load(this.#control, layout.WRITE);
  }

  get epoch(): number {
    return Atomics.load(this.#control, layout.EPOCH);
  }

  /** Samples that can be queued now. After a clear, the old ones take room until the reader has followed it. */
  room(): number {
    return this.capacity - ((this.writePosition - Atomics.load(this.#control, layout.READ)) | 0);
  }

  /** Declares that many more samples to be in place. */
  advance(samples: number): void {
    Atomics.store(this.#control, layout.WRITE, (this.writePosition + samples) | 0);
  }

  /**
   * Begins an epoch at the write position, and returns it. The reader loads `WRITE` before `EPOCH` and `EPOCH` before
   * `EPOCH_START`, so that it never plays a sample of the new epoch under the old one.
   */
  clear(): number {
    const start = this.writePosition;
    const epoch = (this.epoch + 1) | 0;
    Atomics.store(this.#control, layout.END, start);
    Atomics.store(this.#control, layout.EPOCH_START, start);
    Atomics.store(this.#control, layout.EPOCH, epoch);
    this.stored();
    return epoch;
  }

  /** Declares everything queued so far complete: running dry there is no underrun. */
  end(): void {
    Atomics.store(this.#control, layout.END, this.writePosition);
    this.stored();
  }

  /** Pauses the reader, or lets it go on. After a clear, a reader that goes on has seen the new epoch. */
  setPaused(isPaused: boolean): void {
    Atomics.store(this.#control, layout.IS_PAUSED, isPaused ? 1 : 0);
    this.stored();
  }

  /** Sets the prebuffer target and the longest wait for it, in samples. A target above the capacity could never be met. */
  setTarget(targetSamples: number, maxWaitSamples: number): void {
    const target = Math.min(Math.ceil(targetSamples), this.capacity);
    const maxWait = Math.ceil(maxWaitSamples);
    const control = this.#control;
    // Chosen again with every audio frame, and mostly the same.
    if (Atomics.load(control, layout.TARGET) === target && Atomics.load(control, layout.MAX_WAIT) === maxWait)
      return;
    Atomics.store(control, layout.MAX_WAIT, maxWait);
    Atomics.store(control, layout.TARGET, target);
    this.stored();
  }

  /** Runs behind each change of the slots, except for that of {@link advance}. */
  protected stored(): void {}
}

/** The feeder's half of a ring. */
export class RingWriter extends FeederControl {
  readonly #data: Int16Array;

  constructor({ control, data }: layout.RingMemory) {
    super(control, data.length);
    this.#data = data;
  }

  /** Queues as many samples as fit, and returns their number. */
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

/** The worker's side of a track. All counts are samples; positions and epochs are 32 bits that wrap. */
export interface RingSink
  extends Pick<
    RingWriter,
    'capacity' | 'writePosition' | 'epoch' | 'room' | 'write' | 'clear' | 'end' | 'setTarget' | 'setPaused'
  > {
  readonly transport: Transport;
  /** The reader's last status, with each event once. */
  status(): PlayerStatus;
  close(): void;
}

/** Writes samples into memory that the audio thread reads. */
class SharedSink extends RingWriter implements RingSink {
  readonly transport = 'shared';
  readonly #status: StatusReader;
  readonly #port: TrackPort;

  constructor(port: TrackPort, capacity: number, startPosition: number, startEpoch: number) {
    const memory = layout.createRingMemory(capacity, true, startPosition, startEpoch);
    super(memory);
    this.#status = new StatusReader(memory.control);
    this.#port = port;
    port.postMessage({ type: 'shared', ...memory } satisfies TrackMessage);
  }

  status(): PlayerStatus {
    return this.#status.read();
  }

  close(): void {
    this.#port.close();
  }
}

/** Copies samples and transfers them. The worklet owns the ring; this is a mirror of its control block. */
class PortSink extends FeederControl implements RingSink {
  readonly transport = 'message';
  readonly #control: Int32Array;
  readonly #status: StatusReader;
  readonly #port: TrackPort;

  constructor(port: TrackPort, capacity: number, startPosition: number, startEpoch: number) {
    // Only the control block is used: the samples are in the worklet.
    const { control } = layout.createRingMemory(1, false, startPosition, startEpoch);
    super(control, capacity);
    this.#control = control;
    this.#status = new StatusReader(control);
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<TrackReport>) => {
      control.set(data.subarray(layout.READER_SLOTS), layout.READER_SLOTS);
    };
    this.#post({ type: 'message', capacity, startPosition, startEpoch });
  }

  write(samples: Int16Array): number {
    const count = Math.min(samples.length, this.room());
    if (count <= 0) return 0;
    const copy = samples.slice(0, count);
    this.advance(count);
    this.#port.postMessage({ type: 'samples', samples: copy } satisfies TrackMessage, [copy.buffer]);
    return count;
  }

  protected override stored(): void {
    this.#post({ type: 'slots', slots: this.#control.slice(0, layout.READER_SLOTS) });
  }

  status(): PlayerStatus {
    return this.#status.read();
  }

  close(): void {
    this.#port.onmessage = null;
    this.#port.close();
  }

  #post(message: TrackMessage): void {
    this.#port.postMessage(message);
  }
}

export interface SinkOptions {
  /** Samples, a power of two. */
  capacity?: number;
  /** By default shared where the scope is cross-origin isolated, which shared memory requires. */
  transport?: Transport;
  startPosition?: number;
  /** The first epoch. It must exceed those of earlier tracks of that name: a late halt of theirs would silence this one. */
  startEpoch?: number;
}

/** Whether memory can be shared with the audio thread. */
const canShareMemory = (): boolean =>
  // WebKitGTK isolates workers and yet has no shared memory in them.
  globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer === 'function';

/** Opens a track over the worker's end of its port, and chooses the transport. */
export function openSink(
  port: TrackPort,
  { capacity = layout.DEFAULT_CAPACITY, transport, startPosition = 0, startEpoch = 0 }: SinkOptions = {},
): RingSink {
  const shared = transport ? transport === 'shared' : canShareMemory();
  const Sink = shared ? SharedSink : PortSink;
  return new Sink(port, capacity, startPosition, startEpoch);
}

/** The reader's half of a ring: the only place that writes the reader's slots. Nothing here allocates. */
export class RingReader {
  /** Position of the next sample to play. */
  position: number;
  epoch: number;
  /** As of the last {@link refresh}. */
  target = 0;
  maxWait = 0;
  isPaused = false;
  #write: number;
  #end: number;
  #events: number;
  #underruns: number;
  readonly #control: Int32Array;
  readonly #data: Int16Array;
  readonly #mask: number;

  constructor({ control, data }: layout.RingMemory) {
    this.#control = control;
    this.#data = data;
    this.#mask = data.length - 1;
    this.position = Atomics.load(control, layout.READ);
    this.epoch = Atomics.load(control, layout.READ_EPOCH);
    this.#write = this.position;
    this.#end = this.position;
    this.#events = Atomics.load(control, layout.EVENTS);
    this.#underruns = Atomics.load(control, layout.UNDERRUNS);
  }

  /**
   * Loads the feeder's slots, and returns whether it has begun another epoch. The order matters: `END` never runs ahead
   * of a `WRITE` loaded after it, and `WRITE` and the end of a pause never ahead of an `EPOCH` loaded after them.
   */
  refresh(): boolean {
    const control = this.#control;
    this.isPaused = Atomics.load(control, layout.IS_PAUSED) !== 0;
    this.target = Atomics.load(control, layout.TARGET);
    this.maxWait = Atomics.load(control, layout.MAX_WAIT);
    this.#end = Atomics.load(control, layout.END);
    this.#write = Atomics.load(control, layout.WRITE);
    return Atomics.load(control, layout.EPOCH) !== this.epoch;
  }

  /** Moves to the newest epoch. Samples queued since {@link refresh} become visible with the next one. */
  adoptEpoch(): void {
    this.epoch = Atomics.load(this.#control, layout.EPOCH);
    this.position = Atomics.load(this.#control, layout.EPOCH_START);
    // The loaded WRITE may be older than the start of the epoch.
    if (((this.#write - this.position) | 0) < 0) this.#write = this.position;
    if (((this.#end - this.position) | 0) < 0) this.#end = this.position;
  }

  /** Samples queued and not played. */
  get available(): number {
    return (this.#write - this.position) | 0;
  }

  /** Everything queued is complete: running dry is no underrun. */
  get complete(): boolean {
    return this.#end === this.#write;
  }

  /** The sample `offset` behind the next one. It must be {@link available}. */
  peek(offset: number): number {
    return this.#data[(this.position + offset) & this.#mask] ?? 0;
  }

  /**
   * Adds the next samples to two channels at their gains. At most {@link available} samples.
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
      // Without a branch, because a processor cannot predict the sign of a sample.
      const magnitude = Math.abs(sample);
      if (magnitude > peak) peak = magnitude;
      left[i] = (left[i] ?? 0) + sample * scaleLeft;
      right[i] = (right[i] ?? 0) + sample * scaleRight;
    }
    return peak;
  }

  /** Releases samples. */
  advance(samples: number): void {
    this.position = (this.position + samples) | 0;
  }

  /** Marks the slots as changing until {@link publish}. */
  begin(): void {
    this.#step();
  }

  /** @param frame 32 bits of the audio frame */
  log(kind: number, frame: number, position: number, epoch: number): void {
    const at = layout.LOG + (this.#events & (layout.LOG_ENTRIES - 1)) * layout.LOG_ENTRY_SLOTS;
    Atomics.store(this.#control, at, kind);
    Atomics.store(this.#control, at + 1, frame);
    Atomics.store(this.#control, at + 2, position);
    Atomics.store(this.#control, at + 3, epoch);
    this.#events = (this.#events + 1) | 0;
  }

  /** @param by 1, or -1 where an underrun was the end of a turn, announced late */
  countUnderrun(by: 1 | -1): void {
    this.#underruns = (this.#underruns + by) | 0;
  }

  /** Writes the reader's slots. @param nextFrame 32 bits of the frame at which the next quantum begins */
  publish(state: number, nextFrame: number, peak: number): void {
    const control = this.#control;
    Atomics.store(control, layout.READ_EPOCH, this.epoch);
    Atomics.store(control, layout.READ, this.position);
    Atomics.store(control, layout.FRAME, nextFrame);
    Atomics.store(control, layout.STATE, state);
    Atomics.store(control, layout.PEAK, peak);
    Atomics.store(control, layout.UNDERRUNS, this.#underruns);
    Atomics.store(control, layout.EVENTS, this.#events);
    this.#step();
  }

  #step(): void {
    Atomics.store(this.#control, layout.SEQUENCE, (Atomics.load(this.#control, layout.SEQUENCE) + 1) | 0);
  }
}
