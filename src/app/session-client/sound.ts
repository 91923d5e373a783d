import { createStore } from 'zustand/vanilla';
import { wallMs } from '#lib/wall-clock.ts';
import type { StereoGains } from '#player/messages.ts';
import { AudioOutput, type OutputState } from '#player/output.ts';
import type { Command } from '#session/messages.ts';

/** How often the worker learns where the audio clock stands while something is heard. */
const ANCHOR_EVERY_MS = 500;
/** The audio clock jumps when it starts, so the first anchors come in quick succession. */
const FIRST_ANCHORS_MS = [0, 20, 40, 80, 160, 320];
/** A context starts within a few quanta where it may; after this long the browser is holding it back. */
const BLOCKED_AFTER_MS = 500;

/** How a sound output stands. */
export interface SoundStatus {
  /** The browser holds the sound back until a gesture, or another programme has taken the device. */
  blocked: boolean;
  /** Why no output could be opened; null where one could, or none was tried. */
  failure: string | null;
  /** The output runs, and the worker knows its clock. */
  isReady: boolean;
}

/** What an output needs of the sessions that it belongs to. */
export interface SoundHandlers {
  post(command: Command, transfer?: Transferable[]): void;
  /** Something is heard or about to be, so that the output must not be replaced. */
  isBusy(): boolean;
}

/**
 * A sound output: opened by a gesture, attached to a session worker, and opened anew where the stream has another rate.
 */
