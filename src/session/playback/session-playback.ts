import { madeOnce } from '#lib/collections/maps.ts';
import { ArrivalHistory } from '#player/arrivals.ts';
import { AudioClock, type ClockAnchor } from '#player/clock.ts';
import type { PcmStore } from '#player/pcm-store.ts';
import { openSink } from '#player/ring.ts';
import { TrackOpener, type Tracks } from '#player/track-opener.ts';
import type { TrackPort } from '#player/worklet-messages.ts';
import type { DropReason } from '#trace/player-entry.ts';
import type { Listening } from '#trace/user-actions.ts';
import type { Target } from '../commands.ts';
import type { Conversation } from '../turns/conversation.ts';
import type { SessionTurn } from '../turns/session-turn.ts';
import type { PlayerView, TrackView } from '../views.ts';
import { LineQueue, type LineStep } from './line-queue.ts';
import { type PlaybackParts, SpeakerPlayback } from './speaker-playback.ts';

/** The track of a closed context keeps its ring (2 MiB) for this long, in case the context speaks again. */
const REST_AFTER_MS = 30_000;

/** How often the recording is updated with what has been heard so far. */
const RECORD_HEARING_EVERY_MS = 200;

/** While anything plays, the playhead is read once per animation frame. */
const TICK_MS = 16;
/** More often before the first sample, so that its word is not late. */
const START_TICK_MS = 4;

/** A change of the clocks' drift by less is not worth a mark. */
const LEAST_DRIFT_MS = 0.1;

interface SessionPlaybackOptions extends PlaybackParts {
  /** Opens tracks over the output's port. */
  openTracks?: ((port: TrackPort) => Tracks) | undefined;
  /** A line cuts off the one before it. */
  cutOff(turn: SessionTurn): void;
  conversation: Conversation;
}

/** Plays turns: each speaker on a track, in one output, and the order in which lines are heard. */
export class SessionPlayback {
  /** The rate of the output that the page is to open; null where the output fits. */
  requestedSampleRate: number | null = null;
  readonly #parts: PlaybackParts;
  readonly #cutOff: (turn: SessionTurn) => void;
  readonly #conversation: Conversation;
  readonly #openTracks: (port: TrackPort) => Tracks;
  /** By context, for good, because a context can be repeated after its end. */
  readonly #speakers = new Map<string, SpeakerPlayback>();
  /** By context that the server has closed: cancels the timer that rests its track. */
  readonly #closed = new Map<string, () => void>();
  #output: { tracks: Tracks; clock: AudioClock } | null = null;
  readonly #lines = new LineQueue();
  /** When a timer advances the lines; null without one. */
  #linesDueMs: number | null = null;
  #cancelLinesTimer = (): void => {};
  /** By endpoint and server, for the life of the page. */
  readonly #histories = new Map<string, ArrivalHistory>();
  #history = new ArrivalHistory();
  /** As marked last, also of an output before. */
  #driftMs: number | null = null;
  /** Waits for an output at the turn's rate. */
  #waitingRepeat: { turn: SessionTurn; fromSample: number } | null = null;
  #isPaused = false;
  #isTicking = false;
  #recordedHearingMs = Number.NEGATIVE_INFINITY;

  constructor({
    openTracks = (port) => new TrackOpener(port),
    cutOff,
    conversation,
    ...parts
  }: SessionPlaybackOptions) {
    this.#conversation = conversation;
    this.#parts = parts;
    this.#cutOff = cutOff;
    this.#openTracks = openTracks;
  }

  /** Audio plays or is about to, so the playhead must be read. */
  get isBusy(): boolean {
    return this.#all.some((speaker) => speaker.isBusy);
  }

