import { WebSocket } from 'ws';
import type { RunningServer } from '../running-server.ts';

export type Frame = Record<string, unknown>;

/** A client that keeps all it gets, text frames as objects and binary ones as bytes, and can wait for it. */
export class RealtimeClient {
  readonly received: (Frame | Buffer)[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly socket: WebSocket;
  readonly #opened: Promise<void>;
  #watchers: (() => void)[] = [];

  constructor(server: RunningServer) {
    this.socket = new WebSocket(`${server.ws}/murmr/v1/realtime`);
    this.#opened = new Promise((resolve, reject) => {
      this.socket.once('open', resolve);
      this.socket.once('error', reject);
    });
    this.#opened.catch(() => {});
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
    this.socket.on('message', (data, isBinary) => {
      this.received.push(isBinary ? (data as Buffer) : (JSON.parse(String(data)) as Frame));
      for (const watch of this.#watchers) watch();
    });
  }

  async send(...messages: (Frame | string | Buffer)[]): Promise<this> {
    await this.#opened;
    for (const message of messages) {
      const isRaw = typeof message === 'string' || Buffer.isBuffer(message);
      this.socket.send(isRaw ? message : JSON.stringify(message));
    }
    return this;
  }

  /** Resolves once that many such messages are there. */
  until(type: string, count = 1): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (this.kinds().filter((kind) => kind === type).length < count) return;
        this.#watchers = this.#watchers.filter((watch) => watch !== look);
        resolve();
      };
      this.#watchers.push(look);
      void this.closed.then(({ code }) => {
        look();
        reject(new Error(`closed with ${code} before ${type}`));
      });
      look();
    });
  }

  of(type: string): Frame[] {
    return this.received.filter((each): each is Frame => !Buffer.isBuffer(each) && each.type === type);
  }

  /** Of each message its type, or `bytes`. */
  kinds(): string[] {
    return this.received.map((each) => (Buffer.isBuffer(each) ? 'bytes' : String(each.type)));
  }

  /** All samples that came, in either form. */
  samples(): Int16Array {
    const bytes = Buffer.concat(
      this.received.map((each) =>
        Buffer.isBuffer(each) ? each : Buffer.from(String(each.chunk ?? ''), 'base64'),
      ),
    );
    return Int16Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(2 * at));
  }

  done(): void {
    this.socket.terminate();
  }
}
