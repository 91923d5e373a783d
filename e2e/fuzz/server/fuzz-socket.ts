import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { handshakeOf, keylessAddress } from '#protocol/core/address.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { Finding, Linter } from '#protocol/core/rule.ts';
import { openLinter } from '../../support/protocols.ts';
import { Broken } from '../fuzz-part.ts';
import type { WireMessage } from '../mutation/mutations.ts';
import { addressSettings } from './client-scripts.ts';

/** One frame of the connection, in either direction, as the linter numbers it. */
export interface SeenFrame {
  direction: 'in' | 'out';
  payload: Frame;
}

const OPEN_WITHIN_MS = 20_000;

/** The statuses of handshakes with keys that are refused on purpose. */
const REFUSALS: Readonly<Record<string, number>> = {
  wrong: 401,
  'local-no-credits': 402,
  'local-rate-limited': 429,
  'local-limited': 429,
  'local-busy': 503,
};

/** A client that sends anything, keeps everything, and has every frame checked by the rules of its endpoint. */
export class FuzzSocket {
  readonly seen: SeenFrame[] = [];
  readonly received: Frame[] = [];
  readonly findings: Finding[] = [];
  /** Messages that were sent as text and are valid UTF-8. */
  readonly sentTexts: string[] = [];
  /** A message was no text, or was not valid UTF-8. */
  hasSentBytes = false;
  hasSentJunk = false;
  hasLeft = false;
  /** The server's close; null while it is open. */
  closeCode: number | null = null;
  closeReason = '';
  readonly key: string;
  readonly #socket: WebSocket;
  readonly #linter: Linter;
  #raw: Duplex | null = null;
  #watchers: (() => void)[] = [];

  /** Resolves with null where the server refuses the key at the handshake, as it may. */
  static open(endpoint: Endpoint, base: string, key: string): Promise<FuzzSocket | null> {
    const { url, protocols } = handshakeOf(
      endpoint,
      keylessAddress(endpoint, base, addressSettings(endpoint)),
      key,
    );
    const socket = new WebSocket(url, [...protocols], {
      perMessageDeflate: false,
      handshakeTimeout: OPEN_WITHIN_MS,
    });
    const made = new FuzzSocket(key, socket, openLinter(endpoint.id));
    return new Promise((resolve, reject) => {
      socket.once('upgrade', (response) => {
        made.#raw = response.socket;
      });
      socket.once('open', () => resolve(made));
      socket.once('unexpected-response', (_, { statusCode }) => {
        socket.terminate();
        if (statusCode === REFUSALS[key]) resolve(null);
        else reject(new Broken(`expected an open connection, got the status ${statusCode}`));
      });
      socket.once('error', (error) =>
        reject(new Broken(`expected an open connection, got: ${error.message}`)),
      );
    });
  }

  private constructor(key: string, socket: WebSocket, linter: Linter) {
    this.key = key;
    this.#socket = socket;
    this.#linter = linter;
    this.findings.push(...linter.opened(this.#moment()));
    socket.on('message', (data: Buffer, isBinary) => {
      const payload = isBinary ? new Uint8Array(data) : data.toString();
      this.received.push(payload);
      this.#note({ direction: 'in', payload });
      this.#wake();
    });
    socket.on('close', (code, reason) => {
      this.closeCode = code;
      this.closeReason = String(reason);
      if (!this.hasLeft) this.findings.push(...linter.closed({ ...this.#moment(), code }));
      this.#wake();
    });
    // `close` always follows.
    socket.on('error', () => {});
  }

  get sent(): number {
    return this.sentTexts.length;
  }

  get isClosed(): boolean {
    return this.#socket.readyState !== WebSocket.OPEN;
  }

  send({ payload, isText }: WireMessage): void {
    if (this.isClosed) return;
    if (isText && typeof payload === 'string') this.sentTexts.push(payload);
    else this.hasSentBytes = true;
    this.#note({ direction: 'out', payload });
    this.#socket.send(payload, { binary: !isText });
  }

  sendRaw(bytes: Uint8Array): void {
    this.hasSentJunk = true;
    if (!this.isClosed) this.#raw?.write(bytes);
  }

  close(code: number): void {
    this.hasLeft = true;
    this.#socket.close(code);
  }

  vanish(): void {
    this.hasLeft = true;
    this.#socket.terminate();
  }

  async pause(ms: number): Promise<void> {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Resolves with a frame that fits, from `from` on, or with the end of the connection. */
  answered(fits: (frame: Frame) => boolean, expected: string, withinMs: number, from = 0): Promise<void> {
    let next = from;
    return this.#until(
      () => {
        for (; next < this.received.length; next += 1) {
          const frame = this.received[next];
          if (frame !== undefined && fits(frame)) return true;
        }
        return this.closeCode !== null;
      },
      expected,
      withinMs,
    );
  }

  closedWithin(ms: number): Promise<void> {
    return this.#until(() => this.closeCode !== null, 'the end of the connection', ms);
  }

  #until(isDone: () => boolean, expected: string, withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        this.#watchers = this.#watchers.filter((watcher) => watcher !== watch);
        settle();
      };
      const watch = () => {
        if (isDone()) finish(resolve);
      };
      const timer = setTimeout(
        () => finish(() => reject(new Broken(`expected ${expected}, got nothing within ${withinMs} ms`))),
        withinMs,
      );
      this.#watchers.push(watch);
      watch();
    });
  }

  #wake(): void {
    for (const watch of [...this.#watchers]) watch();
  }

  #note(frame: SeenFrame): void {
    this.findings.push(...this.#linter.feed({ ...this.#moment(), ...frame }));
    this.seen.push(frame);
  }

  #moment() {
    return { index: this.seen.length, atUs: Math.round(performance.now() * 1000), connection: 1 };
  }
}

export const isCut = (code: number | null): boolean => code === CLOSE_CODES.abnormal;
