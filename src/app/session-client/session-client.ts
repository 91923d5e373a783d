import { createStore, type StoreApi } from 'zustand/vanilla';
import { wallMs } from '#lib/wall-clock.ts';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import {
  AUDIBLE,
  type Command,
  type LineSource,
  type Report,
  type ScriptLine,
  type SessionCommand,
} from '#session/commands.ts';
import type { ReplayView } from '#session/replay/replay-view.ts';
import type { Problem, SessionUpdate, TurnReport } from '#session/views.ts';
import { LateWorker } from '../browser/late-worker.ts';
import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';
import { paint } from '../browser/paint.ts';
import { noteLoudness, voiceGain, voiceKey } from '../stores/listening-store.ts';
import { Playheads } from './played.ts';
import { SessionSelection } from './selection.ts';
import { applyUpdate, emptySession, isOnlyRepeat, type SessionState, selectBusy } from './session-state.ts';
import { Sound } from './sound.ts';
import { EnvelopeStore } from './timeline/envelope-store.ts';
import { LaneStore } from './timeline/lane-store.ts';
import { TimelineState } from './timeline/timeline-state.ts';

/** The worker answers at once. */
const SAMPLES_WAIT_MS = 5000;

/** Destination of a session client's commands, with the sound output of its session. */
export interface SessionPort {
  readonly sound: Sound;
  post(command: Command, transfer?: Transferable[]): void;
}

export interface SessionClientOptions {
  endpoint: EndpointId;
  /** The session has the speakers of the page's scene. A run has a single speaker outside of the scene. */
  hasCast: boolean;
  /** Publishes reports at once, because a hidden page gets no animation frames. */
  isImmediate?: boolean;
}

/**
 * The page's object for one session: commands go to the worker, and reports change the state at most once a frame.
 * Neither audio nor protocol frames pass through it. The live session, a replay, each run of a benchmark and each side
 * of a comparison are instances. A panel shows the instance of its provider.
 */
