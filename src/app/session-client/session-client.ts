import { createStore, type StoreApi } from 'zustand/vanilla';
import { wallMs } from '#lib/wall-clock.ts';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import { AUDIBLE, type Command, type SessionCommand } from '#session/commands.ts';
import type { Problem, SessionUpdate } from '#session/views.ts';
import { paint } from '../browser/paint.ts';
import { Playheads } from './played.ts';
import { SessionSelection } from './selection.ts';
import { applyUpdate, emptySession, isOnlyRepeat, type SessionState } from './session-state.ts';
import type { Sound } from './sound.ts';
import { EnvelopeStore } from './timeline/envelope-store.ts';
import { LaneStore } from './timeline/lane-store.ts';
import { TimelineState } from './timeline/timeline-state.ts';

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
  /** Marks and envelopes grow with every frame, so the store does not contain them. */
  readonly marks = new LaneStore();
  readonly envelopes = new EnvelopeStore();
  readonly selection = new SessionSelection();
  readonly timeline = new TimelineState(this.marks, this.envelopes, this.selection, () => paint.request());
  playheads = new Playheads();
  protected readonly port: SessionPort;
  readonly #isImmediate: boolean;
  readonly #leavePaint = paint.add(() => {
    this.#publish();
    return false;
  });
  /** State after the last report; ahead of the store until the next frame. */
  #latest: SessionState;

  constructor(port: SessionPort, { endpoint, hasCast, isImmediate = false }: SessionClientOptions) {
    this.port = port;
    this.hasCast = hasCast;
    this.#isImmediate = isImmediate;
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
    if (AUDIBLE.has(command.type)) this.sound.wake();
    if (command.type === 'speak' || command.type === 'perform') paint.voiceBegins();
    this.port.post(command);
  }

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
    this.port.post({ type: 'repeat', turn, fromSample });
  }

  stopRepeat(): void {
    this.halt(null);
    this.port.post({ type: 'stopRepeat' });
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
    this.change(applyUpdate(this.#latest, update), this.#isImmediate);
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

  #publish(): void {
    if (this.#latest === this.state) return;
    this.playheads.follow(this.#latest.player, this.sound.heardMs());
    this.store.setState(this.#latest, true);
  }
}
