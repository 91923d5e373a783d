import * as layout from './layout.ts';
import type { NodeMessage, StereoGains, TrackMessage, TrackPort } from './messages.ts';
import { RingWriter } from './ring.ts';
import { Track } from './track.ts';

/** In message mode, the slots are reported once in this many quanta. */
const REPORT_QUANTA = 4;
const REPORTED_SLOTS = [layout.EVENTS, layout.READ, layout.READ_EPOCH, layout.STATE, layout.PEAK] as const;

/** The worklet's end of one track's port. In message mode it owns the ring, and writes received samples into it. */
class HostedTrack {
  track: Track | null = null;
  #writer: RingWriter | null = null;
  #control: Int32Array | null = null;
  readonly #reported = new Int32Array(REPORTED_SLOTS.length);
  readonly #port: TrackPort;

  constructor(port: TrackPort, onOpen: (track: Track) => void) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<TrackMessage>) => {
      if (data.type === 'shared' || data.type === 'message') {
        if (this.track) return;
        const memory =
          data.type === 'shared'
            ? data
            : layout.createRingMemory(data.capacity, false, data.startPosition, data.startEpoch);
        if (data.type === 'message') {
          this.#writer = new RingWriter(memory);
          this.#control = memory.control;
        }
        this.track = new Track(memory);
        onOpen(this.track);
      } else this.#feed(data);
    };
  }

  #feed(message: TrackMessage): void {
    switch (message.type) {
      case 'samples':
        this.#writer?.write(message.samples);
        break;
      case 'clear':
        this.#writer?.clear();
        break;
      case 'end':
        this.#writer?.end();
        break;
      case 'floor':
        this.#writer?.setFloor(message.floorSamples, message.maxWaitSamples);
        break;
      case 'pause':
        this.#writer?.setPaused(message.isPaused);
        break;
    }
  }

  /** Posts the reader's slots while the track plays, and where another slot than its frame has changed. */
  report(): void {
    const control = this.#control;
    if (!control) return;
    let isNew = control[layout.STATE] === layout.PLAYING;
    for (let i = 0; i < REPORTED_SLOTS.length; i += 1) {
      const value = control[REPORTED_SLOTS[i] ?? 0] ?? 0;
      if (value === this.#reported[i]) continue;
      this.#reported[i] = value;
      isNew = true;
    }
    if (isNew) this.#port.postMessage(control);
  }

  close(): void {
    this.#port.onmessage = null;
    this.#port.close();
    this.track?.retire();
  }
}

/** Mixes tracks. The samples of a single track pass unaltered. */
class Renderer {
  readonly #tracks: Track[] = [];

  add(track: Track): void {
    this.#tracks.push(track);
  }

  /**
   * Renders the next quantum: in each channel the sum of all tracks at their gains, clipped at full scale.
   * @param frame the audio frame of its first sample (`currentFrame`)
   */
  process(left: Float32Array, right: Float32Array, frame: number): void {
    left.fill(0);
    right.fill(0);
    // Removes finished tracks in place, because a splice allocates.
    let kept = 0;
    for (let i = 0; i < this.#tracks.length; i += 1) {
      const track = this.#tracks[i];
      if (track === undefined) continue;
      track.render(left, right, frame);
      if (track.gone) continue;
      this.#tracks[kept] = track;
      kept += 1;
    }
    this.#tracks.length = kept;
    clip(left);
    clip(right);
  }
}

function clip(channel: Float32Array): void {
  for (let i = 0; i < channel.length; i += 1) {
    const sum = channel[i] ?? 0;
    if (sum > 1) channel[i] = 1;
    else if (sum < -1) channel[i] = -1;
  }
}

/** The processor without the browser: keeps tracks by name, and renders them. */
export class TrackHost {
  readonly #renderer = new Renderer();
  readonly #tracks = new Map<string, HostedTrack>();
  /** By track name, kept as long as the output: the page may set them before the worker opens the track. */
  readonly #gains = new Map<string, StereoGains>();
  /** The same tracks as an array, because iterating over a map allocates. */
  #list: HostedTrack[] = [];
  #quanta = 0;

  handle(message: NodeMessage): void {
    switch (message.type) {
      case 'host':
        message.port.onmessage = ({ data }: MessageEvent<NodeMessage>) => this.handle(data);
        break;
      case 'open':
        this.open(message.track, message.port);
        break;
      case 'close':
        this.#close(message.track);
        break;
      case 'halt':
        this.#tracks.get(message.track)?.track?.halt(message.epoch);
        break;
      case 'gain':
        this.#gains.set(message.track, message.gains);
        this.#tracks.get(message.track)?.track?.setGain(...message.gains);
        break;
    }
  }

  /** Opens a track, in place of an open one of that name. */
  open(name: string, port: TrackPort): void {
    this.#close(name);
    const hosted = new HostedTrack(port, (track) => {
      track.setGain(...(this.#gains.get(name) ?? [1, 1]));
      this.#renderer.add(track);
    });
    this.#tracks.set(name, hosted);
    this.#list = [...this.#tracks.values()];
  }

  #close(name: string): void {
    this.#tracks.get(name)?.close();
    this.#tracks.delete(name);
    this.#list = [...this.#tracks.values()];
  }

  /** Renders one quantum; see {@link Renderer.process}. */
  process(left: Float32Array, right: Float32Array, frame: number): void {
    this.#renderer.process(left, right, frame);
    this.#quanta += 1;
    if (this.#quanta < REPORT_QUANTA) return;
    this.#quanta = 0;
    for (let i = 0; i < this.#list.length; i += 1) this.#list[i]?.report();
  }
}

/** Consecutive quanta that prove a running clock: 16 ms at 24 kHz. */
const STEADY_QUANTA = 3;

/**
 * Detects when the audio clock runs. After the first quantum a browser moves rendering to another thread, and the clock
 * jumps by up to a tenth of a second, which would tear the sound.
 */
export class SteadyClock {
  #nextFrame = -1;
  #inARow = 0;

  /** Called with each quantum; true from the moment on that the clock runs. */
  runs(frame: number, quantum: number): boolean {
    if (this.#inARow >= STEADY_QUANTA) return true;
    this.#inARow = frame === this.#nextFrame ? this.#inARow + 1 : 0;
    this.#nextFrame = frame + quantum;
    return this.#inARow >= STEADY_QUANTA;
  }
}
