import { createStore } from 'zustand/vanilla';
import { largest } from '#lib/collections/arrays.ts';
import { messageOf } from '#lib/message-of.ts';
import { wallMs } from '#lib/wall-clock.ts';
import type { ClockAnchor } from '#player/clock.ts';
import { AudioOutput, type OutputState } from '#player/output.ts';
import type { StereoGains } from '#player/stereo-gains.ts';
import type { Command } from '#session/commands.ts';
import { giveUpDevice, giveUpListener, useListening } from '../stores/listening-store.ts';
import { useSettings } from '../stores/settings-store.ts';

/** Interval between two clock anchors to the worker while audio plays. */
const ANCHOR_EVERY_MS = 500;
/** The audio clock jumps when it starts, so the first anchors come in quick succession. */
const FIRST_ANCHORS_MS = [0, 20, 40, 80, 160, 320];
/** An allowed audio context starts within a few quanta. After this time, the browser blocks it. */
const BLOCKED_AFTER_MS = 500;
/** An output opens within a second. A request for the worklet that nobody answers never settles. */
const OVERDUE_AFTER_MS = 5000;
/** An audio clock that shows the same time so often stands still: for two seconds. A late timer adds only one. */
const STILL_ANCHORS = 4;

/** A device of this page ran dry with short buffers. Later outputs have the browser's usual ones. */
let needsUsualBuffers = false;

/** Sentences for people. */
export interface SoundFailure {
  reason: string;
  remedy: string;
}

export interface SoundStatus {
  /** The browser blocks sound until a gesture, or another program uses the device. */
  blocked: boolean;
  /** Why there is no output; null after a success and before the first attempt. */
  failure: SoundFailure | null;
  /** The output runs, and the worker has its clock. */
  isReady: boolean;
}

export interface SoundHandlers {
  post(command: Command, transfer?: Transferable[]): void;
  /** Whether audio plays or is about to. A busy output is not replaced. */
  isBusy(): boolean;
}

const CHECK_SYSTEM = "Check the system's sound settings, then speak again.";
const OVERDUE: SoundFailure = {
  reason: `The browser has not loaded the player within ${OVERDUE_AFTER_MS / 1000} s. The server does not answer, or an extension blocks the request.`,
  remedy: 'Reload the page. If that does not help, turn off the extensions of the browser for this page.',
};

const STILL: SoundFailure = {
  reason: 'The sound device stands still.',
  remedy: CHECK_SYSTEM,
};

/** A sound output of a session worker, opened by a gesture. Another rate of the stream opens another output. */
export class Sound {
  readonly status = createStore<SoundStatus>()(() => ({ blocked: false, failure: null, isReady: false }));
  readonly #handlers: SoundHandlers;
  /** Undefined while nothing changes. */
  #anchors: ReturnType<typeof setInterval> | undefined;
  #output: AudioOutput | null = null;
  /** Counts openings. An output that opens after a newer attempt is closed at once. */
  #opening = 0;
  /** Rate of the output that is opening, in Hz; null while none is. */
  #openingRate: number | null = null;
  /** A gesture has requested sound. The status reports failures only after that. */
  #isWanted = false;
  #sampleRate = 24_000;
  #clockS = 0;
  #stillAnchors = 0;
  #isHeard = true;
  /** Start of an intended pause of the audio clock; null while it runs. */
  #heldMs: number | null = null;
  /** Since when the output is suspended or interrupted by others; null while it runs. */
  #stoodMs: number | null = null;
  readonly #gains = new Map<string, StereoGains>();
  readonly #voiceGains = new Map<string, number>();
  #blockedTimer: ReturnType<typeof setTimeout> | undefined;
  #overdueTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #leaves = [
    useListening.subscribe(() => this.#output && this.#listen(this.#output)),
    useSettings.subscribe(({ volume, muted }, before) => {
      if (volume !== before.volume || muted !== before.muted) this.#applyVolume();
    }),
  ];

  constructor(handlers: SoundHandlers) {
    this.#handlers = handlers;
  }

  /** Watches the output until the session is idle. Called with every report of the session. */
  watch(): void {
    this.#anchors ??= setInterval(() => {
      const output = this.#output;
      needsUsualBuffers ||= output?.hasRunDry ?? false;
      if (this.#handlers.isBusy()) return this.#watchClock();
      this.#stopAnchors();
      if (needsUsualBuffers && output?.hasShortBuffers && this.#openingRate === null) this.#open();
    }, ANCHOR_EVERY_MS);
  }

