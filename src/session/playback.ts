import { Feeder, type FeederReport, type HeardEvent } from '../player/feeder.ts';
import { JitterEstimator } from '../player/jitter.ts';
import type { TrackPort } from '../player/messages.ts';
import type { PcmStore } from '../player/pcm-store.ts';
import { openSink } from '../player/sink.ts';
import type { AudioArchive } from './audio-archive.ts';
import type { Environment } from './environment.ts';
import type { ClockAnchor } from './messages.ts';
import type { PlayerView } from './model.ts';
import type { Turn } from './turn.ts';

/** After a clear the reader needs a quantum to say that it has followed; a suspended one says nothing for ever. */
const CLEAR_WATCH_MS = 500;

export interface PlaybackHandlers {
  changed(): void;
  /** Figures of a turn changed through what was heard. */
  heard(turn: Turn): void;
  /** The next turn's audio needs an output at another rate. */
  wantsSampleRate(sampleRate: number): void;
}

/** A turn on its way to the speakers. */
interface Item {
  turn: Turn;
  store: PcmStore;
  /** All samples before this one have left the speakers. */
  played: number;
  complete: boolean;
  isReplay: boolean;
  /** The feeder has it. */
  isFed: boolean;
  /** Its first sample has been heard. */
  hasBegun: boolean;
}

/**
 * What a session hears itself say: turns go to the player in order, and what the player reports comes back as times of
 * turns and chunks on the wall clock. Turns wait here while no output, or one of another rate, is attached.
 */
export class Playback {
  readonly #environment: Environment;
  readonly #archive: AudioArchive;
  readonly #handlers: PlaybackHandlers;
  readonly #jitter = new JitterEstimator();
  #feeder: Feeder | null = null;
  #sampleRate: number | null = null;
  #anchor: ClockAnchor | null = null;
  #items: Item[] = [];
  #report: FeederReport | null = null;
  #reportedMs = 0;
  #clearedMs = Number.NEGATIVE_INFINITY;
  /** Where the last underrun began, while it lasts. */
  #dry: { turn: Turn; frame: number } | null = null;

  constructor(environment: Environment, archive: AudioArchive, handlers: PlaybackHandlers) {
    this.#environment = environment;
    this.#archive = archive;
    this.#handlers = handlers;
  }

  /** Of the attached output; null where there is none. */
  get sampleRate(): number | null {
    return this.#sampleRate;
  }

