import { speechLevel } from '#lib/speech-level.ts';
import type { FeederReport, PlayEvent, PlayedSamples } from '#player/feeder.ts';
import { Player } from '#player/player.ts';
import type { RingSink } from '#player/sink.ts';
import { beginsPlaying } from '#player/status.ts';
import type { AudioEvent } from '#protocol/core/speech-event.ts';
import type { DropReason } from '#recordings/format/player-entry.ts';
import type { PlayerNews } from '../recorder/player-news.ts';
import type { SessionParts } from '../session.ts';
import type { Turn } from '../turns/turn.ts';
import type { TrackView } from '../views.ts';
import { type AudioFinding, findingOf } from './audio-findings.ts';

/** After a clear the reader confirms within a quantum, but a suspended output never does. */
const CLEAR_WATCH_MS = 500;

/** A turn that is heard for the first time, or is about to be. */
interface Hearing {
  turn: Turn;
  /** When its first samples were handed to the player, wall clock. */
  sinceMs: number;
  complete: boolean;
}

/** Connects the turns of one context to the player, and maps the player's reports to wall times of turns and chunks. */
export class TrackPlayback {
  readonly context: string;
  readonly player = new Player();
  /** First epoch of the next sink, behind all earlier ones, so that a late halt silences nothing. */
  nextEpoch = 0;
  readonly #parts: SessionParts;
  #sampleRate: number | null = null;
  /** In the order of hearing. */
  #hearings: Hearing[] = [];
  /** Dropped by the clear that began the epoch, which the reader has not confirmed yet. */
  #silenced: { turn: Turn; epoch: number }[] = [];
  readonly #held = new Set<Turn>();
  /** Silenced while it was heard; the audio thread has not reported yet when. */
  #fallingSilent: Turn | null = null;
  #latest: FeederReport | null = null;
  #reportedMs = 0;
  #clearedMs = Number.NEGATIVE_INFINITY;
  /** The number of samples with which a turn was completed. */
  readonly #completeWith = new WeakMap<Turn, number>();
  /** Where the last underrun began, while it lasts. */
  #dry: { turn: Turn; frame: number } | null = null;

  constructor(context: string, parts: SessionParts) {
    this.context = context;
    this.#parts = parts;
  }

