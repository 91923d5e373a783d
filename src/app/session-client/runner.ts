import { wallMs } from '#lib/wall-clock.ts';
import type { StereoGains } from '#player/stereo-gains.ts';
import type { Endpoint, EndpointId, Settings } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT, type Usage } from '#protocol/core/speech-event.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { LineSource } from '#session/commands.ts';
import type { Problem, TurnView } from '#session/views.ts';
import { SessionClient, SessionOwner } from './session-client.ts';
import type { SessionState } from './session-state.ts';
import { RunSpeech, type SpeechOutcome, type SpeechUntil, STALLED_AFTER_MS, waitFor } from './speech.ts';

/** The configuration of a run. It contains an API key, so it is never stored. */
export interface RunConfig {
  endpoint: EndpointId;
  /** WebSocket base with host and prefix, without a trailing slash. */
  base: string;
  key: string;
  settings: Settings;
  /** Settings of the one speaker's context, with the voice. Read only where the endpoint has contexts. */
  speaker: Settings;
  source: LineSource;
}

export interface RunOptions {
  /** `warm` (the default): on a connection that is open already. `cold`: on a new one. */
  connection?: 'warm' | 'cold';
  until?: SpeechUntil;
}

export interface RunResult {
  /** First turn; null where the run failed before its first text. */
  turn: TurnView | null;
  /** All turns: a server that ends a turn while a slow model writes makes several of one text. */
  turns: readonly TurnView[];
  problems: readonly Problem[];
  /** Wall clock of the request. On a cold connection, the handshake is between it and the first text. */
  askedMs: number;
  handshakeMs: number | null;
  connection: 'warm' | 'cold';
  /** Charge that the server reported, with the bill of the context; null where it reported none. */
  charged: Usage | null;
  outcome: SpeechOutcome;
}

const OUTPUT_WAIT_MS = 10_000;
/** A server may finish speaking before it closes. */
const CLOSE_WAIT_MS = 5000;

/** Runs one configuration as often as wanted, in a session, a worker and on a sound output of its own. */
export class Runner extends SessionOwner {
  readonly #endpoint: Endpoint;
  readonly #source: LineSource;
  readonly #disposed = new AbortController();
  /** Id of the one speaker, where the endpoint has contexts. */
  #speaker = '';
  #speakers = 0;
  #running: Promise<RunResult> | null = null;
  #speech: RunSpeech | null = null;

  constructor({ endpoint, base, key, settings, speaker, source }: RunConfig) {
    // A hidden page paints no frames, and a run must continue there.
    super((port) => new SessionClient(port, { endpoint, hasCast: false, isImmediate: true }));
    this.#endpoint = endpointOf(endpoint);
    this.#source = source;
    this.post({ type: 'target', target: { endpoint, base, key }, settings });
    this.setUp(settings, speaker);
    this.post({ type: 'listen', listening: 'together', pauseMs: 0 });
    // Ends with the first turn of this session. Another session's turn may overlap it.
    this.post({ type: 'warmUp' });
  }