  /** Something plays or is about to, so the play head must be read. */
  get isBusy(): boolean {
    if (!this.#feeder || !this.#report) return false;
    const { state, queuedSamples, epoch } = this.#report;
    const followsClear =
      epoch !== this.#feeder.sink.epoch && this.#environment.nowMs() - this.#clearedMs < CLEAR_WATCH_MS;
    return state !== 'idle' || queuedSamples > 0 || followsClear;
  }

  attach(port: TrackPort, sampleRate: number): void {
    this.detach();
    this.#feeder = new Feeder(openSink(port));
    this.#sampleRate = sampleRate;
    this.#setFloor();
    this.#feed();
    this.update();
  }

  detach(): void {
    this.update();
    this.#feeder?.sink.close();
    this.#feeder = null;
    this.#report = null;
    this.#sampleRate = null;
    // Another output has another clock.
    this.#anchor = null;
    this.#dry = null;
    for (const item of this.#items) item.isFed = false;
    this.#handlers.changed();
  }

  anchor(anchor: ClockAnchor): void {
    this.#anchor = anchor;
    this.#handlers.changed();
  }

  /** Samples of a turn have come into the archive. */
  arrived(turn: Turn, atMs: number, samples: number): void {
    const store = this.#archive.storeOf(turn);
    if (!store) return;
    let item = this.#items.find((candidate) => candidate.turn === turn && !candidate.isReplay);
    if (!item) {
      // What is new is worth more than what is repeated.
      if (this.#items.some((candidate) => candidate.isReplay)) this.clear();
      this.#jitter.beginTurn();
      item = newItem(turn, store);
      this.#items.push(item);
    }
    const rate = turn.sampleRate ?? this.#sampleRate;
    if (rate !== null) this.#jitter.frame(atMs, (samples / rate) * 1000);
    this.#setFloor();
    this.#feed();
    this.#noteFloor(item);
  }

  /** No more of the turn will come. */
  complete(turn: Turn): void {
    const item = this.#items.find((candidate) => candidate.turn === turn && !candidate.isReplay);
    if (!item || item.complete) return;
    item.complete = true;
    if (item.isFed) this.#feeder?.complete(turn.id);
    this.#noteFloor(item);
  }

  replay(turn: Turn, fromSample: number): void {
    const store = this.#archive.storeOf(turn);
    if (!store) return;
    this.clear();
    const played = Math.min(store.length, Math.max(0, Math.floor(fromSample)));
    this.#items.push({ ...newItem(turn, store), played, complete: true, isReplay: true });
    this.#feed();
  }

  stopReplay(): void {
    if (this.#items.some((item) => item.isReplay)) this.clear();
  }

  /** Silence: nothing that was queued is heard any more. */
  clear(): void {
    const nowMs = this.#environment.nowMs();
    this.update();
    this.#feeder?.clear();
    this.#clearedMs = nowMs;
    for (const { turn, isReplay } of this.#items) {
      if (isReplay) continue;
      turn.silenced(nowMs);
      this.#handlers.heard(turn);
    }
    this.#items = [];
    this.#dry = null;
    this.update();
    this.#handlers.changed();
  }

  /** Reads the play head and passes on what has been heard since. */
  update(): void {
    const feeder = this.#feeder;
    if (!feeder) return;
    feeder.pump();
    const report = feeder.poll();
    const isNews = hasChanged(this.#report, report);
    this.#report = report;
    this.#reportedMs = this.#environment.nowMs();
    for (const event of report.events) this.#heardEvent(event);
    if (report.epoch === feeder.sink.epoch) this.#follow(report);
    this.#feed();
    if (isNews) this.#handlers.changed();
  }

  view(): PlayerView {
    const report = this.#report;
    const rate = this.#sampleRate;
    const floor = this.#jitter.floor;
    const isCurrent = report !== null && report.epoch === this.#feeder?.sink.epoch;
    const head = isCurrent && report.state === 'playing' ? report.head : null;
    return {
      state: rate === null ? 'detached' : isCurrent ? report.state : 'idle',
      transport: this.#feeder?.sink.transport ?? null,
      turn: head?.turn ?? null,
      sample: head?.sample ?? 0,
      atMs: head && report ? this.#wallMsOf(report.frame) : this.#reportedMs,
      sampleRate: rate ?? 0,
      replaying: this.#items[0]?.isReplay ?? false,
      epoch: this.#feeder?.sink.epoch ?? 0,
      bufferedSeconds: rate === null || !report ? 0 : report.queuedSamples / rate,
      peak: head && report ? report.peak : 0,
      floorMs: floor.floorMs,
      floorReason: floor.reason,
    };
  }

  /** Hands turns to the feeder as far as they fit the output's rate. */
  #feed(): void {
    for (const [index, item] of this.#items.entries()) {
      if (!item.isFed) {
        if (!this.#fits(item)) {
          // What plays before it is played to the end first.
          if (index === 0 && item.turn.sampleRate !== null)
            this.#handlers.wantsSampleRate(item.turn.sampleRate);
          return;
        }
        item.isFed = true;
        this.#feeder?.enqueue(item.turn.id, item.store, item.played);
        if (item.complete) this.#feeder?.complete(item.turn.id);
      }
    }
    this.#feeder?.pump();
  }

  #fits({ turn }: Item): boolean {
    return this.#feeder !== null && turn.sampleRate === this.#sampleRate;
  }

  #heardEvent({ kind, frame, epoch, at }: HeardEvent): void {
    if (epoch !== this.#feeder?.sink.epoch) return;
    const item = at && this.#items.find((candidate) => candidate.turn.id === at.turn);
    const atMs = this.#wallMsOf(frame);
    if (this.#dry && (kind === 'resumed' || kind === 'ended')) {
      this.#dry.turn.underrunEnded(this.#ms(frame - this.#dry.frame));
      this.#handlers.heard(this.#dry.turn);
      this.#dry = null;
    }
    if (!item || !at || item.isReplay) return;
    const { turn } = item;
    if (kind === 'started' || kind === 'resumed' || kind === 'realigned') {
      item.hasBegun = true;
      turn.heardFrom(at.sample, atMs);
      turn.floorReachedMs ??= atMs - (this.#anchor?.outputLatencyMs ?? 0);
    }
    if (kind === 'underrun') {
      turn.underrunBegan(at.sample, atMs);
      this.#dry = { turn, frame };
      this.#jitter.underrun();
      this.#setFloor();
    }
    this.#handlers.heard(turn);
  }

  /** Everything before the play head has been heard. */
  #follow({ head }: FeederReport): void {
    if (!head) return;
    const at = this.#items.findIndex((item) => item.turn.id === head.turn && item.isFed);
    if (at < 0) return;
    for (const [index, item] of this.#items.slice(0, at + 1).entries()) {
      const played = index < at ? item.store.length : head.sample;
      this.#hear(item, Math.max(item.played, played));
    }
    this.#items = this.#items.filter(
      (item, index) => index > at || !item.complete || item.played < item.store.length,
    );
  }

  #hear(item: Item, played: number): void {
    const { turn, isReplay } = item;
    const first = item.played;
    item.played = played;
    if (isReplay) return;
    if (!item.hasBegun && played > first) {
      // A turn that follows another without a break has no event of its own.
      const frame = this.#feeder?.heardFrameOf(turn.id, first) ?? null;
      if (frame !== null) {
        item.hasBegun = true;
        turn.heardFrom(first, this.#wallMsOf(frame));
      }
    }
    if (turn.played(played)) this.#handlers.heard(turn);
  }

  /** The turn at the head of the line has enough to start with. */
  #noteFloor({ turn, store, complete }: Item): void {
    if (turn.floorReachedMs !== null || this.#items[0]?.turn !== turn || !this.#feeder) return;
    const rate = turn.sampleRate;
    const hasEnough = rate !== null && (store.length / rate) * 1000 >= this.#jitter.floor.floorMs;
    if (hasEnough || complete) turn.floorReachedMs = this.#environment.nowMs();
  }

  #setFloor(): void {
    const { floorMs, maxWaitMs } = this.#jitter.floor;
    const samplesPerMs = (this.#sampleRate ?? 0) / 1000;
    this.#feeder?.setFloor(floorMs * samplesPerMs, maxWaitMs * samplesPerMs);
  }

  /** When what plays at an audio frame leaves the speakers; without an anchor, the best guess is now. */
  #wallMsOf(frame: number): number {
    const anchor = this.#anchor;
    if (!anchor || this.#sampleRate === null) return this.#environment.nowMs();
    return anchor.wallMs + (frame / this.#sampleRate - anchor.contextTimeS) * 1000;
  }

  #ms(samples: number): number {
    return this.#sampleRate === null ? 0 : (samples / this.#sampleRate) * 1000;
  }
}

const newItem = (turn: Turn, store: PcmStore): Item => ({
  turn,
  store,
  played: 0,
  complete: false,
  isReplay: false,
  isFed: false,
  hasBegun: false,
});

/** Whether there is anything new to show. */
const hasChanged = (before: FeederReport | null, now: FeederReport): boolean =>
  before === null ||
  before.state !== now.state ||
  before.epoch !== now.epoch ||
  before.queuedSamples !== now.queuedSamples ||
  before.head?.turn !== now.head?.turn ||
  before.head?.sample !== now.head?.sample;
