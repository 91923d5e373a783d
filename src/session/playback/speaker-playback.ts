import type { Clock } from '#lib/clock.ts';
import { addAll } from '#lib/collections/arrays.ts';
import { integratedLoudness } from '#lib/loudness.ts';
import type { AudioClock } from '#player/clock.ts';
import { Feeder, type FeederReport } from '#player/feeder.ts';
import type { RingSink } from '#player/ring.ts';
import { beginsPlaying } from '#player/status.ts';
import type { PlayEvent, PlayedSamples } from '#player/turn-stream.ts';
import type { DropReason } from '#trace/player-entry.ts';
import type { Publisher } from '../publisher.ts';
import type { PlayerNews } from '../recorder/player-news.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { SessionTurn } from '../turns/session-turn.ts';
import type { TrackView } from '../views.ts';

/** After a clear the reader confirms within a quantum, but a suspended output never does. */
const CLEAR_WATCH_MS = 500;

export interface PlaybackParts {
  clock: Clock;
  publisher: Publisher;
  recorder: Recorder;
}

/** A turn that is heard for the first time, or is about to be. */
interface Hearing {
  turn: SessionTurn;
  /** When its first samples were handed to the player, wall clock. */
  sinceMs: number;
  complete: boolean;
}

/** Tracks which turns of one context are heard, held and dropped, and when. Its feeder holds their samples. */
export class SpeakerPlayback {
  readonly context: string;
  readonly feeder = new Feeder();
  /** Without a ring until there is audio for it, although there is an output. */
  isResting = false;
  readonly #parts: PlaybackParts;
  /** Of the output; null without one. */
  #clock: AudioClock | null = null;
  /** In the order of hearing. */
  #hearings: Hearing[] = [];
  /** Turns that wait for an earlier one on another connection. */
  readonly #behind = new Set<SessionTurn>();
  /** Dropped by the clear that began the epoch, which the reader has not confirmed yet. */
  #dropped: { turn: SessionTurn; epoch: number }[] = [];
  /** Silenced while it was heard; the audio thread has not reported yet when. */
  #fallingSilent: SessionTurn | null = null;
  #latest: FeederReport | null = null;
  #reportedMs = 0;
  #clearedMs = Number.NEGATIVE_INFINITY;
  /** The number of samples with which a turn was completed. */
  readonly #completeWith = new WeakMap<SessionTurn, number>();
  /** Where the last underrun began, while it lasts. */
  #dry: { turn: SessionTurn; frame: number } | null = null;

  constructor(context: string, parts: PlaybackParts) {
    this.context = context;
    this.#parts = parts;
  }

