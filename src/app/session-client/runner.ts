import { wallMs } from '#lib/wall-clock.ts';
import type { StereoGains } from '#player/messages.ts';
import type { EndpointId, Settings } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT, type Usage } from '#protocol/core/speech-event.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { LineSource } from '#session/messages.ts';
import type { Mark, Problem, SessionUpdate, TurnView } from '#session/views.ts';
import { chargeOf } from './charge.ts';
import {
  isRunOver,
  outcomeOf,
  problemsAfter,
  progressOf,
  type RunOutcome,
  type RunUntil,
  turnsAfter,
} from './run-state.ts';
import { applyUpdate, emptySession, type SessionState } from './session-store.ts';
import { openSessionWorker, type SessionWorker } from './session-worker.ts';
import { Sound } from './sound.ts';
import { Waiting } from './waiting.ts';

/** What is run: where, as whom, with which settings, and how the text goes out. It holds a key, so it is never kept. */
export interface RunConfig {
  endpoint: EndpointId;
  /** WebSocket base with host and prefix, without a trailing slash. */
  base: string;
  key: string;
  settings: Settings;
  /** What the one speaker's context is opened with, voice included; looked at where the endpoint has contexts. */
  speaker: Settings;
  source: LineSource;
}

export interface RunnerOptions {
  /** Gain 0 on a real output: the wait to the first audible sample is measured through the player, heard or not. */
  muted: boolean;
  /** Called with every report that changed the newest turn of the run; up to once per animation frame. */
  onUpdate?(turn: TurnView): void;
}

export interface RunOptions {
  /** `warm` (the default): on a connection that is open already. `cold`: on a new one. */
  connection?: 'warm' | 'cold';
  until?: RunUntil;
}

export interface RunResult {
  /** The first turn; null where it failed before any text went out. */
  turn: TurnView | null;
  /** All of them: a server that ends a turn while a slow model writes makes several of one text. */
  turns: readonly TurnView[];
  problems: readonly Problem[];
  /** What was sent, came and was opened, in the order of time. */
  marks: readonly Mark[];
  /** When the run was asked for, on the wall clock; on a cold connection the handshake lies between it and the text. */
  askedMs: number;
  /** Of the connection it ran on. */
  handshakeMs: number | null;
  connection: 'warm' | 'cold';
  /** What the server told of the charge, its context's bill included; null where it told nothing. */
  charged: Usage | null;
  outcome: RunOutcome;
}

/** A session of its own beside the page's: one configuration, run as often as wanted, on an output of its own. */
export interface Runner {
  /**
   * One run at a time. Failures are results; only an aborted `signal` rejects, with its reason, and a closed runner.
   */
  run(text: string, signal?: AbortSignal, options?: RunOptions): Promise<RunResult>;
  /** Opens output and connection, so that the next run is warm and starts at once. Null, or why it could not. */
  connect(signal?: AbortSignal): Promise<string | null>;
  /** Barge-in: silence first, then the rest. */
  cancel(): void;
  /** Plays a turn again out of memory; where another is playing, in its place. */
  replay(turn: number, fromSample?: number): void;
  stopReplay(): void;
  /** @param level 0 to 1 */
  setVolume(level: number, muted: boolean): void;
  /** How loud it is on each side. */
  setGains(gains: StereoGains): void;
  /** What the session reported last. */
  readonly state: SessionState;
  /** Of the run that is under way, or else of the last one. */
  readonly current: { turns: readonly TurnView[]; marks: readonly Mark[] };
  /** Called with every report, also outside of a run; returns what ends it. */
  subscribe(listener: () => void): () => void;
  /** Ends connection, output and worker. */
  close(): void;
}

/** Nothing has changed for so long: the run will not come to an end by itself. */
const STALLED_AFTER_MS = 20_000;
const OUTPUT_WAIT_MS = 10_000;
/** A server may speak to the end before it closes. */
const CLOSE_WAIT_MS = 5000;

/** Context of the one speaker, where there are contexts. */
const SPEAKER = 'speaker';

/** Call it in the handler of a gesture: the sound output is opened with it. */
export const openRunner = (config: RunConfig, options: RunnerOptions): Runner =>
  new SessionRunner(config, options);

