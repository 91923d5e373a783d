import { type Clock, systemClock } from '#lib/clock.ts';
import { decoders } from '#player/decoders.ts';
import type { Handshake } from '#protocol/core/address.ts';
import type { AudioFormat } from '#protocol/core/audio-format.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Dialect, Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { NewEntry } from '#trace/entry.ts';
import { type FrameNote, notedContext } from '#trace/recorded-event.ts';
import type { Publisher } from './publisher.ts';
import type { ConnectionRecorder, RecordedFrame } from './recorder/recorder.ts';

/** Clock and sockets of a session, so that tests control both. */
export interface SessionEnvironment extends Clock {
  /** Throws where the address is invalid. */
  openSocket(handshake: Handshake, handlers: SocketHandlers): Socket;
  /**
   * Runs an act of the session's own: a frame, a connection or its end, a warning. A replay runs none, because the recording
   * has their effects. State that the recording does not restore must change outside of the act.
   */
  initiate(act: () => void): void;
}

export interface Socket {
  send(frame: Frame): void;
  close(code: number): void;
}

export interface SocketHandlers {
  opened(): void;
  received(frame: Frame): void;
  /**
   * Always the last call, also where the socket never opened.
   * @param isFinal nobody tries again, as after the recorded end of another client
   */
  closed(code: number, reason: string, isFinal?: boolean): void;
}

/** A connection or a context that ends this soon may be closed before a frame arrives. */
export const DOUBTFUL_MS = 1000;

/** News of a link for the session. */
export interface LinkEvents {
  received(link: Link, frame: RecordedFrame): void;
  /** Nothing that came waits for a decoder any more. */
  caughtUp(): void;
}

export interface LinkOptions {
  network: SessionEnvironment;
  recorder: ConnectionRecorder;
  publisher: Publisher;
  isAhead: boolean;
  /** The settings that the connection is opened with. Its address carries those that have a place there. */
  settings: Settings;
  dialect: Dialect;
  /** Of its audio. */
  format: AudioFormat;
  events: LinkEvents;
  opened(): void;
  closed(code: number, reason: string, isFinal: boolean): void;
}

/** One socket with its dialect, from its opening to its close. */
export class Link {
  /** A replay replaces these three where the recording says more than was known at the opening. */
  settings: Settings;
  dialect: Dialect;
  format: AudioFormat;
  readonly recorder: ConnectionRecorder;
  readonly startedMs: number;
  wasOpen = false;
  /** The settings that the server holds; null before any went out. */
  held: Settings | null = null;
  /** Text of a turn went out on it. */
  hasTurn = false;
  /** This side has closed it, or asked the server to. */
  isClosedHere = false;
  /** When the last frame arrived, if that was an error. A close right behind it is its consequence. */
  errorMs: number | null = null;
  /** Opened before there was a turn for it. */
  readonly #isAhead: boolean;
  readonly #network: SessionEnvironment;
  readonly #publisher: Publisher;
  readonly #events: LinkEvents;
  readonly #opened: () => void;
  readonly #ended: LinkOptions['closed'];
  /** Handlers of frames and of the close that wait for a decoder of compressed audio, in order. */
  readonly #waiting: (() => void)[] = [];
  #socket: Socket | null = null;
  /** Closed, or dropped. A dropped socket may still call back. */
  #isOver = false;
  #sentMs: number;

  constructor({
    network,
    recorder,
    publisher,
    isAhead,
    settings,
    dialect,
    format,
    events,
    opened,
    closed,
  }: LinkOptions) {
    this.#network = network;
    this.#publisher = publisher;
    this.#isAhead = isAhead;
    this.recorder = recorder;
    this.settings = settings;
    this.dialect = dialect;
    this.#events = events;
    this.#opened = opened;
    this.#ended = closed;
    this.format = format;
    this.startedMs = network.nowMs();
    this.#sentMs = this.startedMs;
  }

