import { type CallPort, connectCalls, type Remote } from '#lib/worker-calls.ts';
import { endpointNamed } from '#protocol/registry.ts';
import type { EntryBatch, EntrySource } from '#recordings/entry-source.ts';
import type { Command, Report } from '../commands.ts';
import type { SessionEnvironment } from '../link.ts';
import type { EndpointSession, EndpointSessionOptions } from '../session.ts';
import { type Impairments, NO_IMPAIRMENTS } from './impairments.ts';
import { type ReplayListener, ReplayRun } from './replay-run.ts';
import {
  MAX_SPEED,
  MIN_SPEED,
  type ReplayControl,
  type ReplayedRecording,
  type ReplayState,
  type ReplayView,
} from './replay-view.ts';

export interface ReplayOptions extends Pick<EndpointSessionOptions, 'openTracks' | 'openWordSearcher'> {
  environment: SessionEnvironment;
  report: (report: Report) => void;
  /** Returns a number that no other run has. */
  nextRun: () => number;
  giveOutput: (session: EndpointSession) => void;
  recording: ReplayedRecording;
  /** Leads to the recordings worker, which serves an `EntrySource`. */
  port: CallPort & { close(): void };
}

/** Least time between two reports of the position. */
const REPORT_EVERY_MS = 100;

/**
 * The replay of a recording, or the session of another client whose recording is followed as it grows. A seek backwards
 * starts a new run. Entries are fetched in batches, to bound memory.
 */