  /** Chooses prebuffer targets by what earlier turns of this endpoint and server have shown. */
  speakWith({ endpoint, base }: Pick<Target, 'endpoint' | 'base'>): void {
    const name = `${endpoint} ${base}`;
    this.#history = madeOnce(this.#histories, name, () => new ArrivalHistory());
    for (const { feeder } of this.#all) feeder.learnFrom(this.#history);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The turn of each speaker that is heard now or next. */
  get heardNext(): SessionTurn[] {
    return this.#all.flatMap(({ beingHeard }) => beingHeard.slice(0, 1));
  }

  get isRepeating(): boolean {
    return this.#all.some(({ feeder }) => feeder.repeating !== null);
  }

  attach(port: TrackPort, sampleRate: number): void {
    this.requestedSampleRate = null;
    this.detach();
    this.#output = { tracks: this.#openTracks(port), clock: new AudioClock(sampleRate) };
    for (const speaker of this.#all) if (!speaker.isResting) this.#connect(speaker);
    const repeat = this.#waitingRepeat;
    this.#waitingRepeat = null;
    if (repeat) this.#speaker(repeat.turn.context).repeat(repeat.turn.id, repeat.fromSample);
    this.update();
    this.wake();
  }

  detach(): void {
    for (const speaker of this.#all) this.#disconnect(speaker);
    this.#output?.tracks.end();
    this.#output = null;
    this.#changed();
  }

  anchor(anchor: ClockAnchor): void {
    this.#output?.clock.anchor(anchor);
    this.#markDrift(this.#output?.clock.driftMs ?? null, anchor.wallMs);
    this.#changed();
  }

  get listening(): LineQueue['listening'] {
    return this.#lines.listening;
  }

  /** @param interrupts the line cuts off the one before it instead of waiting for its end */
  addLine(turn: SessionTurn, interrupts: boolean): void {
    this.#execute(this.#lines.add(turn, interrupts));
  }

  /** Cuts off a line that is heard for an interrupting line behind it. Returns false where there is none. */
  cutOff(turn: SessionTurn): boolean {
    const steps = this.#lines.cutOff(turn, this.#parts.clock.nowMs());
    this.#execute(steps);
    return steps.length > 0;
  }

  listen(listening: Listening, pauseMs: number): void {
    this.#execute(this.#lines.listen(listening, pauseMs));
    this.update();
    this.wake();
  }

  /** Returns the playback for audio of a turn. The turn waits for an earlier one that still comes on another connection. */
  speakerOf(turn: SessionTurn): SpeakerPlayback {
    const speaker = this.#speaker(turn.context);
    if (this.#conversation.comesBefore(turn)) speaker.waitBehind(turn);
    return speaker;
  }

  /** Opens the track of a turn while the server has not answered yet, because its ring takes milliseconds. */
  prepare(turn: SessionTurn): void {
    this.#speaker(turn.context);
  }

  complete(turn: SessionTurn): void {
    this.#speakers.get(turn.context)?.complete(turn);
    this.#advanceLines();
  }

  turnEnded(turn: SessionTurn): void {
    turn.heard.turnEnded();
    this.complete(turn);
    this.#speakers.get(turn.context)?.goOn((waiting) => !this.#conversation.comesBefore(waiting));
    // The player has no audio of it to drop, and drops the audio that still comes.
    if (turn.state === 'cancelled' && turn.sent && turn.samples === 0 && turn.heard.dropped === null) {
      const atMs = this.#parts.clock.nowMs();
      turn.heard.dropped = { atMs, why: 'cancel' };
      this.#parts.recorder.played({ kind: 'heard', turn }, atMs);
    }
    this.wake();
  }

  contextOpening(context: string): void {
    this.#closed.get(context)?.();
    this.#closed.delete(context);
  }

  /** The server has closed the context. Its track releases its ring after a while without sound. */
  contextEnded(context: string): void {
    this.#closed.get(context)?.();
    const callOff = this.#parts.clock.after(REST_AFTER_MS, () => {
      const speaker = this.#speakers.get(context);
      if (!speaker) return;
      if (speaker.isNeeded) this.contextEnded(context);
      else {
        this.#disconnect(speaker);
        speaker.isResting = true;
      }
    });
    this.#closed.set(context, callOff);
  }

  /** The samples of a turn; undefined for one without audio, and once it is not kept any more. */
  storeOf({ context, id }: SessionTurn): PcmStore | undefined {
    return this.#speakers.get(context)?.feeder.store(id);
  }

  /** Repeats a turn in place of other audio. Waits for an output at the turn's rate. */
  repeat(turn: SessionTurn, fromSample: number): void {
    const speaker = this.#speaker(turn.context);
    const from = Math.max(0, Math.floor(fromSample));
    if (turn.sampleRate === null || !(from < speaker.secondsOf(turn.id) * turn.sampleRate)) return;
    this.clear(null, 'replay');
    if (!speaker.repeat(turn.id, from)) this.#waitingRepeat = { turn, fromSample: from };
    this.update();
    this.wake();
  }

  stopRepeat(): void {
    if (this.#waitingRepeat || this.isRepeating) this.clear(null, 'replay');
  }

  /** Ends a repeat after the page's halt. Idle tracks are cleared too, because the halt would silence their next turn. */
  repeatStopped(): void {
    this.stopRepeat();
    for (const speaker of this.#all) if (!speaker.hasQueued) speaker.clear('replay');
    this.#changed();
  }

  /** Drops all queued audio, on one context or on all (null). Returns the turns that were not heard to their end. */
  clear(context: string | null, why: DropReason): SessionTurn[] {
    const meant = this.#all.filter((speaker) => context === null || speaker.context === context);
    const silenced = meant.flatMap((speaker) => speaker.clear(why));
    if (context === null) {
      this.#waitingRepeat = null;
      // Behind the clear, so that nothing of what it dropped is heard.
      this.setPaused(false);
    }
    this.#execute(this.#lines.clear(context));
    this.#advanceLines();
    this.#changed();
    return silenced;
  }

  /** Pauses everything at the next quantum, or continues with the next sample. */
  setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    for (const speaker of this.#all) speaker.setPaused(isPaused);
    this.#changed();
  }

  /** Drops the queued audio of one turn, and leaves the other turns of its context. */
  silence(turn: SessionTurn, why: DropReason): void {
    this.#speakers.get(turn.context)?.silence(turn, why);
  }

  /** Records dropped turns now, without waiting for the audio thread. */
  settle(): void {
    for (const speaker of this.#all) speaker.settle();
  }

  /** Takes turns out of the queue that are not to be played here. */
  leaveOut(isMeant: (turn: SessionTurn) => boolean): void {
    for (const speaker of this.#all) {
      for (const turn of speaker.beingHeard) if (isMeant(turn)) speaker.leaveOut(turn);
    }
  }

  /** Drops a turn from the playback and from the line queue. */
  skip(turn: SessionTurn): void {
    this.silence(turn, 'replay');
    this.#execute(this.#lines.remove([turn]));
  }

  /** Reads the playheads, and keeps reading while anything plays. */
  wake(): void {
    if (this.#isTicking) return;
    this.update();
    this.#requestOutput();
    this.#recordHearing();
    if (!this.isBusy) return;
    this.#isTicking = true;
    const isStarting = !this.#isPaused && busiest(this.#all) === 'buffering';
    this.#parts.clock.after(isStarting ? START_TICK_MS : TICK_MS, () => {
      this.#isTicking = false;
      this.wake();
    });
  }

  update(): void {
    for (const speaker of this.#all) speaker.update();
    this.#advanceLines();
  }

  view(): PlayerView {
    const tracks = this.#all.map((speaker) => speaker.view());
    return {
      state: this.#output === null ? 'detached' : busiest(tracks),
      transport: this.#all.find(({ feeder }) => feeder.sink)?.feeder.sink?.transport ?? null,
      sampleRate: this.#output?.clock.sampleRate ?? 0,
      repeating: this.isRepeating,
      isPaused: this.#isPaused,
      isStill: this.#output?.clock.isStill ?? false,
      tracks,
    };
  }

  /** Moves the lines on, now and when the next one is due. */
  #advanceLines(): void {
    const nowMs = this.#parts.clock.nowMs();
    this.#execute(this.#lines.advance(nowMs, this.#isPaused));
    const { dueMs } = this.#lines;
    if (dueMs === this.#linesDueMs) return;
    this.#cancelLinesTimer();
    this.#linesDueMs = dueMs;
    if (dueMs === null) return;
    this.#cancelLinesTimer = this.#parts.clock.after(Math.max(0, dueMs - nowMs), () => {
      this.#linesDueMs = null;
      this.#advanceLines();
    });
  }

  #execute(steps: readonly LineStep[]): void {
    for (const { kind, turn } of steps) {
      if (kind === 'hold') this.#speaker(turn.context).hold(turn);
      else if (kind === 'cutOff') this.#cutOff(turn);
      else if (turn.heard.held) {
        this.#speaker(turn.context).release(turn);
        this.wake();
      }
    }
  }

  /** Requests an output once, where waiting audio cannot be played at the rate of the present one. */
  #requestOutput(): void {
    if (!this.#output || this.isBusy) return;
    const waiting = this.#all.find(({ feeder }) => feeder.wantedSampleRate !== null);
    const wanted = this.#waitingRepeat?.turn.sampleRate ?? waiting?.feeder.wantedSampleRate ?? null;
    if (wanted === null || wanted === this.requestedSampleRate) return;
    this.requestedSampleRate = wanted;
    this.#parts.publisher.changed('wantedSampleRate');
  }

  #recordHearing(): void {
    const nowMs = this.#parts.clock.nowMs();
    const turns = this.#all.flatMap((speaker) => speaker.beingHeard);
    if (turns.length === 0 || nowMs - this.#recordedHearingMs < RECORD_HEARING_EVERY_MS) return;
    this.#recordedHearingMs = nowMs;
    this.#parts.recorder.hearing(turns);
  }

  /** @param driftMs null while it is unknown, as at the beginning of each output */
  #markDrift(driftMs: number | null, atMs: number): void {
    const before = this.#driftMs;
    if (driftMs !== null && before !== null && Math.abs(driftMs - before) < LEAST_DRIFT_MS) return;
    this.#driftMs = driftMs;
    if (driftMs !== null) this.#parts.publisher.mark('drift', atMs, { amount: driftMs });
  }

  #changed(): void {
    this.#parts.publisher.changed('player');
  }

  get #all(): SpeakerPlayback[] {
    return [...this.#speakers.values()];
  }

  #speaker(context: string): SpeakerPlayback {
    let speaker = this.#speakers.get(context);
    if (!speaker) {
      speaker = new SpeakerPlayback(context, this.#parts);
      speaker.feeder.learnFrom(this.#history);
      speaker.setPaused(this.#isPaused);
      this.#speakers.set(context, speaker);
      this.#connect(speaker);
    } else if (speaker.isResting) {
      speaker.isResting = false;
      this.#connect(speaker);
      // A repeat alone does not open the context, so no other event would rest the track again.
      if (this.#closed.has(context)) this.contextEnded(context);
    }
    return speaker;
  }

  #disconnect(speaker: SpeakerPlayback): void {
    if (!speaker.feeder.sink) return;
    speaker.detach();
    this.#output?.tracks.close(speaker.context);
  }

  #connect(speaker: SpeakerPlayback): void {
    if (!this.#output) return;
    const { tracks, clock } = this.#output;
    speaker.attach(openSink(tracks.open(speaker.context), { startEpoch: speaker.feeder.epoch }), clock);
  }
}

function busiest(tracks: readonly Pick<TrackView, 'state'>[]): TrackView['state'] {
  if (tracks.some(({ state }) => state === 'playing')) return 'playing';
  return tracks.some(({ state }) => state === 'buffering') ? 'buffering' : 'idle';
}
