import { AudioClock } from '../player/clock.ts';
import type { FeederReport, HeardEvent } from '../player/feeder.ts';
import type { TrackPort } from '../player/messages.ts';
import { Player } from '../player/player.ts';
import { openSink } from '../player/sink.ts';
import type { AudioEvent } from '../protocol/speech-event.ts';
import { type AudioFinding, findingOf } from './audio-findings.ts';
import type { Environment } from './environment.ts';
import type { ClockAnchor } from './messages.ts';
import type { PlayerView } from './model.ts';
import type { Turn } from './turn.ts';

/** After a clear the reader needs a quantum to say that it has followed; a suspended one says nothing for ever. */
const CLEAR_WATCH_MS = 500;

/** Audio kept for playing again, all turns together: 86 MB at 24 kHz. */
const KEPT_SECONDS = 30 * 60;

export interface PlaybackHandlers {
  changed(): void;
  /** Figures of a turn changed through what was heard. */
  heard(turn: Turn): void;
  /** Something is wrong with an audio frame. */
  found(turn: Turn, finding: AudioFinding): void;
}

/** A turn that is being heard for the first time, or is about to be. */
interface Hearing {
  turn: Turn;
  /** All samples before this one have left the speakers. */
  played: number;
  complete: boolean;
  /** The time of its first sample is known. */
  hasBegun: boolean;
}

/**
 * Between turns and the player: audio frames go in as they arrive, and what the player reports comes back as times of
 * turns and chunks on the wall clock.
 */
export class Playback {
  readonly #environment: Environment;
  readonly #handlers: PlaybackHandlers;
  readonly #keptSeconds: number;
  readonly #player = new Player();
  #sampleRate: number | null = null;
  #clock: AudioClock | null = null;
  /** In the order of hearing. */
  #hearings: Hearing[] = [];
  /** Turns that can be played again, oldest first. */
  #kept: Turn[] = [];
  /** Waits for an output at the turn's rate. */
  #waitingReplay: { turn: Turn; fromSample: number } | null = null;
  #report: FeederReport | null = null;
  #reportedMs = 0;
  #clearedMs = Number.NEGATIVE_INFINITY;
  /** Where the last underrun began, while it lasts. */
  #dry: { turn: Turn; frame: number } | null = null;

  constructor(environment: Environment, handlers: PlaybackHandlers, keptSeconds = KEPT_SECONDS) {
    this.#environment = environment;
    this.#handlers = handlers;
    this.#keptSeconds = keptSeconds;
  }

  /** Of the attached output; null where there is none. */
  get sampleRate(): number | null {
    return this.#sampleRate;
  }