export class Sound {
  readonly status = createStore<SoundStatus>()(() => ({ blocked: false, failure: null, isReady: false }));
  readonly #handlers: SoundHandlers;
  readonly #anchors: ReturnType<typeof setInterval>;
  #output: AudioOutput | null = null;
  /** Counts openings; one that is overtaken by the next is closed as soon as it is there. */
  #opening = 0;
  #isOpening = false;
  /** A gesture asked for sound: from then on the status says where it cannot be heard. */
  #isWanted = false;
  #sampleRate = 24_000;
  #volume = 1;
  #muted = false;
  /** Since when the audio clock is paused on purpose; null while it is not. */
  #heldMs: number | null = null;
  readonly #gains = new Map<string, StereoGains>();
  #blockedTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(handlers: SoundHandlers) {
    this.#handlers = handlers;
    this.#anchors = setInterval(() => {
      if (handlers.isBusy()) this.#anchor();
    }, ANCHOR_EVERY_MS);
  }

  /** The wall clock as far as sound follows it: it pauses while the output is held. Playheads are computed from it. */
  heardMs(): number {
    return this.#heldMs ?? wallMs();
  }

  /** Closes the output for good. */
  close(): void {
    clearInterval(this.#anchors);
    clearTimeout(this.#blockedTimer);
    // An output that is still opening is closed as soon as it is there.
    this.#opening += 1;
    void this.#output?.close();
    this.#output = null;
  }

  /** Sets the rate of the next turn, in Hz. An idle output at another rate is opened anew. */
  expect(sampleRate: number): void {
    this.#sampleRate = sampleRate;
    const isOther = this.#output !== null && this.#output.sampleRate !== sampleRate;
    if (isOther && !this.#isOpening && !this.#handlers.isBusy()) this.#open();
  }

  /** Follows a change of the stream's rate, in Hz. Before the first gesture there is nothing to switch. */
  switchTo(sampleRate: number): void {
    this.#sampleRate = sampleRate;
    if (this.#isOpening || (this.#output !== null && this.#output.sampleRate !== sampleRate)) this.#open();
  }

  /** Opens the output before anything is to be heard, so that the first turn does not wait for it. Needs a gesture. */
  prepare(): void {
    if (this.#output === null && !this.#isOpening) this.#open();
  }

  /** Opens the output, or resumes it. Needs a gesture. */
  wake(): void {
    this.#isWanted = true;
    this.#heldMs = null;
    const output = this.#output;
    if (!output || output.state === 'failed' || output.state === 'closed') {
      if (!this.#isOpening) this.#open();
      return;
    }
    if (output.sampleRate !== this.#sampleRate) this.#open();
    else if (output.state !== 'running') this.#run(output);
    this.#anchor();
  }

  /** Pauses the audio clock, or resumes it: playing continues at the same sample. */
  hold(isHeld: boolean): void {
    if ((this.#heldMs !== null) === isHeld) return;
    this.#heldMs = isHeld ? wallMs() : null;
    const output = this.#output;
    if (!output) return;
    if (isHeld) void output.suspend();
    else this.#run(output);
  }

  /** Silences a context at once, with everything of it that was queued before. */
  halt(context: string, epoch: number): void {
    this.#output?.halt(context, epoch);
  }

  /** Sets the gain of a context on each side; it is kept for the next output. */
  setTrackGain(context: string, gains: StereoGains): void {
    this.#gains.set(context, gains);
    this.#output?.setTrackGain(context, gains);
  }

  setVolume(volume: number, muted: boolean): void {
    this.#volume = volume;
    this.#muted = muted;
    this.#output?.setVolume(volume);
    this.#output?.setMuted(muted);
  }

  #open(): void {
    this.#opening += 1;
    this.#isOpening = true;
    this.status.setState({ isReady: false });
    const opening = this.#opening;
    const old = this.#output;
    AudioOutput.open(this.#sampleRate, (state) => this.#changed(opening, state)).then(
      (output) => {
        if (opening !== this.#opening) return void output.close();
        this.#isOpening = false;
        this.#output = output;
        void old?.close();
        output.setVolume(this.#volume);
        output.setMuted(this.#muted);
        for (const [context, gains] of this.#gains) output.setTrackGain(context, gains);
        const port = output.openHost();
        this.#handlers.post({ type: 'attachPlayer', port, sampleRate: output.sampleRate }, [port]);
        if (this.#heldMs === null) this.#run(output);
      },
      (error: unknown) => {
        if (opening !== this.#opening) return;
        this.#isOpening = false;
        // Before the first gesture that asks for sound, a failure is not shown: that gesture tries again.
        if (this.#isWanted) {
          this.status.setState({ failure: error instanceof Error ? error.message : String(error) });
        }
      },
    );
  }

  #run(output: AudioOutput): void {
    clearTimeout(this.#blockedTimer);
    this.#blockedTimer = setTimeout(() => {
      if (this.#isBlockable && this.#output === output && output.state !== 'running')
        this.status.setState({ blocked: true });
    }, BLOCKED_AFTER_MS);
    // It rejects where the context was closed meanwhile; then another one is opening.
    output.resume().then(
      () => this.#changed(this.#opening, output.state),
      () => undefined,
    );
  }

  get #isBlockable(): boolean {
    return this.#isWanted && this.#heldMs === null;
  }

  #changed(opening: number, state: OutputState): void {
    if (opening !== this.#opening) return;
    switch (state) {
      case 'running':
        clearTimeout(this.#blockedTimer);
        this.status.setState({ blocked: false, failure: null });
        for (const delayMs of FIRST_ANCHORS_MS) setTimeout(() => this.#anchor(), delayMs);
        setTimeout(
          () => {
            if (opening === this.#opening && this.#output?.state === 'running')
              this.status.setState({ isReady: true });
          },
          Math.max(...FIRST_ANCHORS_MS),
        );
        break;
      case 'suspended':
      case 'interrupted':
        // Every context starts suspended. Later it is suspended only where something else has taken the sound away.
        if (this.#isBlockable && this.#output !== null && !this.#isOpening)
          this.status.setState({ blocked: true });
        break;
      case 'failed':
        this.status.setState({ failure: 'The audio thread has stopped.' });
        break;
      case 'closed':
        break;
    }
  }

  #anchor(): void {
    const anchor = this.#output?.anchor();
    if (anchor) this.#handlers.post({ type: 'anchor', anchor });
  }
}
