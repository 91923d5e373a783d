import { wallMs } from '#lib/wall-clock.ts';
import type { ClockAnchor } from './clock.ts';
import type { ListenAs } from './listen-as.ts';
import workletUrl from './mixer.worklet.ts?worker&url';
import type { StereoGains } from './stereo-gains.ts';
import { type NodeMessage, PROCESSOR_NAME } from './worklet-messages.ts';

/**
 * `suspended`: the browser blocks sound until a gesture, or took the device away. `interrupted`: another app has the
 * device (Safari). `failed`: the audio thread crashed.
 */
export type OutputState = 'suspended' | 'running' | 'interrupted' | 'closed' | 'failed';

/** The length of a volume ramp, against clicks. The ramp ends exactly at its target, so full volume alters nothing. */
const VOLUME_RAMP_S = 0.03;

/** One quantum at 24 kHz. The browser's usual buffers add 16 ms to every wait. */
const SHORT_BUFFER_S = 0.005;

/** Not in every browser. */
interface Optional {
  setSinkId?: (id: string) => Promise<void>;
  playbackStats?: { readonly underrunEvents: number };
}

/** The page's end of the player. Its context runs at the stream's rate, so audio of another rate needs another output. */
export class AudioOutput {
  readonly sampleRate: number;
  readonly hasShortBuffers: boolean;
  readonly #context: AudioContext;
  readonly #node: AudioWorkletNode;
  readonly #volume: GainNode;
  readonly #onChange: (state: OutputState) => void;
  #failed = false;
  #level = 1;
  #muted = false;
  #listenAs: ListenAs = 'plain';
  #device = '';

  private constructor(
    context: AudioContext,
    hasShortBuffers: boolean,
    node: AudioWorkletNode,
    onChange: (state: OutputState) => void,
  ) {
    this.#context = context;
    this.hasShortBuffers = hasShortBuffers;
    this.#node = node;
    this.#onChange = onChange;
    this.sampleRate = context.sampleRate;
    this.#volume = new GainNode(context);
    node.connect(this.#volume).connect(context.destination);
    context.onstatechange = () => onChange(this.state);
    node.onprocessorerror = () => {
      this.#failed = true;
      onChange(this.state);
    };
  }

  /**
   * Opens an output. Must be called in the handler of a gesture: it creates the context before it awaits anything.
   * @param sampleRate of the stream, in Hz
   * @param mayBeShort its buffers may be short, which only a browser that counts underruns gets
   * @throws the browser's error when it cannot run audio at that rate or load the worklet
   */
  static async open(
    sampleRate: number,
    mayBeShort: boolean,
    onChange: (state: OutputState) => void,
  ): Promise<AudioOutput> {
    const isShort = mayBeShort && 'playbackStats' in AudioContext.prototype;
    const context = new AudioContext({ sampleRate, latencyHint: isShort ? SHORT_BUFFER_S : 'interactive' });
    try {
      await context.audioWorklet.addModule(workletUrl);
      const node = new AudioWorkletNode(context, PROCESSOR_NAME, {
        numberOfInputs: 0,
        numberOfOutputs: 1,
        outputChannelCount: [2],
      });
      return new AudioOutput(context, isShort, node, onChange);
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  get state(): OutputState {
    return this.#failed ? 'failed' : this.#context.state;
  }

  /** Whether the device ran dry with short buffers, because they are too short for this machine. */
  get hasRunDry(): boolean {
    const { playbackStats } = this.#context as Optional;
    return this.hasShortBuffers && playbackStats !== undefined && playbackStats.underrunEvents > 0;
  }

  get tail(): AudioNode {
    return this.#volume;
  }

  /** Returns the port for the worker, which opens tracks on it (`TrackOpener`). */
  openHost(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#post({ type: 'host', port: port1 }, [port1]);
    return port2;
  }

  /** Barge-in: silences that epoch and older ones from the next quantum on. The worker's clear must follow. */
  halt(track: string, epoch: number): void {
    this.#post({ type: 'halt', track, epoch });
  }

  /** Sets the gains of a track, also of one that is opened later. */
  setTrackGain(track: string, gains: StereoGains): void {
    this.#post({ type: 'gain', track, gains });
  }

  /** @param level 0 to 1 */
  setVolume(level: number): void {
    this.#level = level;
    this.#applyVolume();
  }

  setMuted(muted: boolean): void {
    this.#muted = muted;
    this.#applyVolume();
  }

  /** Plays as through a telephone, a loudspeaker or a room. @throws where the code of it cannot be loaded */
  async listenAs(as: ListenAs): Promise<void> {
    if (as === this.#listenAs) return;
    this.#listenAs = as;
    const { heardAs } = await import('./listen-as.ts');
    // The sound steps from one way to the other, which would click.
    this.#rampTo(0);
    await new Promise((resolve) => setTimeout(resolve, 1000 * VOLUME_RAMP_S));
    // Another one may have been chosen meanwhile.
    if (as !== this.#listenAs) return;
    this.#node.disconnect();
    heardAs(this.#node, as).connect(this.#volume);
    this.#applyVolume();
  }

  /** @param device id of an output; empty: the system's. @throws the browser's error where it refuses the device */
  async setDevice(device: string): Promise<void> {
    if (device === this.#device) return;
    this.#device = device;
    await (this.#context as Optional).setSinkId?.(device);
  }

  /** Starts the audio clock. Must be called in the handler of a gesture. Does nothing on a closed output. */
  async resume(): Promise<void> {
    if (this.#context.state !== 'closed') await this.#context.resume();
  }

  /** Stops the audio clock, which `resume` continues. */
  async suspend(): Promise<void> {
    if (this.#context.state !== 'closed') await this.#context.suspend();
  }

  /** Reads the audio clock; null while it stands still, for a moment also while `running`. Called every second. */
  anchor(): ClockAnchor | null {
    if (this.#context.state !== 'running' || this.#context.currentTime === 0) return null;
    return {
      contextTimeS: this.#context.currentTime,
      wallMs: wallMs(),
      // Some browsers know only one of the two.
      outputLatencyMs: (this.#context.outputLatency || this.#context.baseLatency || 0) * 1000,
    };
  }

  async close(): Promise<void> {
    this.#context.onstatechange = null;
    this.#node.onprocessorerror = null;
    this.#node.disconnect();
    this.#node.port.close();
    if (this.#context.state !== 'closed') await this.#context.close();
    this.#onChange('closed');
  }

  #applyVolume(): void {
    this.#rampTo(this.#muted ? 0 : this.#level);
  }

  #rampTo(level: number): void {
    const { gain } = this.#volume;
    const now = this.#context.currentTime;
    const from = gain.value;
    gain.cancelScheduledValues(now);
    gain.setValueAtTime(from, now);
    gain.linearRampToValueAtTime(level, now + VOLUME_RAMP_S);
  }

  #post(message: NodeMessage, transfer: Transferable[] = []): void {
    this.#node.port.postMessage(message, transfer);
  }
}