export class Replay implements ReplayListener {
  readonly #options: ReplayOptions;
  readonly #entries: Remote<EntrySource>;
  #hasEnded = false;
  #run: ReplayRun | null = null;
  /** A replay follows once what was followed has ended. */
  #follows: boolean;
  #isListening = false;
  #durationUs: number;
  #number = 0;
  #next = 0;
  #isFetching = false;
  #wantsMore = false;
  #isPlaying = true;
  #speed = 1;
  #impairments: Impairments = NO_IMPAIRMENTS;
  #problem: string | null = null;
  #reportedMs = Number.NEGATIVE_INFINITY;
  #cancelReport: (() => void) | null = null;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#follows = options.recording.follows === true;
    this.#durationUs = options.recording.durationUs;
    this.#entries = connectCalls<EntrySource>(options.port).calls;
    this.#begin(0);
  }

  /** Null where the recording cannot be replayed. */
  get session(): EndpointSession | null {
    return this.#run?.session ?? null;
  }

  /** The session that may have the output; null also during a seek, and where nobody listens to another client. */
  get heard(): EndpointSession | null {
    const isSilent = this.#run?.isForwarding || (this.#follows && !this.#isListening);
    return isSilent ? null : this.session;
  }

  control(control: ReplayControl): void {
    const run = this.#run;
    const isOfBoth = control.do === 'play' || control.do === 'listen';
    if (!run || (this.#follows && !isOfBoth)) return;
    switch (control.do) {
      case 'play':
        // A run that was paused behind its last entry may still have audio to play.
        if (this.#problem !== null || (run.isOver && this.#isPlaying)) {
          if (run.isOver) this.#follows = false;
          this.#begin(0);
        }
        this.#isPlaying = true;
        this.#run?.play();
        break;
      case 'pause':
        this.#isPlaying = false;
        run.pause();
        break;
      case 'speed':
        this.#speed = Math.min(MAX_SPEED, Math.max(MIN_SPEED, control.speed));
        run.clock.setSpeed(this.#speed);
        break;
      case 'listen':
        this.#listen(run, control.isListening);
        break;
      case 'seek':
        if (control.toMs >= run.clock.nowMs() && !run.isForwarding) this.#forward(run, control.toMs);
        else this.#begin(control.toMs);
        break;
      case 'impair':
        this.#impairments = control.impairments;
        this.#begin(0);
        break;
    }
    this.#report();
  }

  /** Speech that lasts stops the replay too, as it stops live speech: the next turns must not begin. */
  talkOver(command: Extract<Command, { type: 'talkOver' }>): void {
    const { kind } = command.speech;
    const run = this.#run;
    run?.session.handle(command);
    if (run && !run.isOver && (kind === 'cancel' || kind === 'confirm')) this.control({ do: 'pause' });
  }

  dispose(): void {
    this.#run?.dispose();
    this.#run = null;
    this.#cancelReport?.();
    this.#hasEnded = true;
    this.#options.port.close();
  }

  #begin(fromMs: number): void {
    const { environment, report, nextRun, giveOutput, recording, openTracks, openWordSearcher } =
      this.#options;
    this.#run?.dispose();
    this.#run = null;
    const endpoint = endpointNamed(recording.endpoint);
    if (!endpoint) {
      this.#fail(`No endpoint here is called “${recording.endpoint}”, so nobody knows what its frames mean.`);
      return;
    }
    const number = nextRun();
    this.#number = number;
    const run = new ReplayRun({
      environment,
      endpoint,
      address: recording.address,
      impairments: this.#impairments,
      ...(openTracks ? { openTracks } : {}),
      ...(openWordSearcher ? { openWordSearcher } : {}),
      report: (update) => {
        if (number === this.#number) report({ type: 'update', update, run: number });
      },
      follows: this.#follows,
      listener: this,
    });
    this.#run = run;
    this.#next = 0;
    this.#problem = null;
    run.clock.setSpeed(this.#speed);
    this.#report();
    if (this.#isPlaying) run.play();
    if (fromMs > 0) this.#forward(run, fromMs);
    else {
      if (this.heard) giveOutput(run.session);
      this.wantsMore();
    }
  }

  /** The client's audio of before is not played, because the client has mostly played it itself. */
  #listen(run: ReplayRun, isListening: boolean): void {
    if (!this.#follows || isListening === this.#isListening) return;
    this.#isListening = isListening;
    run.leaveOutPast();
    if (isListening) this.#options.giveOutput(run.session);
    else run.session.handle({ type: 'detachPlayer' });
  }

  #forward(run: ReplayRun, toMs: number): void {
    run.session.handle({ type: 'detachPlayer' });
    run.forwardTo(Math.round(toMs * 1000), () => {
      this.#options.giveOutput(run.session);
      this.#report();
    });
    if (this.#next === 0) this.wantsMore();
  }

  wantsMore(): void {
    // A batch on its way may be for the last run. The next request follows it.
    if (this.#isFetching) {
      this.#wantsMore = true;
      return;
    }
    this.#isFetching = true;
    this.#wantsMore = false;
    this.#entries.batch(this.#next).then(
      (batch) => this.#take(batch),
      (error: Error) => {
        this.#isFetching = false;
        if (!this.#hasEnded) this.#fail(error.message);
      },
    );
  }

  #take({ entries, isLast, tail }: EntryBatch): void {
    if (this.#hasEnded) return;
    this.#isFetching = false;
    const isExpected = entries[0] === undefined ? isLast : entries[0].index === this.#next;
    if (isExpected) {
      this.#next += entries.length;
      this.#wantsMore = false;
      this.#durationUs = Math.max(this.#durationUs, entries.at(-1)?.atUs ?? 0);
      this.#run?.add(entries, isLast, tail);
      if (this.#follows && !this.#isListening) this.#run?.leaveOutPast();
    }
    if (this.#wantsMore || !isExpected) this.wantsMore();
  }

  #fail(problem: string): void {
    this.#run?.pause();
    this.#problem = problem;
    this.#report();
  }

  #state(): ReplayState {
    const run = this.#run;
    if (this.#problem !== null || !run) return 'failed';
    if (run.isForwarding) return 'seeking';
    return run.isOver ? 'ended' : 'playing';
  }

  moved(): void {
    if (this.#cancelReport) return;
    const { environment } = this.#options;
    const waitMs = Math.max(0, this.#reportedMs + REPORT_EVERY_MS - environment.nowMs());
    this.#cancelReport = environment.after(waitMs, () => this.#report());
  }

  #report(): void {
    this.#cancelReport?.();
    this.#cancelReport = null;
    const nowMs = this.#options.environment.nowMs();
    this.#reportedMs = nowMs;
    const run = this.#run;
    // A recording that is followed has no end yet.
    const endMs = this.#follows && !run?.isOver ? Number.POSITIVE_INFINITY : this.#durationUs / 1000;
    const replay: ReplayView = {
      recording: { ...this.#options.recording, durationUs: this.#durationUs },
      run: this.#number,
      state: this.#state(),
      isPaused: !this.#isPlaying,
      followed: this.#follows ? { isListening: this.#isListening } : null,
      positionMs: Math.min(run?.clock.nowMs() ?? 0, endMs),
      atMs: nowMs,
      speed: this.#speed,
      impairments: this.#impairments,
      index: run?.index ?? -1,
      missing: run?.missing ?? 0,
      problem: this.#problem,
    };
    this.#options.report({ type: 'replay', replay });
  }
}
