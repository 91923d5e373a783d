/**
 * The control block of a ring: 32-bit integers that worker and audio thread share, or that each holds its own copy of
 * where memory cannot be shared. Every slot has exactly one writer, so nothing is ever locked.
 *
 * | slot          | writer | meaning                                                                             |
 * | ------------- | ------ | ----------------------------------------------------------------------------------- |
 * | `WRITE`       | feeder | position behind the last sample queued                                              |
 * | `EPOCH`       | feeder | number of clears; samples queued under an older one are never played again          |
 * | `EPOCH_START` | feeder | position where this epoch begins; written before `EPOCH`                            |
 * | `END`         | feeder | all audio before this position is complete: running dry there is no underrun        |
 * | `TARGET`      | feeder | samples to be queued before playing starts                                          |
 * | `MAX_WAIT`    | feeder | samples of waiting, from the first one queued, after which it starts all the same   |
 * | `IS_PAUSED`   | feeder | not 0: nothing is played until it is 0 again; written behind `EPOCH` after a clear  |
 * | `SEQUENCE`    | reader | odd while the reader changes its slots                                              |
 * | `READ`        | reader | position of the next sample to play                                                 |
 * | `FRAME`       | reader | audio frame (`currentFrame`) at which the next quantum begins: `READ` plays there   |
 * | `STATE`       | reader | see `IDLE`, `BUFFERING`, `PLAYING`                                                  |
 * | `READ_EPOCH`  | reader | the epoch that the reader's slots belong to                                         |
 * | `PEAK`        | reader | highest magnitude of the last {@link PEAK_WINDOW_QUANTA} quanta or more, 0 to 32768 |
 * | `UNDERRUNS`   | reader | how often it ran dry before `END` since the ring was made; the end of a turn that   |
 * |               |        | was announced late is subtracted again                                              |
 * | `EVENTS`      | reader | events logged since the ring was made; the newest 64 are in the log behind          |
 *
 * Positions count the samples of the stream from the ring's making and epochs count clears, both in 32 bits that wrap
 * on purpose: compare them by their difference (`(a - b) | 0`), never by their size.
 */
export const WRITE = 0;
export const EPOCH = 1;
export const EPOCH_START = 2;
export const END = 3;
export const TARGET = 4;
export const MAX_WAIT = 5;
export const IS_PAUSED = 6;

/** The first of the reader's slots. In message mode the worklet sends these and all behind them. */
export const READER_SLOTS = 8;
export const SEQUENCE = 8;
export const READ = 9;
export const FRAME = 10;
export const STATE = 11;
export const READ_EPOCH = 12;
export const PEAK = 13;
export const UNDERRUNS = 14;
export const EVENTS = 15;

/** The event log: entries of kind, audio frame, position and epoch. */
export const LOG = 16;
/** A power of two. */
export const LOG_ENTRIES = 64;
export const LOG_ENTRY_SLOTS = 4;
const CONTROL_SLOTS = LOG + LOG_ENTRIES * LOG_ENTRY_SLOTS;

export const IDLE = 0;
/** Samples are queued or due, but playing has not begun, or is paused. */
export const BUFFERING = 1;
export const PLAYING = 2;

/** The first sample of a run plays: its position and frame. */
export const STARTED = 0;
/** Ran dry before `END`: the position of the missing sample, the frame where it was due. */
export const UNDERRUN = 1;
/** As `STARTED`, after an underrun. */
export const RESUMED = 2;
/** Ran dry at `END`, also one set later: the position behind the last sample, the frame where it was noticed. */
export const ENDED = 3;
/** Silenced by a clear or a halt: the first position not played, the frame where it was due, the dropped epoch. */
export const CLEARED = 4;
/** The audio clock jumped: the position and frame where playing continues. */
export const REALIGNED = 5;
/** Silenced by a pause, also within an underrun: the first position not played, the frame where it was due. */
export const PAUSED = 6;
/** As `STARTED`, after a pause. */
export const CONTINUED = 7;

/** The peak covers this many quanta: 21 ms at 24 kHz, so that a meter at 60 Hz misses nothing. */
export const PEAK_WINDOW_QUANTA = 4;

/** Samples in a ring by default: 43 s at 24 kHz in 2 MiB. */
export const DEFAULT_CAPACITY = 2 ** 20;

/** Control block and samples of one ring. `data` has a power of two of samples. */
export interface RingMemory {
  control: Int32Array;
  data: Int16Array;
}

/**
 * Allocates the memory of a ring.
 * @param capacity samples, a power of two
 * @param shared in a SharedArrayBuffer
 * @param startPosition the first position
 * @param startEpoch the first epoch
 * @throws RangeError where the capacity is no power of two
 */
export function createRingMemory(
  capacity: number,
  shared: boolean,
  startPosition = 0,
  startEpoch = 0,
): RingMemory {
  if (capacity < 1 || (capacity & (capacity - 1)) !== 0) {
    throw new RangeError(`A ring holds a power of two of samples, not ${capacity}.`);
  }
  const bytes = (count: number) => (shared ? new SharedArrayBuffer(count) : new ArrayBuffer(count));
  const control = new Int32Array(bytes(CONTROL_SLOTS * Int32Array.BYTES_PER_ELEMENT));
  for (const slot of [WRITE, EPOCH_START, END, READ]) control[slot] = startPosition;
  for (const slot of [EPOCH, READ_EPOCH]) control[slot] = startEpoch;
  return { control, data: new Int16Array(bytes(capacity * Int16Array.BYTES_PER_ELEMENT)) };
}