  /** Something plays or is about to, so the playhead must be read. */
  get isBusy(): boolean {
    const { sink } = this.player;
    if (!sink || !this.#latest) return false;
    const { state, queuedSamples, epoch } = this.#latest;
    const isRecent = this.#parts.environment.nowMs() - this.#clearedMs < CLEAR_WATCH_MS;
    return state !== 'idle' || queuedSamples > 0 || (epoch !== sink.epoch && isRecent);
  }

  get isNeeded(): boolean {
    return this.isBusy || this.#hearings.length > 0 || this.#held.size > 0 || this.player.replaying !== null;
  }

  attach(sink: RingSink, sampleRate: number): void {
    this.#sampleRate = sampleRate;
    this.player.attach(sink, sampleRate);
    for (const { turn } of this.#hearings) {
      if (turn.played.length === 0 && turn.sampleRate === sampleRate)
        turn.outputMs ??= this.#parts.environment.nowMs();
    }
    this.update();
  }

  detach(): void {
    this.update();
    const { sink } = this.player;
    if (sink) this.nextEpoch = (sink.epoch + 1) | 0;
    this.#note(this.player.detach());
    this.settle();
    for (const { turn } of this.#hearings) turn.outputEnded();
    this.#sampleRate = null;
    this.#latest = null;
    this.#dry = null;
    this.#parts.publisher.changed('player');
  }

  receive(turn: Turn, event: AudioEvent, atMs: number): { samples: number; leadingSilence: number } {
    const { payload, encoding, sampleRate } = event;
    const taken = this.player.receive(turn.id, payload, encoding, sampleRate, atMs);
    const finding = findingOf(event, taken);
    if (finding) this.#report(turn, finding);
    const store = this.player.store(turn.id);
    if (!store || 'problem' in taken) return { samples: 0, leadingSilence: 0 };
    const { samples } = taken;
    if (!this.#hearings.some((hearing) => hearing.turn === turn)) {
      this.#hearings.push({ turn, sinceMs: this.#parts.environment.nowMs(), complete: false });
    }
    this.#noteFloors();
    const before = store.length - samples;
    const audible = store.firstAudibleSample ?? store.length;
    return { samples, leadingSilence: Math.min(samples, Math.max(0, audible - before)) };
  }

  /** Declares a turn complete. Some servers announce the end of its audio and of the turn. */
  complete(turn: Turn): void {
    const store = this.player.store(turn.id);
    const samples = store?.length ?? 0;
    if (this.#completeWith.get(turn) === samples) return;
    this.#completeWith.set(turn, samples);
    this.player.complete(turn.id);
    if (store) turn.level = speechLevel(store.blocks(), store.sampleRate);
    const hearing = this.#hearings.find((candidate) => candidate.turn === turn);
    if (!hearing) return;
    hearing.complete = true;
    this.#noteFloors();
  }

  /** Holds a turn until it is released; false where it is being heard already. */
  hold(turn: Turn): boolean {
    // Holding may begin another epoch, after which the samples of this one are not counted any more.
    this.update();
    const isHeld = this.player.hold(turn.id);
    if (isHeld) {
      this.#held.add(turn);
      this.#noteFloors();
    }
    return isHeld;
  }

  release(turn: Turn): void {
    this.#held.delete(turn);
    this.player.release(turn.id);
    this.update();
  }

  secondsOf(turn: number): number {
    const store = this.player.store(turn);
    return store ? store.length / store.sampleRate : 0;
  }

  /** Replays a turn in place of everything queued. Returns false where there is no output at its rate. */
  replay(turn: number, fromSample: number): boolean {
    const isReplaying = this.player.replay(turn, fromSample);
    this.update();
    return isReplaying;
  }

  /** Drops everything queued. Returns the turns that were not heard to their end. */
  clear(why: DropReason): Turn[] {
    const nowMs = this.#parts.environment.nowMs();
    this.update();
    this.player.clear();
    this.#clearedMs = nowMs;
    this.#endDry(nowMs);
    const turns = this.#hearings.map(({ turn }) => turn);
    const silenced = turns.filter(({ heardToMs }) => heardToMs === null);
    for (const turn of silenced) this.#fallSilent(turn, nowMs);
    this.#hearings = [];
    for (const turn of turns) this.#drop(turn, why);
    this.#held.clear();
    this.update();
    this.#parts.publisher.changed('player');
    return silenced;
  }

  /** Drops the rest of one turn. All others of the track are heard. */
  silence(turn: Turn, why: DropReason): void {
    const nowMs = this.#parts.environment.nowMs();
    this.update();
    this.player.drop(turn.id);
    this.#clearedMs = nowMs;
    this.#held.delete(turn);
    if (this.#hearings.some((hearing) => hearing.turn === turn)) {
      this.#endDry(nowMs);
      this.#hearings = this.#hearings.filter((hearing) => hearing.turn !== turn);
      this.#fallSilent(turn, nowMs);
      this.#drop(turn, why);
    }
    this.update();
    this.#parts.publisher.changed('player');
  }

  /** Pauses all turns, or continues with the next sample. */
  setPaused(isPaused: boolean): void {
    this.player.setPaused(isPaused);
    this.update();
  }

  /** Takes a turn out of the queue. It counts neither as heard nor as dropped. */
  leaveOut(turn: Turn): void {
    this.player.drop(turn.id);
    this.#held.delete(turn);
    this.#hearings = this.#hearings.filter((hearing) => hearing.turn !== turn);
    turn.isLeftOut = true;
    this.#parts.publisher.turnChanged(turn);
  }

  /** Reports dropped turns now, rather than when the reader has confirmed the clear. */
  settle(): void {
    const silenced = this.#silenced;
    this.#silenced = [];
    for (const { turn } of silenced) this.#recordPlayed({ kind: 'heard', turn });
  }

  get beingHeard(): readonly Turn[] {
    return this.#hearings.map(({ turn }) => turn);
  }

  /** Reads the playhead, and reports what was heard since the last time. */
  update(): void {
    const before = this.#latest;
    const report = this.player.poll();
    this.#reportedMs = this.#parts.environment.nowMs();
    this.#latest = report;
    if (!report) return;
    this.#note(report.played);
    if (this.#silenced.some(({ epoch }) => ((report.epoch - epoch) | 0) >= 0)) this.settle();
    for (const event of report.events) {
      if (event.kind === 'cleared' || event.kind === 'paused') this.#fellSilent(event);
    }
    // Events of an older epoch are about silenced turns.
    const isCurrent = report.epoch === this.player.sink?.epoch;
    if (isCurrent && this.player.replaying === null) {
      for (const event of report.events) this.#heardEvent(event);
      this.#follow(report);
    }
    if (hasChanged(before, report)) this.#parts.publisher.changed('player');
  }

  get state(): TrackView['state'] {
    const report = this.#latest;
    const isCurrent = report !== null && report.epoch === this.player.sink?.epoch;
    return this.#sampleRate !== null && isCurrent ? stateOf(report) : 'idle';
  }

  view(): TrackView {
    const report = this.#latest;
    const { state } = this;
    const { sink, floor } = this.player;
    const head = state === 'playing' && report ? report.head : null;
    return {
      context: this.context,
      state,
      turn: head?.turn ?? null,
      sample: head?.sample ?? 0,
      atMs: head && report ? this.#parts.playback.wallMsOf(report.frame) : this.#reportedMs,
      epoch: sink?.epoch ?? this.nextEpoch,
      bufferedSeconds: this.#bufferedSeconds(),
      peak: head && report ? report.peak : 0,
      floorMs: floor.floorMs,
      floorReason: floor.reason,
    };
  }

  #recordPlayed(news: PlayerNews): void {
    this.#parts.recorder.played(news, this.#parts.environment.nowMs());
  }

  /** Reports each kind of fault once per turn, because a server that frames audio wrongly does so in every frame. */
  #report(turn: Turn, finding: AudioFinding): void {
    if (!this.#parts.publisher.hasProblem(turn.id, finding.title)) {
      this.#parts.publisher.problem({ turn: turn.id, ...finding });
    }
  }

  #endDry(nowMs: number): void {
    if (!this.#dry) return;
    const { turn, frame } = this.#dry;
    const lengthMs = Math.max(0, nowMs - this.#parts.playback.wallMsOf(frame));
    this.#underrunEnded(turn, lengthMs, Math.round((lengthMs / 1000) * (this.#sampleRate ?? 0)), 'silenced');
    this.#dry = null;
  }

  #underrunEnded(turn: Turn, lengthMs: number, samples: number, end: 'resumed' | 'silenced'): void {
    const underrun = turn.underrunEnded(lengthMs);
    if (!underrun) return;
    const { atMs, atSample } = underrun;
    this.#recordPlayed({ kind: 'underrun', turn, atMs, sample: atSample, samples, end });
  }

  /** Reports the turn as dropped once the reader has confirmed how far it played. */
  #drop(turn: Turn, why: DropReason): void {
    turn.dropped ??= { atMs: this.#parts.environment.nowMs(), why };
    const { sink } = this.player;
    if (!sink) {
      this.#recordPlayed({ kind: 'heard', turn });
      return;
    }
    const dropped = { turn, epoch: sink.epoch };
    this.#silenced.push(dropped);
    this.#parts.environment.after(CLEAR_WATCH_MS, () => {
      if (this.#silenced.includes(dropped)) this.settle();
    });
  }

  /** Adds what has left the player to its turns; a replay is not counted. */
  #note(played: readonly PlayedSamples[]): void {
    for (const run of played) {
      const turn = this.#turnOf(run);
      const begun = run.sample === 0 && this.#hearings.find((each) => each.turn === turn);
      if (begun) this.#parts.playback.handed(run.frame, begun.sinceMs);
      if (turn?.play(run, (frame) => this.#parts.playback.wallMsOf(frame)))
        this.#parts.publisher.turnChanged(turn);
    }
  }

  #turnOf({ turn: id, epoch }: PlayedSamples): Turn | undefined {
    const dropped = this.#silenced.find(
      (candidate) => candidate.turn.id === id && ((epoch - candidate.epoch) | 0) < 0,
    );
    return dropped?.turn ?? this.#hearings.find(({ turn }) => turn.id === id)?.turn;
  }