  /** Something plays or is about to, so the play head must be read. */
  get isBusy(): boolean {
    const { sink } = this.#player;
    if (!sink || !this.#report) return false;
    const { state, queuedSamples, epoch } = this.#report;
    const isRecent = this.#environment.nowMs() - this.#clearedMs < CLEAR_WATCH_MS;
    return state !== 'idle' || queuedSamples > 0 || (epoch !== sink.epoch && isRecent);
  }

  /** The rate of an output that what waits could play on; null while something still plays on the one there is. */
  get wantedSampleRate(): number | null {
    if (this.isBusy) return null;
    return this.#waitingReplay?.turn.sampleRate ?? this.#player.wantedSampleRate;
  }

  attach(port: TrackPort, sampleRate: number): void {
    this.detach();
    this.#sampleRate = sampleRate;
    this.#clock = new AudioClock(sampleRate);
    this.#player.attach(openSink(port), sampleRate);
    const replay = this.#waitingReplay;
    this.#waitingReplay = null;
    if (replay) this.#player.replay(replay.turn.id, replay.fromSample);
    this.update();
  }

  detach(): void {
    this.update();
    this.#player.detach();
    // The player goes on with what is still being received or waits for another rate; a whole turn is cut off here.
    this.#hearings = this.#hearings.filter(({ turn, complete }) => {
      if (!complete || turn.sampleRate !== this.#sampleRate) return true;
      turn.silenced(this.#environment.nowMs());
      this.#handlers.heard(turn);
      return false;
    });
    this.#sampleRate = null;
    this.#clock = null;
    this.#report = null;
    this.#dry = null;
    this.#handlers.changed();
  }

  anchor(anchor: ClockAnchor): void {
    this.#clock?.anchor(anchor);
    this.#handlers.changed();
  }

  /** Takes the audio of a frame as far as it can be taken, and says how many samples it added to its turn. */
  receive(turn: Turn, event: AudioEvent, atMs: number): { samples: number; leadingSilence: number } {
    const { payload, encoding, sampleRate } = event;
    const taken = this.#player.receive(turn.id, payload, encoding, sampleRate, atMs);
    const finding = findingOf(event, taken);
    if (finding) this.#handlers.found(turn, finding);
    const store = this.#player.store(turn.id);
    if (!store || 'problem' in taken) return { samples: 0, leadingSilence: 0 };
    const { samples } = taken;
    if (!this.#hearings.some((hearing) => hearing.turn === turn)) {
      this.#hearings.push({ turn, played: 0, complete: false, hasBegun: false });
    }
    this.#keep(turn);
    this.#noteFloor(turn, store.length / store.sampleRate);
    const before = store.length - samples;
    const audible = store.firstAudibleSample ?? store.length;
    return { samples, leadingSilence: Math.min(samples, Math.max(0, audible - before)) };
  }

  /** No more of the turn will come. */
  complete(turn: Turn): void {
    this.#player.complete(turn.id);
    const hearing = this.#hearings.find((candidate) => candidate.turn === turn);
    if (!hearing) return;
    hearing.complete = true;
    this.#noteFloor(turn, Number.POSITIVE_INFINITY);
  }

  /** In place of whatever plays; waits for an output at the turn's rate where there is another. */
  replay(turn: Turn, fromSample: number): void {
    const length = this.#player.store(turn.id)?.length ?? 0;
    const from = Math.max(0, Math.floor(fromSample));
    if (!(from < length)) return;
    this.clear();
    if (!this.#player.replay(turn.id, from)) this.#waitingReplay = { turn, fromSample: from };
    this.update();
  }

  stopReplay(): void {
    if (this.#player.replaying !== null || this.#waitingReplay) this.clear();
  }

  /** Silence: nothing that was queued is heard any more. */
  clear(): void {
    const nowMs = this.#environment.nowMs();
    this.update();
    this.#player.clear();
    this.#clearedMs = nowMs;
    if (this.#dry) this.#dry.turn.underrunEnded(Math.max(0, nowMs - this.#wallMsOf(this.#dry.frame)));
    for (const { turn } of this.#hearings) {
      turn.silenced(nowMs);
      this.#handlers.heard(turn);
    }
    this.#hearings = [];
    this.#waitingReplay = null;
    this.#dry = null;
    this.update();
    this.#handlers.changed();
  }

  /** Reads the play head and passes on what has been heard since. */
  update(): void {
    const before = this.#report;
    const report = this.#player.poll();
    this.#reportedMs = this.#environment.nowMs();
    this.#report = report;
    if (!report) return;
    // What was silenced is of no account any more.
    const isCurrent = report.epoch === this.#player.sink?.epoch;
    if (isCurrent && this.#player.replaying === null) {
      for (const event of report.events) this.#heardEvent(event);
      this.#follow(report);
    }
    if (hasChanged(before, report)) this.#handlers.changed();
  }

  view(): PlayerView {
    const report = this.#report;
    const rate = this.#sampleRate;
    const { sink, floor } = this.#player;
    const isCurrent = report !== null && report.epoch === sink?.epoch;
    const head = isCurrent && report.state === 'playing' ? report.head : null;
    return {
      state: rate === null ? 'detached' : isCurrent ? report.state : 'idle',
      transport: sink?.transport ?? null,
      turn: head?.turn ?? null,
      sample: head?.sample ?? 0,
      atMs: head && report ? this.#wallMsOf(report.frame) : this.#reportedMs,
      sampleRate: rate ?? 0,
      replaying: this.#player.replaying !== null,
      epoch: sink?.epoch ?? 0,
      bufferedSeconds: rate === null || !isCurrent ? 0 : report.queuedSamples / rate,
      peak: head && report ? report.peak : 0,
      floorMs: floor.floorMs,
      floorReason: floor.reason,
    };
  }

  #heardEvent({ kind, frame, epoch, at }: HeardEvent): void {
    if (epoch !== this.#player.sink?.epoch) return;
    const atMs = this.#wallMsOf(frame);
    if (this.#dry && kind === 'resumed') {
      this.#dry.turn.underrunEnded(this.#msOf(frame - this.#dry.frame));
      this.#handlers.heard(this.#dry.turn);
      this.#dry = null;
    }
    const hearing = at && this.#hearings.find(({ turn }) => turn.id === at.turn);
    if (!hearing || !at) return;
    const { turn } = hearing;
    if (kind === 'started' || kind === 'resumed' || kind === 'realigned') {
      hearing.hasBegun = true;
      turn.heardFrom(at.sample, atMs);
      // Where the floor was not met, waiting for it came to its end here.
      turn.floorReachedMs ??= this.#environment.nowMs();
    }
    if (kind === 'underrun') {
      turn.underrunBegan(at.sample, atMs);
      this.#dry = { turn, frame };
    }
    this.#handlers.heard(turn);
  }

  /** Everything before the play head has been heard. */
  #follow({ head }: FeederReport): void {
    const at = this.#hearings.findIndex(({ turn }) => turn.id === head?.turn);
    if (at < 0 || !head) return;
    this.#hearings.forEach((hearing, index) => {
      if (index < at) this.#hear(hearing, hearing.turn.samples);
      if (index === at) this.#hear(hearing, head.sample);
    });
    this.#hearings = this.#hearings.filter(
      ({ turn, complete, played }, index) => index > at || !complete || played < turn.samples,
    );
  }