  #stopAnchors(): void {
    clearInterval(this.#anchors);
    this.#anchors = undefined;
  }

  /** Returns the wall clock for playheads. It pauses while the output is held, suspended or interrupted. */
  heardMs(): number {
    return this.#heldMs ?? this.#stoodMs ?? wallMs();
  }

  dispose(): void {
    this.#stopAnchors();
    for (const leave of this.#leaves) leave();
    clearTimeout(this.#blockedTimer);
    this.#stopWatching();
    // Closes an output that is still opening as soon as it is open.
    this.#opening += 1;
    void this.#output?.close();
    this.#output = null;
  }

  /** Sets the rate of the next turn, in Hz. An idle output at another rate is replaced. */
  expect(sampleRate: number): void {
    this.#sampleRate = sampleRate;
    const isOther = this.#output !== null && this.#output.sampleRate !== sampleRate;
    if (isOther && this.#openingRate === null && !this.#handlers.isBusy()) this.#open();
  }

  /** Follows a change of the stream's rate, in Hz. Before the first gesture there is nothing to switch. */
  switchTo(sampleRate: number): void {
    this.#sampleRate = sampleRate;
    const rate = this.#openingRate ?? this.#output?.sampleRate;
    if (rate !== undefined && rate !== sampleRate) this.#open();
  }

  /** Opens the output ahead of the first turn, so that the turn does not wait for it. Needs a gesture. */
  prepare(): void {
    if (this.#output === null && this.#openingRate === null) this.#open();
  }

  /** Opens the output, or resumes it. Needs a gesture. */
  wake(): void {
    this.#isWanted = true;
    this.#heldMs = null;
    this.watch();
    const output = this.#output;
    const isStill = this.status.getState().failure === STILL;
    const isLost = !output || isStill || output.state === 'failed' || output.state === 'closed';
    // `expect` may have opened one at this rate in the same gesture.
    if (this.#openingRate !== this.#sampleRate) {
      if (this.#openingRate !== null || isLost || output.sampleRate !== this.#sampleRate) this.#open();
      else if (output.state !== 'running') this.#run(output);
    } else if (this.#overdueTimer === undefined) this.#watchOpening();
    if (!isLost) this.#anchor();
  }

  /** Pauses or resumes the audio clock. Playback continues at the same sample. */
  hold(isHeld: boolean): void {
    if ((this.#heldMs !== null) === isHeld) return;
    this.#heldMs = isHeld ? wallMs() : null;
    const output = this.#output;
    if (!output) return;
    if (isHeld) void output.suspend();
    else this.#run(output);
  }

  /** Silences a context at once and drops its queued audio. */
  halt(context: string, epoch: number): void {
    this.#output?.halt(context, epoch);
  }

  /** Sets the channel gains of a context, also for later outputs. */
  setTrackGain(context: string, gains: StereoGains): void {
    this.#gains.set(context, gains);
    if (this.#output) this.#mix(this.#output, context);
  }

  /** Sets a gain that the voice of a context has beside its channel gains, 0 to 1. */
  setVoiceGain(context: string, gain: number): void {
    if ((this.#voiceGains.get(context) ?? 1) === gain) return;
    this.#voiceGains.set(context, gain);
    if (this.#output) this.#mix(this.#output, context);
  }

  /** Plays at the volume of the page, or unheard, because the player measures what it plays. */
  setHeard(isHeard: boolean): void {
    if (isHeard === this.#isHeard) return;
    this.#isHeard = isHeard;
    this.#applyVolume();
  }

  #applyVolume(): void {
    const { volume, muted } = useSettings.getState();
    this.#output?.setVolume(volume);
    this.#output?.setMuted(muted || !this.#isHeard);
  }

  #open(): void {
    this.#opening += 1;
    this.#openingRate = this.#sampleRate;
    this.status.setState({ isReady: false });
    this.#stopWatching();
    this.#watchOpening();
    const opening = this.#opening;
    const old = this.#output;
    AudioOutput.open(this.#sampleRate, !needsUsualBuffers, (state) => this.#changed(opening, state)).then(
      (output) => {
        if (opening !== this.#opening) return void output.close();
        this.#settled();
        this.status.setState({ failure: null });
        this.#output = output;
        this.#stoodMs = null;
        this.#stillAnchors = 0;
        void old?.close();
        this.#listen(output);
        this.#applyVolume();
        for (const context of new Set([...this.#gains.keys(), ...this.#voiceGains.keys()]))
          this.#mix(output, context);
        const port = output.openHost();
        this.#handlers.post({ type: 'attachPlayer', port, sampleRate: output.sampleRate }, [port]);
        if (this.#heldMs === null) this.#run(output);
      },
      (error: unknown) => {
        if (opening !== this.#opening) return;
        this.#settled();
        this.#fail({ reason: messageOf(error), remedy: CHECK_SYSTEM });
      },
    );
  }

  #listen(output: AudioOutput): void {
    const { as, device } = useListening.getState();
    output.listenAs(as).catch(giveUpListener);
    // A closed output refuses every device.
    output.setDevice(device).catch(() => {
      if (output === this.#output) giveUpDevice();
    });
  }

  #mix(output: AudioOutput, context: string): void {
    const [left, right] = this.#gains.get(context) ?? [1, 1];
    const gain = this.#voiceGains.get(context) ?? 1;
    output.setTrackGain(context, [gain * left, gain * right]);
  }

  /** Reports an output that does not open in time. If it opens later, it is used. */
  #watchOpening(): void {
    this.#overdueTimer = setTimeout(() => {
      this.#overdueTimer = undefined;
      this.#fail(OVERDUE);
    }, OVERDUE_AFTER_MS);
  }

  #stopWatching(): void {
    clearTimeout(this.#overdueTimer);
    this.#overdueTimer = undefined;
  }

  #settled(): void {
    this.#stopWatching();
    this.#openingRate = null;
  }

  /** Before the first gesture that requests sound, a failure is not shown, because that gesture tries again. */
  #fail(failure: SoundFailure): void {
    if (this.#isWanted) this.status.setState({ failure });
  }

  #run(output: AudioOutput): void {
    clearTimeout(this.#blockedTimer);
    this.#blockedTimer = setTimeout(() => {
      if (this.#isBlockable && this.#output === output && output.state !== 'running')
        this.status.setState({ blocked: true });
    }, BLOCKED_AFTER_MS);
    // Rejects where the context was closed meanwhile. Another one is opening then.
    output.resume().then(
      () => {
        if (output === this.#output && this.#openingRate === null) this.#changed(this.#opening, output.state);
      },
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
        this.#stoodMs = null;
        this.status.setState({ blocked: false, failure: null });
        for (const delayMs of FIRST_ANCHORS_MS) setTimeout(() => this.#anchor(), delayMs);
        setTimeout(() => {
          if (opening === this.#opening && this.#output?.state === 'running')
            this.status.setState({ isReady: true });
        }, largest(FIRST_ANCHORS_MS));
        break;
      case 'suspended':
      case 'interrupted':
        if (this.#output !== null) this.#stoodMs ??= wallMs();
        // Every context starts suspended. A later suspension comes from the browser or the device.
        if (this.#isBlockable && this.#output !== null && this.#openingRate === null)
          this.status.setState({ blocked: true });
        break;
      case 'failed':
        this.status.setState({ failure: { reason: 'The audio thread has stopped.', remedy: CHECK_SYSTEM } });
        break;
      case 'closed':
        break;
    }
  }

  /** Reports an audio clock that stands still while it runs. A press opens another output, and the turn continues. */
  #watchClock(): void {
    const clockS = this.#anchor()?.contextTimeS ?? 0;
    const isStill = clockS === this.#clockS && this.#output?.state === 'running';
    this.#clockS = clockS;
    this.#stillAnchors = isStill ? this.#stillAnchors + 1 : 0;
    if (this.#stillAnchors === STILL_ANCHORS) this.#fail(STILL);
    else if (!isStill && this.status.getState().failure === STILL) this.status.setState({ failure: null });
  }

  #anchor(): ClockAnchor | null {
    const anchor = this.#output?.anchor() ?? null;
    if (anchor) this.#handlers.post({ type: 'anchor', anchor });
    return anchor;
  }
}