  /** Something plays or is about to, so the playhead must be read. */
  get isBusy(): boolean {
    if (!this.#latest) return false;
    const isRecent = this.#nowMs - this.#clearedMs < CLEAR_WATCH_MS;
    return stateOf(this.#latest) !== 'idle' || (!this.#hasFollowed && isRecent);
  }

  /** A turn or a repeat is queued or held, or plays. */
  get hasQueued(): boolean {
    const { isHolding, repeating } = this.feeder;
    return this.#hearings.length > 0 || isHolding || repeating !== null;
  }

  get isNeeded(): boolean {
    return this.isBusy || this.hasQueued;
  }

  get beingHeard(): readonly SessionTurn[] {
    return this.#hearings.map(({ turn }) => turn);
  }

  attach(sink: RingSink, clock: AudioClock): void {
    this.#clock = clock;
    this.feeder.attach(sink, clock.sampleRate);
    for (const { turn } of this.#hearings) {
      if (turn.heard.ranges.length === 0 && turn.sampleRate === clock.sampleRate)
        turn.heard.outputMs ??= this.#nowMs;
    }
    this.update();
  }

  detach(): void {
    this.update();
    this.#note(this.feeder.detach());
    this.settle();
    for (const { turn } of this.#hearings) turn.heard.outputEnded();
    this.#clock?.closed(this.context);
    this.#clock = null;
    this.#latest = null;
    this.#dry = null;
    this.#parts.publisher.changed('player');
  }

  /** Turns of two connections come at once, so that audio of this one ends no other. */
  overlaps(turn: SessionTurn): boolean {
    return turn.isDraining || this.#hearings.some((other) => other.turn.isDraining && !other.complete);
  }

  /** Notes that audio of a turn was queued. It is heard before later turns that wait for it. */
  queued(turn: SessionTurn): void {
    if (!this.#isHeard(turn)) {
      const later = this.#hearings.findIndex(
        (other) => this.#behind.has(other.turn) && other.turn.id > turn.id,
      );
      const hearing = { turn, sinceMs: this.#nowMs, complete: false };
      this.#hearings.splice(later < 0 ? this.#hearings.length : later, 0, hearing);
    }
    this.#noteTargets();
  }

  /** Declares a turn complete. Some servers announce the end of its audio and of the turn. */
  complete(turn: SessionTurn): void {
    const store = this.feeder.store(turn.id);
    const samples = store?.length ?? 0;
    if (this.#completeWith.get(turn) === samples) return;
    this.#completeWith.set(turn, samples);
    this.feeder.complete(turn.id);
    if (store) turn.heard.loudness = integratedLoudness(store.blocks(), store.sampleRate);
    const hearing = this.#hearings.find((candidate) => candidate.turn === turn);
    if (!hearing) return;
    hearing.complete = true;
    this.#noteTargets();
  }

  /** Keeps a turn from being heard before an earlier one that still comes. */
  waitBehind(turn: SessionTurn): void {
    if (this.#isHeard(turn) || this.#behind.has(turn)) return;
    this.#behind.add(turn);
    this.feeder.hold(turn.id);
  }

  /** Lets turns that waited behind others be heard. @param isFree nothing comes before the turn any more */
  goOn(isFree: (turn: SessionTurn) => boolean): void {
    if (this.#behind.size === 0) return;
    for (const turn of this.#behind) {
      if (!isFree(turn)) continue;
      this.#behind.delete(turn);
      if (!turn.heard.held) this.feeder.release(turn.id);
    }
    this.update();
  }

  /** Holds a turn until it is released, unless it is being heard already. */
  hold(turn: SessionTurn): void {
    // Holding may begin another epoch, after which the samples of this one are not counted any more.
    this.update();
    if (!this.feeder.hold(turn.id)) return;
    turn.heard.held = true;
    this.#noteTargets();
    this.#parts.publisher.turnChanged(turn);
  }

  release(turn: SessionTurn): void {
    turn.heard.held = false;
    turn.heard.releasedMs = this.#nowMs;
    if (!this.#behind.has(turn)) this.feeder.release(turn.id);
    this.update();
    this.#parts.publisher.turnChanged(turn);
  }

  secondsOf(turn: number): number {
    const store = this.feeder.store(turn);
    return store ? store.length / store.sampleRate : 0;
  }

  /** Repeats a turn in place of everything queued. Returns false where there is no output at its rate. */
  repeat(turn: number, fromSample: number): boolean {
    const isRepeating = this.feeder.repeat(turn, fromSample);
    this.update();
    return isRepeating;
  }

  /** Drops everything queued. Returns the turns that were not heard to their end. */
  clear(why: DropReason): SessionTurn[] {
    this.update();
    this.#behind.clear();
    this.feeder.clear();
    return this.#drop(this.beingHeard, why);
  }

  /** Drops the rest of one turn. All others of the track are heard. */
  silence(turn: SessionTurn, why: DropReason): void {
    this.update();
    this.#behind.delete(turn);
    this.feeder.drop(turn.id);
    this.#drop(this.#isHeard(turn) ? [turn] : [], why);
  }

  /** Pauses all turns, or continues with the next sample. */
  setPaused(isPaused: boolean): void {
    this.feeder.setPaused(isPaused);
    this.update();
  }

  /** Takes a turn out of the queue. It counts neither as heard nor as dropped. */
  leaveOut(turn: SessionTurn): void {
    this.feeder.drop(turn.id);
    this.#forget([turn]);
    turn.heard.isLeftOut = true;
    this.#parts.publisher.turnChanged(turn);
  }

  /** Reports dropped turns now, rather than when the reader has confirmed the clear. */
  settle(): void {
    const dropped = this.#dropped;
    this.#dropped = [];
    for (const { turn } of dropped) this.#recordPlayed({ kind: 'heard', turn });
  }

  /** Reads the playhead, and reports what was heard since the last time. */
  update(): void {
    const before = this.#latest;
    const report = this.feeder.poll();
    this.#reportedMs = this.#nowMs;
    this.#latest = report;
    if (!report) return;
    const wasStill = this.#isStill;
    this.#clock?.reported(this.context, report.frame, this.#nowMs, report.state === 'playing');
    this.#note(report.played);
    if (this.#dropped.some(({ epoch }) => ((report.epoch - epoch) | 0) >= 0)) this.settle();
    // A repeat is not counted.
    if (this.feeder.repeating === null) {
      for (const event of report.events) this.#noteEvent(event);
      if (this.#hasFollowed) this.#follow(report);
      if (this.#isStill) this.#stand(report);
    }
    if (wasStill !== this.#isStill || hasChanged(before, report)) this.#parts.publisher.changed('player');
  }

  get state(): TrackView['state'] {
    return this.#latest && this.#hasFollowed ? stateOf(this.#latest) : 'idle';
  }

  view(): TrackView {
    const { state } = this;
    const { epoch, target, sampleRate, waitingSamples } = this.feeder;
    const report = this.#latest;
    const queued = (report && this.#hasFollowed ? report.queuedSamples : 0) + waitingSamples;
    const head = state === 'playing' && report ? report.head : null;
    return {
      context: this.context,
      state,
      turn: head?.turn ?? null,
      sample: head?.sample ?? 0,
      atMs: head && report ? this.#wallMsOf(report.frame) : this.#reportedMs,
      epoch,
      bufferedSeconds: sampleRate === null ? 0 : queued / sampleRate,
      peak: head && report ? report.peak : 0,
      targetMs: target.targetMs,
      targetReason: target.reason,
    };
  }

  get #nowMs(): number {
    return this.#parts.clock.nowMs();
  }

  get #isStill(): boolean {
    return this.#clock?.isStill ?? false;
  }

  /** The reader plays the newest epoch, so the latest report is about turns that were not dropped. */
  get #hasFollowed(): boolean {
    return this.#latest?.epoch === this.feeder.epoch;
  }

  /** Wall time at which an audio frame leaves the speakers. */
  #wallMsOf(frame: number): number {
    return this.#clock?.wallMsOf(frame) ?? this.#nowMs;
  }

  #isHeard(turn: SessionTurn): boolean {
    return this.#hearings.some((hearing) => hearing.turn === turn);
  }

  #forget(turns: readonly SessionTurn[]): void {
    this.#hearings = this.#hearings.filter(({ turn }) => !turns.includes(turn));
  }

  #recordPlayed(news: PlayerNews): void {
    this.#parts.recorder.played(news, this.#nowMs);
  }

  /** Returns those of the turns that were not heard to their end. */
  #drop(turns: readonly SessionTurn[], why: DropReason): SessionTurn[] {
    const nowMs = this.#nowMs;
    this.#clearedMs = nowMs;
    if (this.#dry && turns.length > 0) {
      this.#endDry(this.#dry, 'silenced', Math.max(0, nowMs - this.#wallMsOf(this.#dry.frame)));
    }
    this.#forget(turns);
    const silenced = turns.filter(({ heard }) => heard.toMs === null);
    for (const turn of silenced) {
      if (turn.heard.ranges.length > 0) this.#fallingSilent = turn;
      turn.heard.silenced(nowMs);
      this.#parts.publisher.turnChanged(turn);
    }
    for (const turn of turns) turn.heard.dropped ??= { atMs: nowMs, why };
    this.#recordDropped(turns);
    this.update();
    this.#parts.publisher.changed('player');
    return silenced;
  }

  /** Records dropped turns once the reader has confirmed how far they played. */
  #recordDropped(turns: readonly SessionTurn[]): void {
    const dropped = turns.map((turn) => ({ turn, epoch: this.feeder.epoch }));
    addAll(this.#dropped, dropped);
    if (!this.feeder.sink) this.settle();
    else if (dropped.length > 0) {
      this.#parts.clock.after(CLEAR_WATCH_MS, () => {
        if (dropped.some((one) => this.#dropped.includes(one))) this.settle();
      });
    }
  }

  #endDry({ turn }: { turn: SessionTurn }, end: 'resumed' | 'silenced', lengthMs: number): void {
    this.#dry = null;
    const underrun = turn.heard.underrunEnded(lengthMs);
    this.#parts.publisher.turnChanged(turn);
    if (!underrun) return;
    const { atMs, atSample } = underrun;
    const samples = Math.round((lengthMs / 1000) * (this.feeder.sampleRate ?? 0));
    this.#recordPlayed({ kind: 'underrun', turn, atMs, sample: atSample, samples, end });
  }

  /** Adds what has left the player to its turns; a repeat is not counted. */
  #note(played: readonly PlayedSamples[]): void {
    for (const run of played) {
      const turn = this.#turnOf(run);
      const begun = run.sample === 0 && this.#hearings.find((each) => each.turn === turn);
      if (begun) this.#clock?.handed(run.frame, begun.sinceMs);
      if (turn?.heard.play(run, (frame) => this.#wallMsOf(frame))) this.#parts.publisher.turnChanged(turn);
    }
  }

  #turnOf({ turn: id, epoch }: PlayedSamples): SessionTurn | undefined {
    const dropped = this.#dropped.find((one) => one.turn.id === id && ((epoch - one.epoch) | 0) < 0);
    return dropped?.turn ?? this.#hearingOf(id)?.turn;
  }

  #hearingOf(id: number | undefined): Hearing | undefined {
    return this.#hearings.find(({ turn }) => turn.id === id);
  }

  #noteEvent({ kind, frame, epoch, at }: PlayEvent): void {
    if (at && (kind === 'cleared' || kind === 'paused')) this.#fellSilent(kind, frame, at.turn);
    // Other events of an older epoch are about silenced turns.
    if (epoch !== this.feeder.epoch) return;
    if (this.#dry && (kind === 'resumed' || kind === 'paused')) {
      const lengthMs =
        ((frame - this.#dry.frame) / (this.feeder.sampleRate ?? Number.POSITIVE_INFINITY)) * 1000;
      this.#endDry(this.#dry, kind === 'resumed' ? 'resumed' : 'silenced', lengthMs);
    }
    const turn = this.#hearingOf(at?.turn)?.turn;
    if (!turn || !at) return;
    // A turn that starts below the target has waited for it to the limit.
    if (beginsPlaying(kind)) {
      turn.heard.targetReachedMs ??= this.#nowMs;
      this.#parts.publisher.hurry();
    }
    if (kind === 'underrun') {
      turn.heard.underrunBegan(at.sample, this.#wallMsOf(frame));
      this.#dry = { turn, frame };
    }
    this.#parts.publisher.turnChanged(turn);
  }

  /** Notes when a turn fell silent: by a pause, a halt of the page before it was silenced here, or the clear after that. */
  #fellSilent(kind: 'cleared' | 'paused', frame: number, id: number): void {
    const turn = this.#fallingSilent?.id === id ? this.#fallingSilent : this.#hearingOf(id)?.turn;
    if (!turn) return;
    this.#fallingSilent = null;
    const atMs = this.#wallMsOf(frame);
    if (kind === 'paused') turn.heard.fellPaused(atMs);
    else turn.heard.fellSilent(atMs);
    this.#parts.publisher.turnChanged(turn);
  }

  /** The audio clock stands still, so the turn at the playhead has fallen silent. */
  #stand({ state, head, frame }: FeederReport): void {
    const turn = state === 'playing' ? this.#hearingOf(head?.turn)?.turn : undefined;
    if (!turn || turn.heard.pausedMs !== null) return;
    turn.heard.fellPaused(this.#wallMsOf(frame));
    this.#parts.publisher.turnChanged(turn);
  }

  #follow({ head }: FeederReport): void {
    const at = this.#hearings.findIndex(({ turn }) => turn.id === head?.turn);
    if (at < 0 || !head) return;
    const reached = this.#hearings.slice(0, at + 1);
    for (const [index, { turn }] of reached.entries()) {
      if (turn.heard.playedTo(index < at ? turn.samples : head.sample))
        this.#parts.publisher.turnChanged(turn);
    }
    const over = reached.filter(({ turn, complete }) => complete && turn.heard.playedSamples >= turn.samples);
    this.#hearings = this.#hearings.filter((hearing) => !over.includes(hearing));
    for (const { turn } of over) if (turn.samples > 0) this.#recordPlayed({ kind: 'heard', turn });
  }

  /** Notes when a turn reaches its prebuffer target, which only held turns and the turn that is heard next have. */
  #noteTargets(): void {
    this.#hearings.forEach(({ turn }, index) => {
      if (turn.heard.targetReachedMs !== null || (index > 0 && !turn.heard.held)) return;
      if (this.feeder.hasEnough(turn.id)) turn.heard.targetReachedMs = this.#nowMs;
    });
  }
}

/** Fresh samples are buffered although the audio thread has not seen them yet. */
const stateOf = ({ state, queuedSamples }: FeederReport): TrackView['state'] =>
  state === 'idle' && queuedSamples > 0 ? 'buffering' : state;

const hasChanged = (before: FeederReport | null, now: FeederReport): boolean =>
  before === null ||
  before.state !== now.state ||
  before.epoch !== now.epoch ||
  before.queuedSamples !== now.queuedSamples ||
  before.head?.turn !== now.head?.turn ||
  before.head?.sample !== now.head?.sample;
