import { wallMs } from '#lib/wall-clock.ts';
import type { ClockAnchor } from './clock.ts';
import { type NodeMessage, PROCESSOR_NAME, type StereoGains } from './messages.ts';
import workletUrl from './render.worklet.ts?worker&url';

/**
 * `suspended`: the browser holds sound back until a gesture, or took the device away. `interrupted`: another app has it
 * (Safari). `failed`: the audio thread gave up.
 */
export type OutputState = 'suspended' | 'running' | 'interrupted' | 'closed' | 'failed';

/** A change of volume takes this long, so that it makes no click; it arrives exactly, so that full volume is untouched. */
const VOLUME_RAMP_S = 0.03;

/**
 * The page's end of the player: context, worklet and volume. The context runs at the stream's rate, so that the browser
 * resamples and nobody else; audio of another rate takes another output.
 */
export class AudioOutput {
  readonly sampleRate: number;
  readonly #context: AudioContext;
  readonly #node: AudioWorkletNode;
  readonly #volume: GainNode;
  readonly #onChange: (state: OutputState) => void;
  #failed = false;
  #level = 1;
  #muted = false;

  private constructor(context: AudioContext, node: AudioWorkletNode, onChange: (state: OutputState) => void) {
    this.#context = context;
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
   * Call it in the handler of a gesture: the context is made before anything is waited for.
   * @param sampleRate of the stream, in Hz
   * @throws what the browser says when it cannot run audio at that rate or load the worklet
   */
  static async open(sampleRate: number, onChange: (state: OutputState) => void): Promise<AudioOutput> {
    const context = new AudioContext({ sampleRate, latencyHint: 'interactive' });
    try {
      await context.audioWorklet.addModule(workletUrl);
      const node = new AudioWorkletNode(context, PROCESSOR_NAME, {
        numberOfInputs: 0,
        numberOfOutputs: 1,
        outputChannelCount: [2],
      });
      return new AudioOutput(context, node, onChange);
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  get state(): OutputState {
    return this.#failed ? 'failed' : this.#context.state;
  }

  /** The last node before the destination: what passes here is heard. */
  get tail(): AudioNode {
    return this.#volume;
  }

  /** The port that goes to the worker, which opens tracks on it (`TrackOpener`). */
  openHost(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#post({ type: 'host', port: port1 }, [port1]);
    return port2;
  }

  /** Barge-in: that epoch and older ones are silent from the next quantum on. The worker's clear must follow. */
  halt(track: string, epoch: number): void {
    this.#post({ type: 'halt', track, epoch });
  }

  /** Each 0 to 1; holds for a track that is opened later as well. */
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

  /** In the handler of a gesture. Does nothing where it runs or is closed. */
  async resume(): Promise<void> {
    if (this.#context.state !== 'closed') await this.#context.resume();
  }

  /** Stops the audio clock where it is. */
  async suspend(): Promise<void> {
    if (this.#context.state !== 'closed') await this.#context.suspend();
  }

  /**
   * Where the audio clock stands now; null while it stands still, which it may for a moment although the context says
   * that it runs. Once a second is enough, after a few in quick succession at the start.
   */
  anchor(): ClockAnchor | null {
    if (this.#context.state !== 'running' || this.#context.currentTime === 0) return null;
    return {
      contextTimeS: this.#context.currentTime,
      wallMs: wallMs(),
      // Safari knows the first alone where there is a second one at all.
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
    const { gain } = this.#volume;
    const now = this.#context.currentTime;
    const from = gain.value;
    gain.cancelScheduledValues(now);
    gain.setValueAtTime(from, now);
    gain.linearRampToValueAtTime(this.#muted ? 0 : this.#level, now + VOLUME_RAMP_S);
  }

  #post(message: NodeMessage, transfer: Transferable[] = []): void {
    this.#node.port.postMessage(message, transfer);
  }
}