export class SessionClient {
  readonly store: StoreApi<SessionState>;
  readonly hasCast: boolean;
  readonly isImmediate: boolean;
  /** Marks and envelopes grow with every frame, so the store does not contain them. */
  readonly marks = new LaneStore();
  readonly envelopes = new EnvelopeStore();
  readonly selection = new SessionSelection();
  readonly timeline = new TimelineState(this.marks, this.envelopes, this.selection, () => paint.request());
  playheads = new Playheads();
  protected readonly port: SessionPort;
  readonly #leavePaint = paint.add(() => {
    this.#publish();
    return false;
  });
  /** State after the last report; ahead of the store until the next frame. */
  #latest: SessionState;

  constructor(port: SessionPort, { endpoint, hasCast, isImmediate = false }: SessionClientOptions) {
    this.port = port;
    this.hasCast = hasCast;
    this.isImmediate = isImmediate;
    this.#latest = emptySession(endpoint);
    this.store = createStore<SessionState>()(() => this.#latest);
  }

  get state(): SessionState {
    return this.store.getState();
  }

  get sound(): Sound {
    return this.port.sound;
  }

  /** The session that sends: a replay has none of its own. */
  get sender(): SessionClient {
    return this;
  }

  /** Sends a command to the session. A command of `AUDIBLE` needs a gesture. */
  send(command: SessionCommand): void {
    if (AUDIBLE.has(command.type) || command.type === 'connect') this.aim();
    if (AUDIBLE.has(command.type)) this.sound.wake();
    if (command.type === 'speak' || command.type === 'perform') paint.voiceBegins();
    this.port.post(command);
  }

  /** Speaks a text, or the lines of several speakers, and shows them on the timeline. @param closeAfter closes each context behind its last line */
  speak(spoken: string | readonly ScriptLine[], source: LineSource, closeAfter = true): void {
    this.timeline.follow(true);
    if (typeof spoken !== 'string') this.send({ type: 'perform', lines: spoken, source, closeAfter });
    else if (source.kind === 'whole') this.send({ type: 'speak', text: spoken });
    else this.send({ type: 'simulate', text: spoken, profile: source.profile, seed: source.seed });
  }

  /** Aims the session, before anything connects. One with a target of its own was aimed when it began. */
  aim(): void {}

  /** Cancels a context, or all: silences the output first, then ends what is under way. */
  cancel(context?: string): void {
    const pressedMs = wallMs();
    const isRepeat = isOnlyRepeat(this.#latest, context ?? null);
    this.halt(context ?? null);
    if (isRepeat) this.port.post({ type: 'stopRepeat' });
    else this.port.post({ type: 'cancel', pressedMs, ...(context === undefined ? {} : { context }) });
  }

  /** @param immediate a barge-in: the context is silent at once */
  closeContext(context: string, immediate: boolean): void {
    if (immediate) this.halt(context);
    this.send({ type: 'closeContext', context, immediate });
  }

  /** Repeats a turn from memory, in place of a turn that plays. Needs a gesture. */
  repeatTurn(turn: number, fromSample = 0): void {
    this.sound.wake();
    this.#setGain(this.#latest.turns.get(turn));
    this.port.post({ type: 'repeat', turn, fromSample });
  }

  stopRepeat(): void {
    this.halt(null);
    this.port.post({ type: 'stopRepeat' });
  }

  /** Resolves to the received samples of a turn; null once they are not kept any more, or the worker has stopped. */
  samplesOf(turn: number): Promise<Int16Array | null> {
    const { port1, port2 } = new MessageChannel();
    this.port.post({ type: 'takeSamples', turn, port: port2 }, [port2]);
    return new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
      setTimeout(() => resolve(null), SAMPLES_WAIT_MS);
    });
  }

  /** Lets the microphone's detector interrupt what is spoken, past the page. */
  attachMicrophone(port: MessagePort): void {
    this.port.post({ type: 'attachMicrophone', port }, [port]);
  }

  dismissProblems(problems: readonly Problem[]): void {
    this.port.post({ type: 'dismissProblems', ids: problems.map(({ id }) => id) });
  }

  receive(update: SessionUpdate): void {
    if (update.marks) this.marks.append(update.marks);
    if (update.envelopes) this.envelopes.take(update.envelopes);
    if (update.player?.state === 'buffering' && this.#latest.player.state !== 'buffering')
      paint.voiceBegins();
    for (const turn of update.turns ?? []) this.#noteVoice(turn);
    this.change(applyUpdate(this.#latest, update), this.isImmediate);
  }

  /** Removes the client from the frame scheduler. Its state stays readable. */
  dispose(): void {
    this.#leavePaint();
    this.#publish();
  }

  /** Changes the state: now, or with the next frame, so that panels render once for all reports of a frame. */
  protected change(change: Partial<SessionState>, isNow = true): void {
    this.#latest = { ...this.#latest, ...change };
    if (isNow) this.#publish();
    else paint.request();
  }

  /** Clears the state for another session with new turns. The timeline keeps its scale. */
  protected reset(): void {
    this.#latest = emptySession(this.#latest.endpoint);
    this.marks.clear();
    this.envelopes.clear();
    this.playheads = new Playheads();
    this.selection.clear();
    this.timeline.follow(true);
  }

  /** Silences a context on the output, or all (null). The session continues. */
  halt(context: string | null): void {
    for (const track of this.#latest.player.tracks) {
      if (context === null || track.context === context) this.sound.halt(track.context, track.epoch);
    }
  }

  #noteVoice(turn: TurnReport): void {
    const known = this.#latest.turns.get(turn.id);
    if (turn.loudness !== null && turn.loudness !== known?.loudness)
      noteLoudness(voiceKey(turn.endpoint, turn.voice), turn.loudness);
    if (!known) this.#setGain(turn);
  }

  /** Sets the gain of a turn's voice, where it begins: in mid-sentence a change would be heard. */
  #setGain(turn: Pick<TurnReport, 'context' | 'endpoint' | 'voice'> | undefined): void {
    if (turn) this.sound.setVoiceGain(turn.context, voiceGain(voiceKey(turn.endpoint, turn.voice)));
  }

  #publish(): void {
    if (this.#latest === this.state) return;
    this.playheads.follow(this.#latest.player, this.sound.heardMs());
    this.store.setState(this.#latest, true);
  }
}

/**
 * Owns a session of the page: its worker, its sound output, and its client. The studio's owner shares them with a replay;
 * a `Runner` owns each session outside of the studio.
 */
export class SessionOwner<Client extends SessionClient = SessionClient> implements SessionPort {
  readonly client: Client;
  readonly sound: Sound;
  readonly #worker = new LateWorker(
    () => new Worker(new URL('../../session/worker.ts', import.meta.url), { type: 'module' }),
  );

  constructor(open: (port: SessionPort) => Client) {
    this.sound = new Sound({
      post: (command, transfer) => this.post(command, transfer),
      isBusy: () => selectBusy(this.heard.state),
    });
    this.client = open(this);
    this.#worker.onmessage = ({ data: report }: MessageEvent<Report>) => {
      this.sound.watch();
      if (report.type === 'replay') return this.replayed(report.replay);
      const { update, run } = report;
      const client = this.clientOf(run);
      if (update.wantedSampleRate !== undefined && client === this.heard)
        this.sound.switchTo(update.wantedSampleRate);
      client?.receive(update);
    };
    this.#worker.onerror = () => this.heard.receive({ problems: [STOPPED] });
    if (!HAS_LOCAL_SERVER) this.post({ type: 'leaveReferences' });
  }

  post(command: Command, transfer: Transferable[] = []): void {
    this.#worker.postMessage(command, transfer);
  }

  /** Ends worker and output. The state of the client stays readable. */
  dispose(): void {
    this.sound.dispose();
    this.#worker.terminate();
    this.client.dispose();
  }

  /** The client that is heard, which decides on the rate of the output. */
  protected get heard(): SessionClient {
    return this.client;
  }

  /** Returns the client of the worker's live session (null) or of a replay's run. Null drops the report. */
  protected clientOf(run: number | null): SessionClient | null {
    return run === null ? this.client : null;
  }

  protected replayed(_view: ReplayView | null): void {}
}

const STOPPED: Problem = {
  id: -1,
  turn: null,
  atMs: 0,
  severity: 'error',
  title: 'The session could not go on',
  detail: 'Its worker has stopped, so nothing can be sent or heard.',
  remedy: 'Reload the page.',
  times: 1,
};
