import { AudioClock, type ClockAnchor } from '#player/clock.ts';
import type { TrackPort } from '#player/messages.ts';
import { openSink, TrackOpener, type Tracks } from '#player/sink.ts';
import type { AudioEvent } from '#protocol/core/speech-event.ts';
import type { DropReason } from '#recordings/format/player-entry.ts';
import type { Listening } from '#recordings/format/user-actions.ts';
import type { SessionEnvironment } from '../environment.ts';
import type { AudioFinding } from '../turns/audio-findings.ts';
import type { Turn } from '../turns/turn.ts';
import type { PlayerView, TrackView } from '../views.ts';
import type { Samples } from './envelopes.ts';
import { LineQueue } from './line-queue.ts';
import type { PlayerNews } from './player-news.ts';
import { TrackPlayback } from './track-playback.ts';

/** Audio kept for playing again, all turns together: 86 MB at 24 kHz. */
const KEPT_SECONDS = 30 * 60;

/** A track of a context that is gone keeps its ring, of 2 MiB, for so long in case it speaks again. */
const REST_AFTER_MS = 30_000;

export interface PlaybackHandlers {
  changed(): void;
  /** Figures of a turn changed through what was heard. */
  heard(turn: Turn): void;
  /** Something is wrong with an audio frame. */
  found(turn: Turn, finding: AudioFinding): void;
  /** An underrun is over, or a turn is, for the listener. */
  news(news: PlayerNews): void;
  /** A line cuts off the one before it. */
  bargeIn(turn: Turn): void;
  /** Something has become due to be heard, so the play head must be read again. */
  woken(): void;
  /** More may come for the context. */
  isLive(context: string): boolean;
}

interface Options {
  /** The worker's end of the output's port, as something that opens tracks. */
  openTracks?: (port: TrackPort) => Tracks;
  keptSeconds?: number;
}

/** All that is heard: a track for each context, in one output, and the order in which lines are heard. */
export class Playback {
  readonly #environment: SessionEnvironment;
  readonly #handlers: PlaybackHandlers;
  readonly #openTracks: (port: TrackPort) => Tracks;
  readonly #keptSeconds: number;
  readonly #lineQueue: LineQueue;
  /** By context, for good: what was heard of one can be heard again. */
  readonly #tracks = new Map<string, TrackPlayback>();
  /** By context: until its track is looked at, to see whether it is still needed. */
  readonly #watches = new Map<string, () => void>();
  /** They have no ring, until there is something to be heard of them. */
  readonly #resting = new Set<TrackPlayback>();
  #output: { tracks: Tracks; sampleRate: number; clock: AudioClock } | null = null;
  /** Turns that can be played again, oldest first. */
  #kept: Turn[] = [];
  /** Waits for an output at the turn's rate. */
  #waitingReplay: { turn: Turn; fromSample: number } | null = null;

