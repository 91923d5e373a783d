import { speechLevel } from '#lib/speech-level.ts';
import type { FeederReport, PlayEvent, PlayedSamples } from '#player/feeder.ts';
import { Player } from '#player/player.ts';
import type { RingSink } from '#player/sink.ts';
import { beginsPlaying } from '#player/status.ts';
import type { AudioEvent } from '#protocol/core/speech-event.ts';
import type { DropReason } from '#recordings/format/player-entry.ts';
import type { SessionEnvironment } from '../environment.ts';
import type { Publisher } from '../publisher.ts';
import type { PlayerNews } from '../recorder/player-news.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { Turn } from '../turns/turn.ts';
import type { TrackView } from '../views.ts';
import { type AudioFinding, findingOf } from './audio-findings.ts';
import type { Samples } from './envelopes.ts';

/** After a clear the reader needs a quantum to say that it has followed; a suspended one says nothing for ever. */
const CLEAR_WATCH_MS = 500;

interface TrackParts {
  recorder: Recorder;
  publisher: Publisher;
  /** Maps an audio frame of the output to the wall time at which it leaves the speakers. */
  output: { wallMsOf(frame: number): number };
}

/** A turn that is being heard for the first time, or is about to be. */
interface Hearing {
  turn: Turn;
  complete: boolean;
}

/**
 * Between the turns of one context and the player's track: audio frames go in as they arrive, and what the player
 * reports comes back as times of turns and chunks on the wall clock.
 */
export class TrackPlayback {
  readonly context: string;
  readonly #environment: SessionEnvironment;
  readonly #recorder: Recorder;
  readonly #publisher: Publisher;
  readonly #output: TrackParts['output'];
  readonly #player = new Player();
  #sampleRate: number | null = null;
  /** Behind those of all its sinks, so that a halt that names one of theirs does not reach another's. */
  #nextEpoch = 0;
  /** In the order of hearing. */
  #hearings: Hearing[] = [];
  /** Dropped by the clear that began the epoch; the reader has yet to say how far it came. */
  #silenced: { turn: Turn; epoch: number }[] = [];
  /** Kept from being heard. */
  readonly #held = new Set<Turn>();
  /** Silenced while it was heard, and the audio thread has not said yet when it fell silent. */
  #fallingSilent: Turn | null = null;
  #latest: FeederReport | null = null;
  #reportedMs = 0;
  #clearedMs = Number.NEGATIVE_INFINITY;
  /** With how many samples a turn was complete. */
  readonly #completeWith = new WeakMap<Turn, number>();
  /** Where the last underrun began, while it lasts. */
  #dry: { turn: Turn; frame: number } | null = null;

  constructor(context: string, environment: SessionEnvironment, { recorder, publisher, output }: TrackParts) {
    this.context = context;
    this.#environment = environment;
    this.#recorder = recorder;
    this.#publisher = publisher;
    this.#output = output;
  }

