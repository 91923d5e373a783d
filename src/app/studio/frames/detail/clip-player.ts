/** Plays the sound of one frame, by itself and beside the session: one clip at a time. */

export type ClipContext = Pick<
  AudioContext,
  'currentTime' | 'destination' | 'createBuffer' | 'createBufferSource' | 'createGain' | 'resume' | 'close'
>;

const FULL_SCALE = 32_768;

export class ClipPlayer {
  readonly #newContext: () => ClipContext;
  readonly #ended: () => void;
  #playing: { context: ClipContext; gain: GainNode; startS: number } | null = null;
  #level = 1;

  /**
   * @param newContext opens an output of its own, because the session's output has another rate and a queue
   * @param ended the clip is over; not called by `stop`
   */
  constructor(newContext: () => ClipContext, ended: () => void) {
    this.#newContext = newContext;
    this.#ended = ended;
  }

  get isPlaying(): boolean {
    return this.#playing !== null;
  }

  /** Seconds into the clip; null while nothing plays. */
  get positionS(): number | null {
    const playing = this.#playing;
    return playing && Math.max(0, playing.context.currentTime - playing.startS);
  }

  /** @param level 0 to 1, as the page's volume */
  setLevel(level: number): void {
    this.#level = level;
    if (this.#playing) this.#playing.gain.gain.value = level;
  }

  /** @throws DOMException where the browser has no output, or none for that rate (Hz) */
  play({ samples, sampleRate }: { samples: Int16Array; sampleRate: number }): void {
    this.stop();
    const context = this.#newContext();
    try {
      const buffer = context.createBuffer(1, Math.max(1, samples.length), sampleRate);
      const channel = buffer.getChannelData(0);
      for (let at = 0; at < samples.length; at += 1) channel[at] = (samples[at] ?? 0) / FULL_SCALE;
      const source = context.createBufferSource();
      const gain = context.createGain();
      gain.gain.value = this.#level;
      source.buffer = buffer;
      source.connect(gain).connect(context.destination);
      const playing = { context, gain, startS: context.currentTime };
      source.onended = () => {
        if (this.#playing !== playing) return;
        this.stop();
        this.#ended();
      };
      source.start();
      this.#playing = playing;
    } catch (error) {
      void context.close();
      throw error;
    }
    // Rejects only after `stop` has closed the context.
    context.resume().catch(() => undefined);
  }

  stop(): void {
    const playing = this.#playing;
    this.#playing = null;
    void playing?.context.close();
  }
}