  constructor(environment: SessionEnvironment, handlers: PlaybackHandlers, options: Options = {}) {
    this.#environment = environment;
    this.#handlers = handlers;
    this.#openTracks = options.openTracks ?? ((port) => new TrackOpener(port));
    this.#keptSeconds = options.keptSeconds ?? KEPT_SECONDS;
    this.#lineQueue = new LineQueue(environment, {
      hold: (turn) => {
        const isHeld = this.#track(turn.context).hold(turn);
        if (isHeld) handlers.heard(turn);
        return isHeld;
      },
      release: (turn) => {
        this.#track(turn.context).release(turn);
        handlers.heard(turn);
        handlers.woken();
      },
      bargeIn: (turn) => handlers.bargeIn(turn),
    });
  }

  /** Of the attached output; null where there is none. */
  get sampleRate(): number | null {
    return this.#output?.sampleRate ?? null;
  }

  /** Something plays or is about to, so the play head must be read. */
  get isBusy(): boolean {
    return this.#all.some((track) => track.isBusy);
  }

  /** The rate of an output that what waits could play on; null while something still plays on the one there is. */
  get wantedSampleRate(): number | null {
    if (this.isBusy) return null;
    const waiting = this.#all.find((track) => track.wantedSampleRate !== null);
    return this.#waitingReplay?.turn.sampleRate ?? waiting?.wantedSampleRate ?? null;
  }

  attach(port: TrackPort, sampleRate: number): void {
    this.detach();
    this.#output = { tracks: this.#openTracks(port), sampleRate, clock: new AudioClock(sampleRate) };
    for (const track of this.#all) if (!this.#resting.has(track)) this.#connect(track);
    const replay = this.#waitingReplay;
    this.#waitingReplay = null;
    if (replay) this.#track(replay.turn.context).replay(replay.turn.id, replay.fromSample);
    this.update();
  }

  detach(): void {
    for (const track of this.#all) this.#disconnect(track);
    this.#output?.tracks.end();
    this.#output = null;
    this.#handlers.changed();
  }

  /** @returns the drift of the audio clock by now, see `AudioClock` */
  anchor(anchor: ClockAnchor): number | null {
    this.#output?.clock.anchor(anchor);
    this.#handlers.changed();
    return this.#output?.clock.driftMs ?? null;
  }

  listen(listening: Listening, pauseMs: number): void {
    this.#lineQueue.listen(listening, pauseMs);
    this.update();
  }

  /** A line of a script, which is heard when it is its turn. */
  line(turn: Turn, interrupts: boolean): void {
    this.#lineQueue.add(turn, interrupts);
  }

  /** Takes the audio of a frame as far as it can be taken, and says how many samples it added to its turn. */
  receive(turn: Turn, event: AudioEvent, atMs: number): { samples: number; leadingSilence: number } {
    return this.#track(turn.context).receive(turn, event, atMs);
  }

  /** What has been received of a turn, while it is kept. */
  samplesOf(turn: Turn): Samples | undefined {
    return this.#tracks.get(turn.context)?.samplesOf(turn.id);
  }

  /** The start floor of a context as of now. */
  floorMsOf(context: string): number {
    return this.#tracks.get(context)?.floorMs ?? 0;
  }

  /** No more of the turn will come. */
  complete(turn: Turn): void {
    this.#tracks.get(turn.context)?.complete(turn);
    this.#lineQueue.advance();
  }

  /** The server has closed the context. Its track lets go of its ring where nothing of it is heard for a while. */
  contextEnded(context: string): void {
    this.#watches.get(context)?.();
    const callOff = this.#environment.after(REST_AFTER_MS, () => {
      this.#watches.delete(context);
      const track = this.#tracks.get(context);
      if (!track || this.#handlers.isLive(context)) return;
      if (track.isNeeded) this.contextEnded(context);
      else {
        this.#disconnect(track);
        this.#resting.add(track);
      }
    });
    this.#watches.set(context, callOff);
  }

  /** In place of whatever plays; waits for an output at the turn's rate where there is another. */
  replay(turn: Turn, fromSample: number): void {
    const track = this.#track(turn.context);
    const from = Math.max(0, Math.floor(fromSample));
    if (turn.sampleRate === null || !(from < track.secondsOf(turn.id) * turn.sampleRate)) return;
    this.clear(null, 'replay');
    if (!track.replay(turn.id, from)) this.#waitingReplay = { turn, fromSample: from };
    this.update();
  }

  stopReplay(): void {
    if (this.#all.some((track) => track.replaying !== null) || this.#waitingReplay) {
      this.clear(null, 'replay');
    }
  }

  /**
   * A person stopped a replay, and the page has halted the output for it. Where it had just ended by itself, what was
   * halted has to go all the same, or the next turn would be silent with it.
   */
  replayStopped(): void {
    this.stopReplay();
    for (const track of this.#all) if (!track.isNeeded) track.clear('replay');
    this.#handlers.changed();
  }

  /**
   * Silence: nothing that was queued is heard any more, on one context or on all (null). Gives back the turns that were
   * to be heard for the first time and are not.
   */
  clear(context: string | null, why: DropReason): Turn[] {
    const meant = this.#all.filter((track) => context === null || track.context === context);
    const silenced = meant.flatMap((track) => track.clear(why));
    if (context === null) this.#waitingReplay = null;
    this.#lineQueue.clear(context);
    this.#handlers.changed();
    return silenced;
  }

  /** Silence for one turn, whatever else of its context is still to be heard. */
  silence(turn: Turn, why: DropReason): void {
    this.#tracks.get(turn.context)?.silence(turn, why);
  }

  /** Tells of what was dropped now, rather than when the audio thread has confirmed it. */
  settle(): void {
    for (const track of this.#all) track.settle();
  }

  /** Turns of which more is to be heard. */
  get beingHeard(): readonly Turn[] {
    return this.#all.flatMap((track) => track.beingHeard);
  }

  /** Nothing of the turn is heard, and whoever waits for its end waits no more. */
  skip(turn: Turn): void {
    this.silence(turn, 'replay');
    this.#lineQueue.skip(turn);
  }

  /** Reads the play heads and passes on what has been heard since. */
  update(): void {
    for (const track of this.#all) track.update();
    this.#lineQueue.advance();
  }

  view(): PlayerView {
    const tracks = this.#all.map((track) => track.view());
    return {
      state: this.#output === null ? 'detached' : busiest(tracks),
      transport: this.#all.find((track) => track.transport !== null)?.transport ?? null,
      sampleRate: this.#output?.sampleRate ?? 0,
      replaying: this.#all.some((track) => track.replaying !== null),
      tracks,
    };
  }

  get #all(): TrackPlayback[] {
    return [...this.#tracks.values()];
  }

  #track(context: string): TrackPlayback {
    let track = this.#tracks.get(context);
    if (!track) {
      track = new TrackPlayback(context, this.#environment, {
        changed: () => this.#handlers.changed(),
        heard: (turn) => this.#handlers.heard(turn),
        found: (turn, finding) => this.#handlers.found(turn, finding),
        began: (turn) => this.#keep(turn),
        news: (news) => this.#handlers.news(news),
        wallMsOf: (frame) => this.#output?.clock.wallMsOf(frame) ?? this.#environment.nowMs(),
      });
      this.#tracks.set(context, track);
      this.#connect(track);
    } else if (this.#resting.delete(track)) {
      this.#connect(track);
      // It may be wanted for a replay alone, after which nobody says again that its context is closed.
      if (!this.#handlers.isLive(context)) this.contextEnded(context);
    }
    return track;
  }

  #disconnect(track: TrackPlayback): void {
    if (!track.isAttached) return;
    track.detach();
    this.#output?.tracks.close(track.context);
  }

  #connect(track: TrackPlayback): void {
    if (!this.#output) return;
    const { tracks, sampleRate } = this.#output;
    track.attach(openSink(tracks.open(track.context), { startEpoch: track.nextEpoch }), sampleRate);
  }

  /** Keeps a turn's samples, and lets go of the oldest finished ones where that makes too many. */
  #keep(turn: Turn): void {
    if (turn.replayable) return;
    turn.replayable = true;
    this.#kept.push(turn);
    // What is only looked at needs no ring.
    const secondsOf = (one: Turn): number => this.#tracks.get(one.context)?.secondsOf(one.id) ?? 0;
    let seconds = this.#kept.reduce((sum, one) => sum + secondsOf(one), 0);
    this.#kept = this.#kept.filter((old) => {
      if (seconds <= this.#keptSeconds || old === turn || !old.isOver) return true;
      seconds -= secondsOf(old);
      this.#tracks.get(old.context)?.forget(old.id);
      old.replayable = false;
      this.#handlers.heard(old);
      return false;
    });
  }
}

function busiest(tracks: readonly TrackView[]): TrackView['state'] {
  if (tracks.some(({ state }) => state === 'playing')) return 'playing';
  return tracks.some(({ state }) => state === 'buffering') ? 'buffering' : 'idle';
}