  /** Something plays or is about to, so the play head must be read. */
  get isBusy(): boolean {
    const { sink } = this.#player;
    if (!sink || !this.#latest) return false;
    const { state, queuedSamples, epoch } = this.#latest;
    const isRecent = this.#environment.nowMs() - this.#clearedMs < CLEAR_WATCH_MS;
    return state !== 'idle' || queuedSamples > 0 || (epoch !== sink.epoch && isRecent);
  }

  /** Something of it is to be heard, now or later. */
  get isNeeded(): boolean {
    return this.isBusy || this.#hearings.length > 0 || this.#held.size > 0 || this.replaying !== null;
  }

  get isAttached(): boolean {
    return this.#player.sink !== null;
  }

  /** The rate of an output that what waits could play on. */
  get wantedSampleRate(): number | null {
    return this.#player.wantedSampleRate;
  }

  get transport(): RingSink['transport'] | null {
    return this.#player.sink?.transport ?? null;
  }

  /** Where the epochs of the next sink begin. */
  get nextEpoch(): number {
    return this.#nextEpoch;
  }

  /** The turn that is heard again, or null. */
  get replaying(): number | null {
    return this.#player.replaying;
  }

  attach(sink: RingSink, sampleRate: number): void {
    this.#sampleRate = sampleRate;
    this.#player.attach(sink, sampleRate);
    for (const { turn } of this.#hearings) {
      if (turn.played.length === 0 && turn.sampleRate === sampleRate)
        turn.outputMs ??= this.#environment.nowMs();
    }
    this.update();
  }

  detach(): void {
    this.update();
    const { sink } = this.#player;
    if (sink) this.#nextEpoch = (sink.epoch + 1) | 0;
    this.#note(this.#player.detach());
    this.settle();
    for (const { turn } of this.#hearings) turn.outputEnded();
    this.#sampleRate = null;
    this.#latest = null;
    this.#dry = null;
    this.#publisher.changed('player');
  }

  /** Takes the audio of a frame as far as it can be taken, and says how many samples it added to its turn. */
  receive(turn: Turn, event: AudioEvent, atMs: number): { samples: number; leadingSilence: number } {
    const { payload, encoding, sampleRate } = event;
    const taken = this.#player.receive(turn.id, payload, encoding, sampleRate, atMs);
    const finding = findingOf(event, taken);
    if (finding) this.#report(turn, finding);
    const store = this.#player.store(turn.id);
    if (!store || 'problem' in taken) return { samples: 0, leadingSilence: 0 };
    const { samples } = taken;
    if (!this.#hearings.some((hearing) => hearing.turn === turn)) {
      this.#hearings.push({ turn, complete: false });
    }
    this.#noteFloors();
    const before = store.length - samples;
    const audible = store.firstAudibleSample ?? store.length;
    return { samples, leadingSilence: Math.min(samples, Math.max(0, audible - before)) };
  }

  /** No more of the turn will come. Some servers say so twice: of its audio, and of the turn. */
  complete(turn: Turn): void {
    const store = this.#player.store(turn.id);
    const samples = store?.length ?? 0;
    if (this.#completeWith.get(turn) === samples) return;
    this.#completeWith.set(turn, samples);
    this.#player.complete(turn.id);
    if (store) turn.level = speechLevel(store.blocks(), store.sampleRate);
    const hearing = this.#hearings.find((candidate) => candidate.turn === turn);
    if (!hearing) return;
    hearing.complete = true;
    this.#noteFloors();
  }

  /** Keeps a turn from being heard until it is released; false where it is being heard already. */
  hold(turn: Turn): boolean {
    // What was heard up to here belongs to an epoch that holding back may end.
    this.update();
    const isHeld = this.#player.hold(turn.id);
    if (isHeld) {
      this.#held.add(turn);
      this.#noteFloors();
    }
    return isHeld;
  }

  release(turn: Turn): void {
    this.#held.delete(turn);
    this.#player.release(turn.id);
    this.update();
  }

  /** How much there is of a turn. */
  secondsOf(turn: number): number {
    const store = this.#player.store(turn);
    return store ? store.length / store.sampleRate : 0;
  }

  /** What has been received of a turn, while it is kept. */
  samplesOf(turn: number): Samples | undefined {
    return this.#player.store(turn);
  }

  /** The start floor as of now. */
  get floorMs(): number {
    return this.#player.floor.floorMs;
  }

  forget(turn: number): void {
    this.#player.forget(turn);
  }

  /** In place of whatever plays. False where there is no output at the turn's rate. */
  replay(turn: number, fromSample: number): boolean {
    const isReplaying = this.#player.replay(turn, fromSample);
    this.update();
    return isReplaying;
  }

  /** Silence: nothing that was queued is heard any more. Gives back the turns of which something was still to be heard. */
  clear(why: DropReason): Turn[] {
    const nowMs = this.#environment.nowMs();
    this.update();
    this.#player.clear();
    this.#clearedMs = nowMs;
    this.#endDry(nowMs);
    const turns = this.#hearings.map(({ turn }) => turn);
    const silenced = turns.filter(({ heardToMs }) => heardToMs === null);
    for (const turn of silenced) {
      this.#fallSilent(turn, nowMs);
    }
    this.#hearings = [];
    for (const turn of turns) this.#drop(turn, why);
    this.#held.clear();
    this.update();
    this.#publisher.changed('player');
    return silenced;
  }

  /** Silence for one turn: nothing more of it is heard, and all others of the track are. */
  silence(turn: Turn, why: DropReason): void {
    const nowMs = this.#environment.nowMs();
    this.update();
    this.#player.drop(turn.id);
    this.#clearedMs = nowMs;
    this.#held.delete(turn);
    if (this.#hearings.some((hearing) => hearing.turn === turn)) {
      this.#endDry(nowMs);
      this.#hearings = this.#hearings.filter((hearing) => hearing.turn !== turn);
      this.#fallSilent(turn, nowMs);
      this.#drop(turn, why);
    }
    this.update();
    this.#publisher.changed('player');
  }

  /** Tells of the turns that were dropped, by what is known of them now. */
  settle(): void {
    const silenced = this.#silenced;
    this.#silenced = [];
    for (const { turn } of silenced) this.#recordPlayed({ kind: 'heard', turn });
  }

  /** Turns of which something has been heard, and more is to be. */
  get beingHeard(): readonly Turn[] {
    return this.#hearings.map(({ turn }) => turn);
  }

  /** Reads the play head and passes on what has been heard since. */
  update(): void {
    const before = this.#latest;
    const report = this.#player.poll();
    this.#reportedMs = this.#environment.nowMs();
    this.#latest = report;
    if (!report) return;
    this.#note(report.played);
    if (this.#silenced.some(({ epoch }) => ((report.epoch - epoch) | 0) >= 0)) this.settle();
    for (const event of report.events) if (event.kind === 'cleared') this.#fellSilent(event);
    // What was silenced is of no account any more.
    const isCurrent = report.epoch === this.#player.sink?.epoch;
    if (isCurrent && this.#player.replaying === null) {
      for (const event of report.events) this.#heardEvent(event);
      this.#follow(report);
    }
    if (hasChanged(before, report)) this.#publisher.changed('player');
  }

  view(): TrackView {
    const report = this.#latest;
    const rate = this.#sampleRate;
    const { sink, floor } = this.#player;
    const isCurrent = report !== null && report.epoch === sink?.epoch;
    const head = isCurrent && report.state === 'playing' ? report.head : null;
    return {
      context: this.context,
      state: rate !== null && isCurrent ? stateOf(report) : 'idle',
      turn: head?.turn ?? null,
      sample: head?.sample ?? 0,
      atMs: head && report ? this.#output.wallMsOf(report.frame) : this.#reportedMs,
      epoch: sink?.epoch ?? this.#nextEpoch,
      bufferedSeconds: this.#bufferedSeconds(),
      peak: head && report ? report.peak : 0,
      floorMs: floor.floorMs,
      floorReason: floor.reason,
    };
  }

  #recordPlayed(news: PlayerNews): void {
    this.#recorder.played(news, this.#environment.nowMs());
  }

  /** Reports each kind of fault once per turn, because a server that frames audio wrongly does so in every frame. */
  #report(turn: Turn, finding: AudioFinding): void {
    if (!this.#publisher.hasProblem(turn.id, finding.title)) {
      this.#publisher.problem({ turn: turn.id, ...finding });
    }
  }

  /** An underrun goes on no longer than what it interrupted. */
  #endDry(nowMs: number): void {
    if (!this.#dry) return;
    const { turn, frame } = this.#dry;
    const lengthMs = Math.max(0, nowMs - this.#output.wallMsOf(frame));
    this.#underrunEnded(turn, lengthMs, Math.round((lengthMs / 1000) * (this.#sampleRate ?? 0)), 'silenced');
    this.#dry = null;
  }

  #underrunEnded(turn: Turn, lengthMs: number, samples: number, end: 'resumed' | 'silenced'): void {
    const underrun = turn.underrunEnded(lengthMs);
    if (!underrun) return;
    const { atMs, atSample } = underrun;
    this.#recordPlayed({ kind: 'underrun', turn, atMs, sample: atSample, samples, end });
  }

  /** The rest of the turn will not be heard. How much was is known when the reader has followed. */
  #drop(turn: Turn, why: DropReason): void {
    turn.dropped ??= { atMs: this.#environment.nowMs(), why };
    const { sink } = this.#player;
    if (!sink) {
      this.#recordPlayed({ kind: 'heard', turn });
      return;
    }
    const dropped = { turn, epoch: sink.epoch };
    this.#silenced.push(dropped);
    // An output that is suspended never says.
    this.#environment.after(CLEAR_WATCH_MS, () => {
      if (this.#silenced.includes(dropped)) this.settle();
    });
  }

  /** Adds what has left the player to its turns; a replay is not counted. */
  #note(played: readonly PlayedSamples[]): void {
    for (const run of played) {
      const turn = this.#turnOf(run);
      if (turn?.play(run, (frame) => this.#output.wallMsOf(frame))) this.#publisher.turnChanged(turn);
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
    this.#publisher.turnChanged(turn);
  }

  /** The page may have halted the audio thread before the turn was silenced here, or the clear has reached it since. */
  #fellSilent({ frame, at }: PlayEvent): void {
    if (at === null || this.#player.replaying !== null) return;
    const hearing = this.#hearings.find(({ turn }) => turn.id === at.turn)?.turn;
    const turn = this.#fallingSilent?.id === at.turn ? this.#fallingSilent : hearing;
    if (!turn) return;
    this.#fallingSilent = null;
    turn.fellSilent(this.#output.wallMsOf(frame));
    this.#publisher.turnChanged(turn);
  }

  #bufferedSeconds(): number {
    const rate = this.#sampleRate;
    const report = this.#latest;
    if (rate === null) return 0;
    const queued = report && report.epoch === this.#player.sink?.epoch ? report.queuedSamples : 0;
    return (queued + this.#player.waitingSamples) / rate;
  }

  #heardEvent({ kind, frame, epoch, at }: PlayEvent): void {
    if (epoch !== this.#player.sink?.epoch) return;
    const atMs = this.#output.wallMsOf(frame);
    if (this.#dry && kind === 'resumed') {
      const samples = frame - this.#dry.frame;
      this.#underrunEnded(this.#dry.turn, this.#msOf(samples), samples, 'resumed');
      this.#publisher.turnChanged(this.#dry.turn);
      this.#dry = null;
    }
    const hearing = at && this.#hearings.find(({ turn }) => turn.id === at.turn);
    if (!hearing || !at) return;
    const { turn } = hearing;
    if (beginsPlaying(kind)) {
      // Where the floor was not met, waiting for it came to its end here.
      turn.floorReachedMs ??= this.#environment.nowMs();
    }
    if (kind === 'underrun') {
      turn.underrunBegan(at.sample, atMs);
      this.#dry = { turn, frame };
    }
    this.#publisher.turnChanged(turn);
  }

  /** Everything before the play head has been heard. */
  #follow({ head }: FeederReport): void {
    const at = this.#hearings.findIndex(({ turn }) => turn.id === head?.turn);
    if (at < 0 || !head) return;
    const reached = this.#hearings.slice(0, at + 1);
    for (const [index, { turn }] of reached.entries()) {
      if (turn.playedTo(index < at ? turn.samples : head.sample)) this.#publisher.turnChanged(turn);
    }
    const over = reached.filter(({ turn, complete }) => complete && turn.playedSamples >= turn.samples);
    this.#hearings = this.#hearings.filter((hearing) => !over.includes(hearing));
    for (const { turn } of over) if (turn.samples > 0) this.#recordPlayed({ kind: 'heard', turn });
  }

  /**
   * Notes when a turn has enough audio to start with, also while no output is attached. Only the turn that is heard next
   * and held turns have a start floor. A turn that follows another on its own track needs none.
   */
  #noteFloors(): void {
    this.#hearings.forEach(({ turn, complete }, index) => {
      if (turn.floorReachedMs !== null || (index > 0 && !this.#held.has(turn))) return;
      const hasEnough = complete || this.secondsOf(turn.id) * 1000 >= this.#player.floor.floorMs;
      if (hasEnough) turn.floorReachedMs = this.#environment.nowMs();
    });
  }

  #msOf(samples: number): number {
    return this.#sampleRate === null ? 0 : (samples / this.#sampleRate) * 1000;
  }
}

/** What was queued a moment ago waits to be played, although the audio thread has not noticed it yet. */
const stateOf = ({ state, queuedSamples }: FeederReport): TrackView['state'] =>
  state === 'idle' && queuedSamples > 0 ? 'buffering' : state;

/** Whether there is anything new to show. */
const hasChanged = (before: FeederReport | null, now: FeederReport): boolean =>
  before === null ||
  before.state !== now.state ||
  before.epoch !== now.epoch ||
  before.queuedSamples !== now.queuedSamples ||
  before.head?.turn !== now.head?.turn ||
  before.head?.sample !== now.head?.sample;