  #hear(hearing: Hearing, played: number): void {
    const { turn } = hearing;
    if (!hearing.hasBegun && played > 0) {
      // A turn that follows another without a break has no event of its own.
      const frame = this.#player.heardFrameOf(turn.id, 0);
      if (frame !== null) {
        hearing.hasBegun = true;
        turn.heardFrom(0, this.#wallMsOf(frame));
      }
    }
    hearing.played = Math.max(hearing.played, played);
    if (turn.played(hearing.played)) this.#handlers.heard(turn);
  }

  /** The turn that is to be heard next has enough to start with. One that waits for another's end needs no floor. */
  #noteFloor(turn: Turn, seconds: number): void {
    if (this.#sampleRate === null || this.#hearings[0]?.turn !== turn) return;
    if (seconds * 1000 >= this.#player.floor.floorMs) turn.floorReachedMs ??= this.#environment.nowMs();
  }

  /** Keeps a turn's samples, and lets go of the oldest finished ones where that makes too many. */
  #keep(turn: Turn): void {
    if (turn.replayable) return;
    turn.replayable = true;
    this.#kept.push(turn);
    let seconds = this.#kept.reduce((sum, { id }) => sum + this.#secondsOf(id), 0);
    this.#kept = this.#kept.filter((old) => {
      if (seconds <= this.#keptSeconds || old === turn || !old.isOver) return true;
      seconds -= this.#secondsOf(old.id);
      this.#player.forget(old.id);
      old.replayable = false;
      this.#handlers.heard(old);
      return false;
    });
  }

  #secondsOf(turn: number): number {
    const store = this.#player.store(turn);
    return store ? store.length / store.sampleRate : 0;
  }

  /** When what plays at an audio frame leaves the speakers; before the first anchor, the best guess is now. */
  #wallMsOf(frame: number): number {
    return this.#clock?.wallMsOf(frame) ?? this.#environment.nowMs();
  }

  #msOf(samples: number): number {
    return this.#sampleRate === null ? 0 : (samples / this.#sampleRate) * 1000;
  }
}

/** Whether there is anything new to show. */
const hasChanged = (before: FeederReport | null, now: FeederReport): boolean =>
  before === null ||
  before.state !== now.state ||
  before.epoch !== now.epoch ||
  before.queuedSamples !== now.queuedSamples ||
  before.head?.turn !== now.head?.turn ||
  before.head?.sample !== now.head?.sample;