  #fallSilent(turn: Turn, nowMs: number): void {
    if (turn.played.length > 0) this.#fallingSilent = turn;
    turn.silenced(nowMs);
    this.#parts.publisher.turnChanged(turn);
  }

  /** Notes when a turn fell silent: by a pause, a halt of the page before it was silenced here, or the clear after that. */
  #fellSilent({ kind, frame, at }: PlayEvent): void {
    if (at === null || this.player.replaying !== null) return;
    const hearing = this.#hearings.find(({ turn }) => turn.id === at.turn)?.turn;
    const turn = this.#fallingSilent?.id === at.turn ? this.#fallingSilent : hearing;
    if (!turn) return;
    this.#fallingSilent = null;
    const atMs = this.#parts.playback.wallMsOf(frame);
    if (kind === 'paused') turn.fellPaused(atMs);
    else turn.fellSilent(atMs);
    this.#parts.publisher.turnChanged(turn);
  }

  #bufferedSeconds(): number {
    const rate = this.#sampleRate;
    const report = this.#latest;
    if (rate === null) return 0;
    const queued = report && report.epoch === this.player.sink?.epoch ? report.queuedSamples : 0;
    return (queued + this.player.waitingSamples) / rate;
  }

  #heardEvent({ kind, frame, epoch, at }: PlayEvent): void {
    if (epoch !== this.player.sink?.epoch) return;
    const atMs = this.#parts.playback.wallMsOf(frame);
    if (this.#dry && (kind === 'resumed' || kind === 'paused')) {
      const samples = frame - this.#dry.frame;
      const lengthMs = (samples / (this.#sampleRate ?? Number.POSITIVE_INFINITY)) * 1000;
      this.#underrunEnded(this.#dry.turn, lengthMs, samples, kind === 'resumed' ? 'resumed' : 'silenced');
      this.#parts.publisher.turnChanged(this.#dry.turn);
      this.#dry = null;
    }
    const hearing = at && this.#hearings.find(({ turn }) => turn.id === at.turn);
    if (!hearing || !at) return;
    const { turn } = hearing;
    // A turn that starts below the floor has waited for it to the limit.
    if (beginsPlaying(kind)) {
      turn.floorReachedMs ??= this.#parts.environment.nowMs();
      this.#parts.publisher.hurry();
    }
    if (kind === 'underrun') {
      turn.underrunBegan(at.sample, atMs);
      this.#dry = { turn, frame };
    }
    this.#parts.publisher.turnChanged(turn);
  }

  #follow({ head }: FeederReport): void {
    const at = this.#hearings.findIndex(({ turn }) => turn.id === head?.turn);
    if (at < 0 || !head) return;
    const reached = this.#hearings.slice(0, at + 1);
    for (const [index, { turn }] of reached.entries()) {
      if (turn.playedTo(index < at ? turn.samples : head.sample)) this.#parts.publisher.turnChanged(turn);
    }
    const over = reached.filter(({ turn, complete }) => complete && turn.playedSamples >= turn.samples);
    this.#hearings = this.#hearings.filter((hearing) => !over.includes(hearing));
    for (const { turn } of over) if (turn.samples > 0) this.#recordPlayed({ kind: 'heard', turn });
  }

  /** Notes when a turn reaches its start floor, which only held turns and the turn that is heard next have. */
  #noteFloors(): void {
    this.#hearings.forEach(({ turn, complete }, index) => {
      if (turn.floorReachedMs !== null || (index > 0 && !this.#held.has(turn))) return;
      const hasEnough = complete || this.secondsOf(turn.id) * 1000 >= this.player.floor.floorMs;
      if (hasEnough) turn.floorReachedMs = this.#parts.environment.nowMs();
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