  /** @param open opens the socket; where it throws, the link ends as one that never opened */
  connect(open: (handlers: SocketHandlers) => Socket): void {
    try {
      this.#socket = open({
        opened: () => {
          // A second opening would take text behind a disconnect.
          if (this.#isOver || this.wasOpen) return;
          this.wasOpen = true;
          this.#opened();
        },
        received: (frame) => {
          if (this.#isOver) return;
          const recorded = this.recorder.inwards(frame, this.#network.nowMs());
          this.#whenDecodable(() => this.#events.received(this, recorded));
        },
        closed: (code, reason, isFinal = false) =>
          this.#whenDecodable(() => this.#closed(code, reason, isFinal)),
      });
    } catch (error) {
      this.#closed(CLOSE_CODES.abnormal, error instanceof Error ? error.message : '', false);
    }
  }

  /** Whether the server may have closed it as idle or too old before a frame arrives. */
  get isDoubtful(): boolean {
    const { idleMs, maxAgeMs } = this.dialect.traits;
    const endsMs = Math.min(
      this.#sentMs + (idleMs ?? Number.POSITIVE_INFINITY),
      this.startedMs + (maxAgeMs ?? Number.POSITIVE_INFINITY),
    );
    return this.#network.nowMs() > endsMs - DOUBTFUL_MS;
  }

  /** Opened ahead of a turn that has not come, so that its end is nobody's loss. */
  get isSpare(): boolean {
    return this.#isAhead && !this.hasTurn;
  }

  /** Something waits for a decoder. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Encodes an intent and sends its frames. In a replay the dialect follows, and the recording has the frames.
   * @param turn number of the turn that the frames are recorded under
   * @returns false where the endpoint has nothing to send for it
   */
  sendIntent(intent: Intent, turn: number | null = null): boolean {
    const frames = this.dialect.encode(intent);
    this.sendMade(frames, { kind: intent.kind, context: notedContext(intent), turn });
    return frames.length > 0;
  }

  /** Sends the frames that became due through the last one that was received. */
  reply(): void {
    this.sendMade(this.dialect.replies?.() ?? [], { kind: 'open' });
    this.#publisher.changed('connection');
  }

  /** Returns the entry of the frame, which may still be changed in the same task; null where nothing is recorded. */
  send(frame: Frame, note: FrameNote): NewEntry | null {
    const entry = this.recorder.outwards(frame, this.#network.nowMs(), note);
    this.#sentMs = this.#network.nowMs();
    try {
      this.#socket?.send(frame);
    } catch {
      // Only a socket that is no longer open throws, and its close event follows.
    }
    this.#publisher.changed('connection');
    return entry;
  }

  /** Sends frames that the session has made. */
  sendMade(frames: readonly Frame[], note: FrameNote): void {
    this.#network.initiate(() => {
      for (const frame of frames) this.send(frame, note);
    });
  }

  close(): void {
    this.isClosedHere = true;
    this.#socket?.close(CLOSE_CODES.normal);
  }

  /** Closes the socket and takes nothing more of it. */
  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.close();
    const left = { code: CLOSE_CODES.normal, reason: '', asked: true, left: true };
    this.recorder.happened('closed', left, this.#network.nowMs());
  }

  /** Calls what happens to a link that is not over: at once, unless its audio has to wait for a decoder. */
  #whenDecodable(happen: () => void): void {
    if (this.#waiting.length === 0 && decoders.isReady(this.format.encoding)) {
      if (!this.#isOver) happen();
    } else if (this.#waiting.push(happen) === 1) void this.#passWaiting();
  }

  async #passWaiting(): Promise<void> {
    const release = this.recorder.hold();
    const { encoding } = this.format;
    while (this.#waiting.length > 0) {
      // Another link may take the decoder first.
      while (!decoders.isReady(encoding)) await decoders.ready(encoding);
      const next = this.#waiting.shift();
      if (!this.#isOver) next?.();
    }
    release();
    this.#events.caughtUp();
  }

  #closed(code: number, reason: string, isFinal: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended(code, reason, isFinal);
  }
}

export const browserEnvironment: SessionEnvironment = {
  ...systemClock,
  initiate: (act) => act(),
  openSocket({ url, protocols }, handlers) {
    const socket = new WebSocket(url, [...protocols]);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => handlers.opened();
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) =>
      handlers.received(typeof data === 'string' ? data : new Uint8Array(data));
    socket.onclose = ({ code, reason }) => handlers.closed(code, reason);
    return {
      send: (frame) => socket.send(frame),
      close: (code) => socket.close(code),
    };
  },
};
