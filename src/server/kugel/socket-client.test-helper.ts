import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';

export type Frame = Record<string, unknown>;

/** A client that keeps every frame and can wait for one. */
export class SocketClient {
  readonly frames: Frame[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  readonly #opened: Promise<void>;
  #watchers: (() => void)[] = [];
  #raw: Duplex | undefined;

  constructor(address: string, headers: Record<string, string> = {}) {
    this.#socket = new WebSocket(address, { headers });
    this.#opened = new Promise((resolve, reject) => {
      this.#socket.once('open', resolve);
      this.#socket.once('error', reject);
    });
    this.#opened.catch(() => {});
    this.#socket.once('upgrade', (response) => {
      this.#raw = response.socket;
    });
    this.closed = new Promise((resolve) => {
      this.#socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
    this.#socket.on('message', (data, isBinary) => {
      if (isBinary) throw new Error('1.3.1: every frame is text');
      this.frames.push(JSON.parse(String(data)) as Frame);
      for (const watch of this.#watchers) watch();
    });
  }

  async send(...messages: (Frame | string | Buffer)[]): Promise<this> {
    await this.#opened;
    for (const message of messages) {
      this.#socket.send(
        typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
      );
    }
    return this;
  }

  /** Bytes past the WebSocket protocol. */
  async sendRaw(bytes: Buffer): Promise<void> {
    await this.#opened;
    this.#raw?.write(bytes);
  }

  /** The frame with that marker; the nth of them, from 1. */
  until(marker: string, nth = 1): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.of(marker)[nth - 1];
        if (found) {
          this.#watchers = this.#watchers.filter((watch) => watch !== look);
          resolve(found);
        }
      };
      this.#watchers.push(look);
      this.#socket.once('close', (code) => {
        look();
        reject(new Error(`closed with ${code} before ${marker}`));
      });
      look();
    });
  }

  of(marker: string): Frame[] {
    return this.frames.filter((frame) => marker in frame);
  }

  /** Kinds in order, runs of audio as one. */
  kinds(): string[] {
    return kindsOf(this.frames);
  }

  done(): void {
    this.#socket.terminate();
  }
}

/** Kinds of frames in order, runs of audio as one. */
export const kindsOf = (frames: readonly Frame[]): string[] =>
  frames
    .map((frame) => MARKERS.find((marker) => marker in frame) ?? '?')
    .filter((kind, index, all) => kind !== 'audio' || all[index - 1] !== 'audio');

/** Markers of `facts 1.3.3` and `3.2`; every frame has exactly one. */
const MARKERS = [
  'error',
  'audio',
  'word_timestamps',
  'generation_started',
  'chunk_complete',
  'interrupted',
  'settings_updated',
  'warning',
  'final',
  'session_closed',
  'context_created',
  'context_closed',
];
