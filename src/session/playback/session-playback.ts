import type { Clock } from '#lib/clock.ts';
import { ArrivalHistory } from '#player/arrivals.ts';
import { AudioClock, type ClockAnchor } from '#player/clock.ts';
import { openSink, TrackOpener, type Tracks } from '#player/sink.ts';
import type { TrackPort } from '#player/worklet-messages.ts';
import type { AudioEvent } from '#protocol/core/speech-event.ts';
import type { DropReason } from '#recordings/format/player-entry.ts';
import type { Listening } from '#recordings/format/user-actions.ts';
import type { Target } from '../commands.ts';
import type { RecordedFrame } from '../recorder/recorder.ts';
import type { Turn } from '../turns/turn.ts';
import type { PlayerView, TrackView } from '../views.ts';
import { LineQueue, type LineStep } from './line-queue.ts';
import { type PlaybackParts, SpeakerPlayback } from './speaker-playback.ts';
import { TimelineFeed } from './timeline-feed.ts';

/** Audio kept for repeats of turns, over all turns: 86 MB at 24 kHz. */
const KEPT_SECONDS = 30 * 60;

/** The track of a closed context keeps its ring (2 MiB) for this long, in case the context speaks again. */
const REST_AFTER_MS = 30_000;

/** How often the recording is updated with what has been heard so far. */
const RECORD_HEARING_EVERY_MS = 200;

/** While anything plays, the playhead is read once per animation frame. */
const TICK_MS = 16;
/** More often before the first sample, so that its word is not late. */
const START_TICK_MS = 4;

interface SessionPlaybackOptions extends PlaybackParts {
  /** Of the times of frames. */
  network: Pick<Clock, 'nowMs'>;
  /** Opens tracks over the output's port. */
  openTracks?: ((port: TrackPort) => Tracks) | undefined;
  /** A line cuts off the one before it. */
  cutOff(turn: Turn): void;
  /** An earlier turn of the speaker still comes, on another connection. */
  comesBefore(turn: Turn): boolean;
}

/** Plays turns: a track for each context, in one output, and the order in which lines are heard. */
export class SessionPlayback {
  readonly timeline: TimelineFeed;
  /** The rate of the output that the page is to open; null where the output fits. */
  requestedSampleRate: number | null = null;
  readonly #parts: PlaybackParts;
  readonly #network: Pick<Clock, 'nowMs'>;
  readonly #cutOff: (turn: Turn) => void;
  readonly #comesBefore: (turn: Turn) => boolean;
  readonly #openTracks: (port: TrackPort) => Tracks;
  /** By context, for good, because a context can be repeated after its end. */
  readonly #tracks = new Map<string, SpeakerPlayback>();
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
  #kept: Turn[] = [];
  /** Waits for an output at the turn's rate. */
  #waitingRepeat: { turn: Turn; fromSample: number } | null = null;
  #isPaused = false;
  #isTicking = false;
  #recordedHearingMs = Number.NEGATIVE_INFINITY;

  constructor({
    openTracks = (port) => new TrackOpener(port),
    network,
    cutOff,
    comesBefore,
    ...parts
  }: SessionPlaybackOptions) {
    this.#comesBefore = comesBefore;
    this.#parts = parts;
    this.#network = network;
    this.#cutOff = cutOff;
    this.#openTracks = openTracks;
    this.timeline = new TimelineFeed(parts.publisher);
  }

  /** Audio plays or is about to, so the playhead must be read. */
  get isBusy(): boolean {
    return this.#all.some((track) => track.isBusy);
  }

