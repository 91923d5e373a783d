import * as layout from './layout.ts';
import { FeederControl, RingWriter } from './ring.ts';
import { type PlayerStatus, StatusReader } from './status.ts';
import type { NodeMessage, TrackMessage, TrackPort, TrackReport } from './worklet-messages.ts';

/** How samples reach the audio thread: through shared memory, or by messages past the page. */
export type Transport = 'shared' | 'message';

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

/** Opens and closes tracks of an output by name. */
export interface Tracks {
  /** Opens a track, in place of an open one of that name, and returns the port for {@link openSink}. */
  open(track: string): TrackPort;
  close(track: string): void;
  /** Releases the output. Its open tracks play on until it is closed. */
  end(): void;
}

/** Opens tracks in the worklet from the worker, past the page. */
export class TrackOpener implements Tracks {
  readonly #host: TrackPort;

  /** @param host the worker's end of the output's host port (`AudioOutput.openHost`) */
  constructor(host: TrackPort) {
    this.#host = host;
  }

  open(track: string): TrackPort {
    const { port1, port2 } = new MessageChannel();
    this.#post({ type: 'open', track, port: port1 }, [port1]);
    return port2;
  }

  close(track: string): void {
    this.#post({ type: 'close', track });
  }

  end(): void {
    this.#host.close();
  }

  #post(message: NodeMessage, transfer: Transferable[] = []): void {
    this.#host.postMessage(message, transfer);
  }
}