  /** Changes the settings of later runs. A context keeps its voice to its end, so that each set-up has one of its own. */
  setUp(settings: Settings, speaker: Settings): void {
    this.post({ type: 'settings', settings });
    if (this.#endpoint.contexts) {
      this.#speakers += 1;
      this.#speaker = `speaker-${this.#speakers}`;
      this.post({ type: 'speakers', speakers: [{ id: this.#speaker, settings: speaker, keepOpen: false }] });
    }
    this.sound.expect(this.#endpoint.audioFormat(settings).sampleRate);
  }

  get #state(): SessionState {
    return this.client.state;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** First turn of the run under way, or of the last one; null before its text. */
  get turn(): TurnView | null {
    return this.#speech?.turns()[0] ?? null;
  }

  /**
   * Runs a text after the run before it. Failures are results; it rejects only after an abort, with its reason, and
   * after `dispose`. Needs a gesture, or one before on the page.
   */
  async run(text: string, signal: AbortSignal, options: RunOptions = {}): Promise<RunResult> {
    this.sound.wake();
    // An aborted run ends a moment later.
    while (this.#running) await this.#running.catch(() => undefined);
    this.#running = this.#run(text, signal, options);
    return await this.#running.finally(() => {
      this.#running = null;
    });
  }

  /** Opens output and connection for a warm run. Resolves to null, or to the reason why it could not. */
  connect(signal: AbortSignal): Promise<string | null> {
    return this.#prepare('warm', signal);
  }

  /** Has the session recorded over the port. */
  record(port: MessagePort): void {
    this.post({ type: 'attachRecordings', port }, [port]);
  }

  /** Has the session post its last entries and the end. */
  endRecording(): void {
    this.post({ type: 'endRecording' });
  }

  setGains(gains: StereoGains): void {
    this.sound.setTrackGain(this.#endpoint.contexts ? this.#speaker : ONLY_CONTEXT, gains);
  }

  /** Closes the connection, and suspends the output until `openSound`. Turns can still be repeated then. */
  rest(): void {
    if (this.#isConnected) this.client.send({ type: 'disconnect' });
    this.sound.hold(true);
  }

  /** Ends connection, output and worker. The state of the client stays readable. */
  override dispose(): void {
    this.#disposed.abort(new DOMException('The session was closed.', 'AbortError'));
    super.dispose();
  }

  /** Aborts with `signal`, and with the end of the session. */
  #orDisposed(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#disposed.signal]);
  }

  #wait(isReached: () => boolean, signal: AbortSignal, stalledAfterMs: number): Promise<boolean> {
    return waitFor(this.client, isReached, { signal: this.#orDisposed(signal), stalledAfterMs });
  }

  async #run(
    text: string,
    signal: AbortSignal,
    { connection = 'warm', until = 'heard' }: RunOptions,
  ): Promise<RunResult> {
    const speech = new RunSpeech(this.client);
    this.#speech = speech;
    this.client.dismissProblems(this.#state.problems);
    let askedMs = wallMs();
    const result = (outcome: SpeechOutcome): RunResult => {
      const turns = speech.turns();
      const { problems, charged } = speech;
      const { handshakeMs } = this.#state.connection;
      return { turn: turns[0] ?? null, turns, problems, askedMs, handshakeMs, connection, charged, outcome };
    };
    const obstacle = await this.#prepare(connection, signal);
    if (obstacle !== null) return result({ how: 'failed', reason: obstacle });
    askedMs = wallMs();
    const lines = [{ speaker: this.#speaker, text, line: 0 }];
    this.client.speak(this.#endpoint.contexts ? lines : text, this.#source);
    const done = result(await speech.over(this.#orDisposed(signal), until));
    // Drops audio that is not heard yet.
    if (until === 'ended' && done.outcome.how !== 'stalled') this.client.cancel();
    return done;
  }

  /** Opens the sound output. Resolves to null, or to the reason why it could not. */
  async openSound(signal: AbortSignal): Promise<string | null> {
    this.sound.wake();
    const hasSound = (): boolean =>
      this.sound.status.getState().isReady && this.#state.player.state !== 'detached';
    const failure = (): string | null => {
      const { failure, blocked } = this.sound.status.getState();
      return (
        failure?.reason ?? (blocked ? 'The browser blocks the sound. Press a button on the page.' : null)
      );
    };
    await this.#wait(() => hasSound() || failure() !== null, signal, OUTPUT_WAIT_MS);
    return hasSound() ? null : (failure() ?? 'The sound output could not be opened.');
  }

  /** Opens the sound before the connection, so that no wait includes it. Returns why it could not, or null. */
  async #prepare(connection: 'warm' | 'cold', signal: AbortSignal): Promise<string | null> {
    const obstacle = await this.openSound(signal);
    if (obstacle !== null) return obstacle;
    if (connection === 'warm') return await this.#connect(signal);
    const { state } = this.#state.connection;
    if (state === 'idle' || state === 'closed' || state === 'failed') return null;
    this.client.send({ type: 'disconnect' });
    const isGone = (): boolean => ['idle', 'closed', 'failed'].includes(this.#state.connection.state);
    const isClosed = await this.#wait(isGone, signal, CLOSE_WAIT_MS);
    return isClosed ? null : 'The connection before it could not be closed.';
  }

  get #isConnected(): boolean {
    return this.#state.connection.state === 'open';
  }

  async #connect(signal: AbortSignal): Promise<string | null> {
    if (this.#isConnected) return null;
    const attempt = new RunSpeech(this.client);
    this.client.send({ type: 'connect' });
    const isDone = (): boolean => this.#isConnected || attempt.failure !== null;
    await this.#wait(isDone, signal, STALLED_AFTER_MS);
    return this.#isConnected ? null : (attempt.failure ?? 'The server did not answer.');
  }
}