  /** Chooses prebuffer targets by what earlier turns of this endpoint and server have shown. */
  speakWith({ endpoint, base }: Pick<Target, 'endpoint' | 'base'>): void {
    const name = `${endpoint} ${base}`;
    this.#history = this.#histories.get(name) ?? new ArrivalHistory();
    this.#histories.set(name, this.#history);
    for (const { feeder } of this.#all) feeder.learnFrom(this.#history);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The turn of each speaker that is heard now or next. */
  get heardNext(): Turn[] {
    return this.#all.flatMap(({ beingHeard }) => beingHeard.slice(0, 1));
  }

  get isRepeating(): boolean {
    return this.#all.some(({ feeder }) => feeder.repeating !== null);
  }

  attach(port: TrackPort, sampleRate: number): void {
    this.requestedSampleRate = null;
    this.detach();
    this.#output = { tracks: this.#openTracks(port), clock: new AudioClock(sampleRate) };
    for (const track of this.#all) if (!track.isResting) this.#connect(track);
    const repeat = this.#waitingRepeat;
    this.#waitingRepeat = null;
    if (repeat) this.#track(repeat.turn.context).repeat(repeat.turn.id, repeat.fromSample);
    this.update();
    this.wake();
  }

  detach(): void {
    for (const track of this.#all) this.#disconnect(track);
    this.#output?.tracks.end();
    this.#output = null;
    this.#changed();
  }

  anchor(anchor: ClockAnchor): void {
    this.#output?.clock.anchor(anchor);
    this.timeline.drifted(this.#output?.clock.driftMs ?? null, anchor.wallMs);
    this.#changed();
  }

  get listening(): LineQueue['listening'] {
    return this.#lines.listening;
  }

  /** @param interrupts the line cuts off the one before it instead of waiting for its end */
  addLine(turn: Turn, interrupts: boolean): void {
    this.#execute(this.#lines.add(turn, interrupts));
  }

  /** Cuts off a line that is heard for an interrupting line behind it. Returns false where there is none. */
  cutOff(turn: Turn): boolean {
    const steps = this.#lines.cutOff(turn, this.#parts.clock.nowMs());
    this.#execute(steps);
    return steps.length > 0;
  }

  listen(listening: Listening, pauseMs: number): void {
    this.#execute(this.#lines.listen(listening, pauseMs));
    this.update();
    this.wake();
  }

  /** Plays the audio of a frame. Returns the seconds that it added to its turn: 0 where it cannot be decoded. */
  receive(turn: Turn, event: AudioEvent, { atMs, bytes, number }: RecordedFrame): number {
    const { context, id } = turn;
    const { chunk, sampleRate } = event;
    const track = this.#track(context);
    if (this.#comesBefore(turn)) track.waitBehind(turn);
    const { samples, leadingSilence } = track.receive(turn, event, atMs);
    const store = track.feeder.store(id);
    if (store) this.#keep(turn);
    const queuedMs = this.#network.nowMs();
    turn.audio({ chunk, samples, leadingSilence, sampleRate, bytes, arrivedMs: atMs, queuedMs });
    const amount = (samples / sampleRate) * 1000;
    this.#parts.publisher.mark('audio', atMs, { context, turn: id, amount, frame: number });
    this.timeline.received(turn, store, track.feeder.target.targetMs, atMs);
    this.#parts.publisher.turnChanged(turn);
    this.wake();
    return samples / sampleRate;
  }

  /** Opens the track of a turn while the server has not answered yet, because its ring takes milliseconds. */
  prepare(turn: Turn): void {
    this.#track(turn.context);
  }

  complete(turn: Turn): void {
    this.#tracks.get(turn.context)?.complete(turn);
    this.#advanceLines();
  }

  turnEnded(turn: Turn): void {
    this.complete(turn);
    this.#tracks.get(turn.context)?.goOn((waiting) => !this.#comesBefore(waiting));
    this.timeline.ended(turn);
    // The player has no audio of it to drop, and drops the audio that still comes.
    if (turn.state === 'cancelled' && turn.sent && turn.samples === 0 && turn.dropped === null) {
      const atMs = this.#parts.clock.nowMs();
      turn.dropped = { atMs, why: 'cancel' };
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
      const track = this.#tracks.get(context);
      if (!track) return;
      if (track.isNeeded) this.contextEnded(context);
      else {
        this.#disconnect(track);
        track.isResting = true;
      }
    });
    this.#closed.set(context, callOff);
  }

  /** Repeats a turn in place of other audio. Waits for an output at the turn's rate. */
  repeat(turn: Turn, fromSample: number): void {
    const track = this.#track(turn.context);
    const from = Math.max(0, Math.floor(fromSample));
    if (turn.sampleRate === null || !(from < track.secondsOf(turn.id) * turn.sampleRate)) return;
    this.clear(null, 'replay');
    if (!track.repeat(turn.id, from)) this.#waitingRepeat = { turn, fromSample: from };
    this.update();
    this.wake();
  }

  stopRepeat(): void {
    if (this.#waitingRepeat || this.isRepeating) this.clear(null, 'replay');
  }

  /** Ends a repeat after the page's halt. Idle tracks are cleared too, because the halt would silence their next turn. */
  repeatStopped(): void {
    this.stopRepeat();
    for (const track of this.#all) if (!track.isNeeded) track.clear('replay');
    this.#changed();
  }

  /** Drops all queued audio, on one context or on all (null). Returns the turns that were not heard to their end. */
  clear(context: string | null, why: DropReason): Turn[] {
    const meant = this.#all.filter((track) => context === null || track.context === context);
    const silenced = meant.flatMap((track) => track.clear(why));
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
    for (const track of this.#all) track.setPaused(isPaused);
    this.#changed();
  }

  /** Drops the queued audio of one turn, and leaves the other turns of its context. */
  silence(turn: Turn, why: DropReason): void {
    this.#tracks.get(turn.context)?.silence(turn, why);
  }

  /** Records dropped turns now, without waiting for the audio thread. */
  settle(): void {
    for (const track of this.#all) track.settle();
  }

  /** Takes turns out of the queue that are not to be played here. */
  leaveOut(isMeant: (turn: Turn) => boolean): void {
    for (const track of this.#all) {
      for (const turn of track.beingHeard) if (isMeant(turn)) track.leaveOut(turn);
    }
  }

  /** Drops a turn from the playback and from the line queue. */
  skip(turn: Turn): void {
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
    for (const track of this.#all) track.update();
    this.#advanceLines();
  }

  view(): PlayerView {
    const tracks = this.#all.map((track) => track.view());
    return {
      state: this.#output === null ? 'detached' : busiest(tracks),
      transport: this.#all.find(({ feeder }) => feeder.sink)?.feeder.sink?.transport ?? null,
      sampleRate: this.#output?.clock.sampleRate ?? 0,
      repeating: this.isRepeating,
      isPaused: this.#isPaused,
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
      if (kind === 'hold') this.#track(turn.context).hold(turn);
      else if (kind === 'cutOff') this.#cutOff(turn);
      else if (turn.held) {
        this.#track(turn.context).release(turn);
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
    const turns = this.#all.flatMap((track) => track.beingHeard);
    if (turns.length === 0 || nowMs - this.#recordedHearingMs < RECORD_HEARING_EVERY_MS) return;
    this.#recordedHearingMs = nowMs;
    this.#parts.recorder.hearing(turns);
  }

  #changed(): void {
    this.#parts.publisher.changed('player');
  }

  get #all(): SpeakerPlayback[] {
    return [...this.#tracks.values()];
  }

  #track(context: string): SpeakerPlayback {
    let track = this.#tracks.get(context);
    if (!track) {
      track = new SpeakerPlayback(context, this.#parts);
      track.feeder.learnFrom(this.#history);
      track.setPaused(this.#isPaused);
      this.#tracks.set(context, track);
      this.#connect(track);
    } else if (track.isResting) {
      track.isResting = false;
      this.#connect(track);
      // A repeat alone does not open the context, so no other event would rest the track again.
      if (this.#closed.has(context)) this.contextEnded(context);
    }
    return track;
  }

  #disconnect(track: SpeakerPlayback): void {
    if (!track.feeder.sink) return;
    track.detach();
    this.#output?.tracks.close(track.context);
  }

  #connect(track: SpeakerPlayback): void {
    if (!this.#output) return;
    const { tracks, clock } = this.#output;
    track.attach(openSink(tracks.open(track.context), { startEpoch: track.feeder.epoch }), clock);
  }

  /** Keeps a turn's samples, and evicts the oldest finished turns above the limit. */
  #keep(turn: Turn): void {
    if (turn.repeatable) return;
    turn.repeatable = true;
    this.#kept.push(turn);
    // Reading a length must not create a ring.
    const secondsOf = (one: Turn): number => this.#tracks.get(one.context)?.secondsOf(one.id) ?? 0;
    let seconds = this.#kept.reduce((sum, one) => sum + secondsOf(one), 0);
    this.#kept = this.#kept.filter((old) => {
      if (seconds <= KEPT_SECONDS || old === turn || !old.isOver) return true;
      seconds -= secondsOf(old);
      this.#tracks.get(old.context)?.feeder.forget(old.id);
      old.repeatable = false;
      this.#parts.publisher.turnChanged(old);
      return false;
    });
  }
}

function busiest(tracks: readonly Pick<TrackView, 'state'>[]): TrackView['state'] {
  if (tracks.some(({ state }) => state === 'playing')) return 'playing';
  return tracks.some(({ state }) => state === 'buffering') ? 'buffering' : 'idle';
}
