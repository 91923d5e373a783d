import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ClientOptions, WebSocket } from 'ws';
import { wordList } from '#lib/word-list.ts';

export type Frame = Record<string, unknown>;

/** Headers that make a request a handshake. */
export const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** A client that keeps all that it receives, text messages as objects and binary ones as bytes, and can wait for it. */
export class SocketClient {
  readonly received: (Frame | Buffer)[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  /** Headers of the server's answer to the handshake. */
  headers: IncomingHttpHeaders = {};
  readonly #opened: Promise<void>;
  #watchers: (() => void)[] = [];
  #raw: Duplex | undefined;

  constructor(address: string, options: ClientOptions = {}) {
    this.socket = new WebSocket(address, options);
    this.#opened = new Promise((resolve, reject) => {
      this.socket.once('open', resolve);
      this.socket.once('error', reject);
    });
    this.#opened.catch(() => {});
    this.socket.once('upgrade', (response) => {
      this.headers = response.headers;
      this.#raw = response.socket;
    });
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
    this.socket.on('message', (data, isBinary) => {
      this.received.push(isBinary ? (data as Buffer) : (JSON.parse(String(data)) as Frame));
      for (const watch of this.#watchers) watch();
    });
  }

  /** Sends objects as JSON, anything else as it is. */
  async send(...messages: (Frame | string | Buffer)[]): Promise<this> {
    await this.#opened;
    for (const message of messages) {
      const isRaw = typeof message === 'string' || Buffer.isBuffer(message);
      this.socket.send(isRaw ? message : JSON.stringify(message));
    }
    return this;
  }

  /** Bytes past the WebSocket protocol. */
  async sendRaw(bytes: Buffer): Promise<void> {
    await this.#opened;
    this.#raw?.write(bytes);
  }

  /** Sends messages of less than 126 bytes in one write, so that they arrive together. The mask is zero. */
  sendAtOnce(messages: readonly string[]): Promise<void> {
    const frames = messages.map((message) => [
      Buffer.from([0x81, 0x80 | Buffer.byteLength(message), 0, 0, 0, 0]),
      Buffer.from(message),
    ]);
    return this.sendRaw(Buffer.concat(frames.flat()));
  }

  /** The frame of that kind; the nth of them, from 1. Rejects when the connection ends before. */
  until(kind: string, nth = 1): Promise<Frame> {
    return this.#found(kind, () => this.of(kind)[nth - 1]);
  }

  /** Resolves with so many frames. Rejects when the connection ends before. */
  async count(frames: number): Promise<void> {
    await this.#found(`${frames} frames`, () => (this.received.length >= frames ? this.received : undefined));
  }

  #found<T>(what: string, find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        this.#watchers = this.#watchers.filter((watch) => watch !== look);
        resolve(found);
      };
      this.#watchers.push(look);
      void this.closed.then(({ code }) => {
        look();
        reject(new Error(`closed with ${code} before ${what}`));
      });
      look();
    });
  }

  /** Text frames. */
  get frames(): Frame[] {
    return this.received.filter((each): each is Frame => !Buffer.isBuffer(each));
  }

  of(kind: string): Frame[] {
    return this.frames.filter((frame) => kindOf(frame) === kind);
  }

  /** Kinds in order, runs of audio as one. */
  kinds(): string[] {
    return kindsOf(this.received);
  }

  done(): void {
    this.socket.terminate();
  }
}

/** Kinds of frames in order, runs of audio as one. */
export const kindsOf = (received: readonly (Frame | Uint8Array)[]): string[] =>
  received
    .map(kindOf)
    .filter((kind, index, all) => !['audio', 'bytes'].includes(kind) || all[index - 1] !== kind);

/** The type of a murmr frame, the marker of a Kugel frame, whether an ElevenLabs frame is `final`, or `bytes`. */
function kindOf(frame: Frame | Uint8Array): string {
  if (frame instanceof Uint8Array) return 'bytes';
  if (typeof frame.type === 'string') return frame.type;
  if (frame.isFinal === true) return 'final';
  return MARKERS.find((marker) => marker in frame) ?? '?';
}

/** Every Kugel frame has exactly one of these markers (kugel-message-61). */
const MARKERS = [
  ...wordList('error audio word_timestamps generation_started chunk_complete interrupted settings_updated'),
  ...wordList('warning final session_closed context_created context_closed'),
];
