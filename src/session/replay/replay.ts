import { type CallPort, connectCalls, type Remote } from '#lib/worker-calls.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { EntryBatch, EntrySource } from '#recordings/entry-source.ts';
import type { SessionEnvironment } from '../environment.ts';
import type { Session, SessionOptions } from '../session.ts';
import { type Impairments, NO_IMPAIRMENTS } from './impairments.ts';
import {
  MAX_SPEED,
  MIN_SPEED,
  type ReplayControl,
  type ReplayedRecording,
  type ReplayState,
  type ReplayView,
} from './messages.ts';
import { ReplayRun } from './replay-run.ts';

export interface ReplayOptions extends Pick<SessionOptions, 'openTracks'> {
  environment: SessionEnvironment;
  recording: ReplayedRecording;
  /** Leads to the recordings worker, which serves an `EntrySource`. */
  port: CallPort & { close(): void };
  /** What the session of a run has to report. */
  report: (update: Parameters<SessionOptions['report']>[0], run: number) => void;
  /** How the replay stands. */
  changed: (view: ReplayView) => void;
  /** A number for a run that no other has. */
  nextRun: () => number;
  /** There is another session, which is to be given the output there is. */
  began: (session: Session) => void;
}

/** Told no more often than this while it goes on. */
const TELL_EVERY_MS = 100;

/**
 * A recording that is replayed: its runs, one after the other, since going back means beginning anew. Entries are fetched
 * some at a time, as they are needed, so that a long recording takes no more memory than a short one.
 */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #entries: Remote<EntrySource>;
  #hasEnded = false;
  #run: ReplayRun | null = null;
  /** Number of the present one. */
  #number = 0;
  #next = 0;
  #isFetching = false;
  #wantsMore = false;
  #isPlaying = true;
  #speed = 1;
  #impairments: Impairments = NO_IMPAIRMENTS;
  #problem: string | null = null;
  #toldMs = Number.NEGATIVE_INFINITY;
  #callOffTelling: (() => void) | null = null;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#entries = connectCalls<EntrySource>(options.port).calls;
    this.#begin(0);
  }

  /** Null where the recording cannot be replayed. */
  get session(): Session | null {
    return this.#run?.session ?? null;
  }

  /** The one that may have the output; null also while it is set forward, since nothing of that is to be heard. */
  get heard(): Session | null {
    return this.#run?.isForwarding ? null : this.session;
  }

  control(control: ReplayControl): void {
    const run = this.#run;
    if (!run) return;
    switch (control.do) {
      case 'play':
        // What is paused behind its last entry may still be heard; what has failed is tried anew.
        if (this.#problem !== null || (run.isOver && this.#isPlaying)) this.#begin(0);
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
      case 'seek':
        if (control.toMs >= run.clock.nowMs() && !run.isForwarding) this.#forward(run, control.toMs);
        else this.#begin(control.toMs);
        break;
      case 'impair':
        this.#impairments = control.impairments;
        this.#begin(0);
        break;
    }
    this.#tell();
  }

  /** Nothing more is done or heard. */
  end(): void {
    this.#run?.end();
    this.#run = null;
    this.#callOffTelling?.();
    this.#hasEnded = true;
    this.#options.port.close();
  }

  #begin(fromMs: number): void {
    const { environment, recording, openTracks, report, nextRun, began } = this.#options;
    this.#run?.end();
    this.#run = null;
    const endpoint = ENDPOINTS.find(({ id }) => id === recording.endpoint);
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
      report: (update) => {
        if (number === this.#number) report(update, number);
      },
      handlers: { wantsMore: () => this.#fetch(), moved: () => this.#tellSoon() },
    });
    this.#run = run;
    this.#next = 0;
    this.#problem = null;
    run.clock.setSpeed(this.#speed);
    this.#tell();
    if (this.#isPlaying) run.play();
    if (fromMs > 0) this.#forward(run, fromMs);
    else {
      began(run.session);
      this.#fetch();
    }
  }

  /** Silent meanwhile: what is passed is not heard. */
  #forward(run: ReplayRun, toMs: number): void {
    run.session.handle({ type: 'detachPlayer' });
    run.forwardTo(Math.round(toMs * 1000), () => {
      this.#options.began(run.session);
      this.#tell();
    });
    if (this.#next === 0) this.#fetch();
  }

  #fetch(): void {
    // A reply that is on its way may be for the run before; what it was asked for is asked for behind it.
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

  #take({ entries, isLast }: EntryBatch): void {
    if (this.#hasEnded) return;
    this.#isFetching = false;
    const isExpected = entries[0] === undefined ? isLast : entries[0].index === this.#next;
    if (isExpected) {
      this.#next += entries.length;
      this.#wantsMore = false;
      this.#run?.add(entries, isLast);
    }
    if (this.#wantsMore || !isExpected) this.#fetch();
  }

  #fail(problem: string): void {
    this.#run?.pause();
    this.#problem = problem;
    this.#tell();
  }

  #state(): ReplayState {
    const run = this.#run;
    if (this.#problem !== null || !run) return 'failed';
    if (run.isForwarding) return 'seeking';
    return run.isOver ? 'ended' : 'playing';
  }

  #tellSoon(): void {
    if (this.#callOffTelling) return;
    const { environment } = this.#options;
    const waitMs = Math.max(0, this.#toldMs + TELL_EVERY_MS - environment.nowMs());
    this.#callOffTelling = environment.after(waitMs, () => this.#tell());
  }

  #tell(): void {
    this.#callOffTelling?.();
    this.#callOffTelling = null;
    const nowMs = this.#options.environment.nowMs();
    this.#toldMs = nowMs;
    const run = this.#run;
    const endMs = this.#options.recording.durationUs / 1000;
    this.#options.changed({
      recording: this.#options.recording,
      run: this.#number,
      state: this.#state(),
      isPaused: !this.#isPlaying,
      positionMs: Math.min(run?.clock.nowMs() ?? 0, endMs),
      atMs: nowMs,
      speed: this.#speed,
      impairments: this.#impairments,
      index: run?.index ?? -1,
      missing: run?.missing ?? 0,
      problem: this.#problem,
    });
  }
}
