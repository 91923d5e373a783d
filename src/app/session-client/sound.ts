import type { StereoGains } from '#player/messages.ts';
import { AudioOutput, type OutputState } from '#player/output.ts';
import type { Command } from '#session/messages.ts';

/** How often the worker learns where the audio clock stands while something is heard. */
const ANCHOR_EVERY_MS = 500;
/** The audio clock jumps when it starts, so the first anchors come in quick succession. */
const FIRST_ANCHORS_MS = [0, 20, 40, 80, 160, 320];
/** A context starts within a few quanta where it may; after this long the browser is holding it back. */
const BLOCKED_AFTER_MS = 500;

/** What an output has to tell, and what it asks of the session that it belongs to. */
export interface SoundHandlers {
  post(command: Command, transfer?: Transferable[]): void;
  /** Something is heard or about to be, so that the output must not be changed under it. */
  isBusy(): boolean;
  /** The browser holds the sound back, or has let it go; `failure`: why there is no output. Only what changed. */
  changed(trouble: { blocked?: boolean; failure?: string | null }): void;
  /** The output runs, and the worker knows its clock. */
  ready?(): void;
}

/**
 * The sound output of one session: opened by a gesture, attached to the session's worker, and opened anew where the
 * stream has another rate.
 */
export class Sound {
  readonly #handlers: SoundHandlers;
  readonly #anchors: ReturnType<typeof setInterval>;
  #output: AudioOutput | null = null;
  /** Counts openings; one that is overtaken by the next is closed as soon as it is there. */
  #opening = 0;
  #isOpening = false;
  /** Something is to be heard: from then on the user is told where it cannot be. */
  #isWanted = false;
  #sampleRate = 24_000;
  #volume = 1;
  #muted = false;
  /** Everything stands still, because somebody wants it to. */
  #isHeld = false;
  readonly #gains = new Map<string, StereoGains>();
  #blockedTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(handlers: SoundHandlers) {
    this.#handlers = handlers;
    this.#anchors = setInterval(() => {
      if (handlers.isBusy()) this.#anchor();
    }, ANCHOR_EVERY_MS);
  }

  /** Lets go of the output, for good. */
  close(): void {
    clearInterval(this.#anchors);
    clearTimeout(this.#blockedTimer);
    // What is still being opened is closed when it comes.
    this.#opening += 1;
    void this.#output?.close();
    this.#output = null;
  }

  /** The rate of the next turn, in Hz. An output that stands idle at another rate is opened anew. */
  expect(sampleRate: number): void {
    this.#sampleRate = sampleRate;
    const isOther = this.#output !== null && this.#output.sampleRate !== sampleRate;
    if (isOther && !this.#isOpening && !this.#handlers.isBusy()) this.#open();
  }

  /** The stream has that rate now. Before the first gesture there is nothing to switch. */
  switchTo(sampleRate: number): void {
    this.#sampleRate = sampleRate;
    if (this.#isOpening || (this.#output !== null && this.#output.sampleRate !== sampleRate)) this.#open();
  }

  /**
   * In the handler of a gesture, before anything is to be heard: opens the output, so that the first turn does not wait
   * for it.
   */
  prepare(): void {
    if (this.#output === null && !this.#isOpening) this.#open();
  }

  /** In the handler of a gesture that asks for sound: opens the output, or lets it run again. */
  wake(): void {
    this.#isWanted = true;
    this.#isHeld = false;
    const output = this.#output;
    if (!output || output.state === 'failed' || output.state === 'closed') {
      if (!this.#isOpening) this.#open();
      return;
    }
    if (output.sampleRate !== this.#sampleRate) this.#open();
    else if (output.state !== 'running') this.#run(output);
    this.#anchor();
  }

  /** Stops the audio clock, and what is heard goes on from there to the sample when it runs again. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    const output = this.#output;
    if (!output) return;
    if (isHeld) void output.suspend();
    else this.#run(output);
  }

  /** Silence, now: what is heard of a context and everything of it that was queued before. */
  halt(context: string, epoch: number): void {
    this.#output?.halt(context, epoch);
  }

  /** How loud a context is on each side; kept for outputs to come. */
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
        if (!this.#isHeld) this.#run(output);
      },
      (error: unknown) => {
        if (opening !== this.#opening) return;
        this.#isOpening = false;
        // Where nothing has been asked for yet, the next gesture that does tries again, and tells.
        if (this.#isWanted) {
          this.#handlers.changed({ failure: error instanceof Error ? error.message : String(error) });
        }
      },
    );
  }

  #run(output: AudioOutput): void {
    clearTimeout(this.#blockedTimer);
    this.#blockedTimer = setTimeout(() => {
      if (this.#isWanted && !this.#isHeld && this.#output === output && output.state !== 'running')
        this.#handlers.changed({ blocked: true });
    }, BLOCKED_AFTER_MS);
    // Rejected where the context was closed meanwhile; then another one is on its way.
    output.resume().then(
      () => this.#changed(this.#opening, output.state),
      () => undefined,
    );
  }

  #changed(opening: number, state: OutputState): void {
    if (opening !== this.#opening) return;
    switch (state) {
      case 'running':
        clearTimeout(this.#blockedTimer);
        this.#handlers.changed({ blocked: false, failure: null });
        for (const delayMs of FIRST_ANCHORS_MS) setTimeout(() => this.#anchor(), delayMs);
        setTimeout(
          () => {
            if (opening === this.#opening && this.#output?.state === 'running') this.#handlers.ready?.();
          },
          Math.max(...FIRST_ANCHORS_MS),
        );
        break;
      case 'suspended':
      case 'interrupted':
        if (this.#isHeld) break;
        // At the start every context is suspended for a moment; afterwards somebody has taken the sound away.
        if (this.#isWanted && this.#output !== null && !this.#isOpening)
          this.#handlers.changed({ blocked: true });
        break;
      case 'failed':
        this.#handlers.changed({ failure: 'The audio thread has stopped.' });
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
