import * as layout from './layout.ts';
import { RingWriter } from './ring.ts';
import type { StereoGains } from './stereo-gains.ts';
import { Track } from './track.ts';
import { type NodeMessage, PROCESSOR_NAME, type TrackMessage, type TrackPort } from './worklet-messages.ts';

/** The globals of a worklet, which the page's type library does not declare. */
declare const currentFrame: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

/** In message mode, the slots are reported once in this many quanta. */
const REPORT_QUANTA = 4;
const REPORTED_SLOTS = [layout.EVENTS, layout.READ, layout.READ_EPOCH, layout.STATE, layout.PEAK] as const;

/** The worklet's end of one track's port. In message mode it owns the ring, and writes received samples into it. */
class MixerTrack {
  #track: Track | null = null;
  #writer: RingWriter | null = null;
  #control: Int32Array | null = null;
  #gains: StereoGains;
  #isClosed = false;
  readonly #reported = new Int32Array(REPORTED_SLOTS.length);
  readonly #port: TrackPort;

  constructor(port: TrackPort, gains: StereoGains) {
    this.#port = port;
    this.#gains = gains;
    port.onmessage = ({ data }: MessageEvent<TrackMessage>) => this.#handle(data);
  }

  halt(epoch: number): void {
    this.#track?.halt(epoch);
  }

  setGain(gains: StereoGains): void {
    this.#gains = gains;
    this.#track?.setGain(...gains);
  }

  /** Adds the next quantum, see {@link Track.render}. Returns false once the track is closed and silent. */
  render(left: Float32Array, right: Float32Array, frame: number): boolean {
    if (!this.#track) return !this.#isClosed;
    this.#track.render(left, right, frame);
    return !this.#track.gone;
  }

  /** Posts the reader's slots while the track plays, and where another slot than its frame has changed. */
  report(): void {
    const control = this.#control;
    if (!control || this.#isClosed) return;
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
    this.#isClosed = true;
    this.#port.onmessage = null;
    this.#port.close();
    this.#track?.retire();
  }

  #handle(message: TrackMessage): void {
    if (message.type === 'samples') this.#writer?.write(message.samples);
    else if (message.type === 'slots') this.#control?.set(message.slots);
    else if (!this.#track) this.#open(message);
  }

  #open(message: Extract<TrackMessage, { type: 'shared' | 'message' }>): void {
    let memory: layout.RingMemory;
    if (message.type === 'shared') memory = message;
    else {
      memory = layout.createRingMemory(message.capacity, false, message.startPosition, message.startEpoch);
      this.#writer = new RingWriter(memory);
      this.#control = memory.control;
    }
    this.#track = new Track(memory);
    this.#track.setGain(...this.#gains);
  }
}

function clip(channel: Float32Array): void {
  for (let i = 0; i < channel.length; i += 1) {
    const sum = channel[i] ?? 0;
    if (sum > 1) channel[i] = 1;
    else if (sum < -1) channel[i] = -1;
  }
}

/** Keeps the tracks of an output by name, and mixes them. The samples of a single track pass unaltered. */
export class Mixer {
  readonly #tracks = new Map<string, MixerTrack>();
  /** The same tracks and closed ones that still sound, as an array, because iterating over a map allocates. */
  readonly #mixed: MixerTrack[] = [];
  /** By track name, kept as long as the output: the page may set them before the worker opens the track. */
  readonly #gains = new Map<string, StereoGains>();
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
        this.#tracks.get(message.track)?.halt(message.epoch);
        break;
      case 'gain':
        this.#gains.set(message.track, message.gains);
        this.#tracks.get(message.track)?.setGain(message.gains);
        break;
    }
  }

  /** Opens a track, in place of an open one of that name. */
  open(name: string, port: TrackPort): void {
    this.#close(name);
    const track = new MixerTrack(port, this.#gains.get(name) ?? [1, 1]);
    this.#tracks.set(name, track);
    this.#mixed.push(track);
  }

  #close(name: string): void {
    this.#tracks.get(name)?.close();
    this.#tracks.delete(name);
  }

  /**
   * Renders the next quantum: in each channel the sum of all tracks at their gains, clipped at full scale.
   * @param frame the audio frame of its first sample (`currentFrame`)
   */
  process(left: Float32Array, right: Float32Array, frame: number): void {
    left.fill(0);
    right.fill(0);
    this.#quanta = (this.#quanta + 1) % REPORT_QUANTA;
    // Removes finished tracks in place, because a splice allocates.
    let kept = 0;
    for (let i = 0; i < this.#mixed.length; i += 1) {
      const track = this.#mixed[i];
      if (!track?.render(left, right, frame)) continue;
      if (this.#quanta === 0) track.report();
      this.#mixed[kept] = track;
      kept += 1;
    }
    this.#mixed.length = kept;
    clip(left);
    clip(right);
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

// The warm-up and tests run a mixer in other scopes.
if ('registerProcessor' in globalThis) {
  class PlayerProcessor extends AudioWorkletProcessor {
    readonly #mixer = new Mixer();
    readonly #clock = new SteadyClock();

    constructor() {
      super();
      this.port.onmessage = ({ data }: MessageEvent<NodeMessage>) => this.#mixer.handle(data);
    }

    process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
      const left = outputs[0]?.[0];
      const right = outputs[0]?.[1];
      if (left && right && this.#clock.runs(currentFrame, left.length)) {
        this.#mixer.process(left, right, currentFrame);
      }
      return true;
    }
  }
  registerProcessor(PROCESSOR_NAME, PlayerProcessor);
}