class SessionRunner implements Runner {
  readonly #config: RunConfig;
  readonly #onUpdate: ((turn: TurnView) => void) | undefined;
  readonly #worker: SessionWorker;
  readonly #sound: Sound;
  readonly #context: string;
  readonly #waiting = new Waiting();
  readonly #listeners = new Set<() => void>();
  #state = emptySession();
  #marks: Mark[] = [];
  #isRunning = false;
  #isClosed = false;
  #soundReady = false;
  #soundFailure: string | null = null;
  #lastProblem = 0;
  /** Last turn before the run. */
  #turnBefore = 0;

  constructor(config: RunConfig, { muted, onUpdate }: RunnerOptions) {
    this.#config = config;
    this.#onUpdate = onUpdate;
    const endpoint = endpointOf(config.endpoint);
    this.#context = endpoint.contexts ? SPEAKER : ONLY_CONTEXT;
    this.#worker = openSessionWorker(
      (report) => {
        if (report.type === 'update') this.#receive(report.update);
      },
      (problem) => this.#receive({ problems: [problem] }),
    );
    this.#sound = new Sound({
      post: (command, transfer) => this.#worker.post(command, transfer),
      isBusy: () => this.#isRunning || ['playing', 'buffering'].includes(this.#state.player.state),
      changed: ({ blocked, failure }) => {
        if (blocked) this.#soundFailure = 'The browser holds the sound back. Press a button on the page.';
        if (blocked === false) this.#soundFailure = null;
        if (failure !== undefined) this.#soundFailure = failure;
        this.#waiting.check();
      },
      ready: () => {
        this.#soundReady = true;
        this.#waiting.check();
      },
    });
    this.#sound.setVolume(1, muted);
    const { base, key, settings, speaker } = config;
    this.#worker.post({ type: 'target', target: { endpoint: config.endpoint, base, key }, settings });
    if (endpoint.contexts) {
      this.#worker.post({
        type: 'speakers',
        speakers: [{ id: SPEAKER, settings: speaker, keepOpen: false }],
      });
      this.#worker.post({ type: 'listen', listening: 'together', pauseMs: 0 });
    }
    this.#sound.expect(endpoint.audioFormat(settings).sampleRate);
    this.#sound.wake();
  }

  get state(): SessionState {
    return this.#state;
  }

  get current(): Runner['current'] {
    return { turns: turnsAfter(this.#state, this.#turnBefore), marks: this.#marks };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async run(
    text: string,
    signal?: AbortSignal,
    { connection = 'warm', until = 'heard' }: RunOptions = {},
  ): Promise<RunResult> {
    if (this.#isRunning) throw new Error('A run is under way on this session.');
    this.#isRunning = true;
    try {
      return await this.#run(text, signal, connection, until);
    } catch (error) {
      if (!this.#isClosed) this.cancel();
      throw error;
    } finally {
      this.#isRunning = false;
    }
  }

  connect(signal?: AbortSignal): Promise<string | null> {
    return this.#prepare('warm', signal);
  }

  cancel(): void {
    this.#halt();
    this.#worker.post({ type: 'cancel' });
  }

  replay(turn: number, fromSample = 0): void {
    this.#sound.wake();
    this.#worker.post({ type: 'replay', turn, fromSample });
  }

  stopReplay(): void {
    this.#halt();
    this.#worker.post({ type: 'stopReplay' });
  }

  #halt(): void {
    for (const { context, epoch } of this.#state.player.tracks) this.#sound.halt(context, epoch);
  }

  setVolume(level: number, muted: boolean): void {
    this.#sound.setVolume(level, muted);
  }

  setGains(gains: StereoGains): void {
    this.#sound.setTrackGain(this.#context, gains);
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.end(new DOMException('The session was closed.', 'AbortError'));
    this.#listeners.clear();
    this.#sound.close();
    this.#worker.end();
  }

  async #run(
    text: string,
    signal: AbortSignal | undefined,
    connection: 'warm' | 'cold',
    until: RunUntil,
  ): Promise<RunResult> {
    const lastProblem = this.#lastProblem;
    for (const { id } of this.#state.problems) this.#worker.post({ type: 'dismissProblem', id });
    const contextsBefore = this.#state.contexts;
    this.#turnBefore = this.#state.turnIds.at(-1) ?? 0;
    const problems = (): Problem[] => problemsAfter(this.#state, lastProblem);
    const turns = (): TurnView[] => turnsAfter(this.#state, this.#turnBefore);
    this.#marks = [];
    let askedMs = wallMs();
    const result = (outcome: RunOutcome): RunResult => ({
      turn: turns()[0] ?? null,
      turns: turns(),
      problems: problems(),
      marks: this.#marks,
      askedMs,
      handshakeMs: this.#state.connection.handshakeMs,
      connection,
      charged: chargeOf(turns(), contextsBefore, this.#state.contexts),
      outcome,
    });

    const obstacle = await this.#prepare(connection, signal);
    if (obstacle !== null) return result({ failed: obstacle });
    askedMs = wallMs();
    this.#speak(text);
    const isOver = (): boolean => isRunOver(this.#state, { turns: turns(), problems: problems() }, until);
    const reached = await this.#waiting.until(isOver, {
      signal,
      stalledAfterMs: STALLED_AFTER_MS,
      progress: () => progressOf(this.#state),
    });
    const outcome: RunOutcome = reached
      ? outcomeOf(turns(), problems())
      : { failed: `Nothing happened for ${STALLED_AFTER_MS / 1000} s.` };
    const done = result(outcome);
    // What is left to be heard, or what a server that does not answer may still send.
    if (!reached || until === 'ended') this.cancel();
    return done;
  }

  /** Sound first, so that its opening is in no wait; then the connection. Null, or why it cannot be run. */
  async #prepare(connection: 'warm' | 'cold', signal: AbortSignal | undefined): Promise<string | null> {
    this.#sound.wake();
    const hasSound = (): boolean => this.#soundReady && this.#state.player.state !== 'detached';
    await this.#waiting.until(() => hasSound() || this.#soundFailure !== null, {
      signal,
      stalledAfterMs: OUTPUT_WAIT_MS,
    });
    if (!hasSound()) return this.#soundFailure ?? 'The sound output could not be opened.';
    if (connection === 'warm') return await this.#connect(signal);
    const { state } = this.#state.connection;
    if (state === 'idle' || state === 'closed' || state === 'failed') return null;
    this.#worker.post({ type: 'disconnect' });
    const isGone = (): boolean => ['idle', 'closed', 'failed'].includes(this.#state.connection.state);
    const isClosed = await this.#waiting.until(isGone, { signal, stalledAfterMs: CLOSE_WAIT_MS });
    return isClosed ? null : 'The connection before it could not be closed.';
  }

  get #isConnected(): boolean {
    return this.#state.connection.state === 'open';
  }

  async #connect(signal: AbortSignal | undefined): Promise<string | null> {
    if (this.#isConnected) return null;
    const lastProblem = this.#lastProblem;
    this.#worker.post({ type: 'connect' });
    const failure = (): string | null => {
      const [problem] = problemsAfter(this.#state, lastProblem);
      return problem ? `${problem.title}. ${problem.detail}` : null;
    };
    const isDone = (): boolean => this.#isConnected || failure() !== null;
    await this.#waiting.until(isDone, { signal, stalledAfterMs: STALLED_AFTER_MS });
    return this.#isConnected ? null : (failure() ?? 'The server did not answer.');
  }

  #speak(text: string): void {
    const { source, endpoint } = this.#config;
    if (endpointOf(endpoint).contexts) {
      const lines = [{ speaker: SPEAKER, text, line: 0 }];
      this.#worker.post({ type: 'perform', lines, source, closeAfter: true });
    } else if (source.kind === 'whole') this.#worker.post({ type: 'speak', text });
    else {
      const { profile, seed } = source;
      this.#worker.post({ type: 'simulate', text, profile, seed });
    }
  }

  #receive(update: SessionUpdate): void {
    if (update.wantedSampleRate !== undefined) {
      this.#soundReady = false;
      this.#sound.switchTo(update.wantedSampleRate);
    }
    if (update.marks) this.#marks.push(...update.marks);
    for (const { id } of update.problems ?? []) this.#lastProblem = Math.max(this.#lastProblem, id);
    this.#state = applyUpdate(this.#state, update);
    const newest = update.turns?.at(-1);
    if (newest) this.#onUpdate?.(newest);
    for (const listener of this.#listeners) listener();
    this.#waiting.check();
  }
}
