import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import { MAX_SERVER_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import { NEEDED_BY_OTHERS } from '../answers/file-body.ts';
import { type Connection, cutReason, type Session, type SocketEnd } from '../connection.ts';
import { heartbeat } from '../sockets/heartbeat.ts';
import { type TotalOutput, UnreadOutput } from '../sockets/unread-output.ts';
import { bytesOf, CLOSE_NOT_UTF8, CLOSE_TRY_AGAIN } from '../sockets/web-socket.ts';
import type { Peer } from '../state/shares.ts';
import { type CountBytes, SMALL_BYTES, type VendorMemory } from './vendor-memory.ts';

const CLOSE_GOING_AWAY = 1001;
const CLOSE_TOO_BIG = 1009;
const TOO_BIG = `a message of the vendor has more than ${MAX_SERVER_MESSAGE_BYTES / 2 ** 20} MiB`;

interface Options {
  /** Close of the client when this server ends. */
  restart: { code: number; reason: string };
  /** Memory of what all vendors have not read yet. */
  total: TotalOutput;
  /** Memory of what vendors have sent and clients have not read yet. */
  memory: VendorMemory;
}

/** The vendor's side of a relayed socket. */
export interface Upstream {
  /** Open and paused. */
  webSocket: WebSocket;
  /** The connection below it. */
  socket: Socket;
  /** Who has opened it. */
  peer: Peer;
}

/** A message or the end of the vendor, which waits for the client. */
interface Step {
  bytes: number;
  take(): void;
}

/** Passes all messages between a client and the vendor's socket, and the close of either to the other. */
export class RelaySession implements Session {
  readonly #connection: Connection;
  readonly #upstream: WebSocket;
  readonly #restart: Options['restart'];
  readonly #unread: UnreadOutput;
  readonly #countBytes: CountBytes;
  /** Messages and ends of the vendor that wait for the client. The vendor is paused meanwhile, which bounds them. */
  #waiting: Step[] = [];
  /** Of the vendor: bytes of a message that is not complete, and of those that the client has not read. */
  #unfinishedBytes = 0;
  #unreadBytes = 0;
  /** Why the vendor is not read. */
  readonly #pauses = { byClient: false, byMemory: false };
  #isPassing = false;
  #isGone = false;
  #isPaused = false;

  constructor(
    connection: Connection,
    { webSocket: upstream, socket, peer }: Upstream,
    { restart, total, memory }: Options,
  ) {
    this.#connection = connection;
    this.#upstream = upstream;
    this.#restart = restart;
    this.#unread = new UnreadOutput(total);
    this.#countBytes = memory.hold({
      peer,
      wait: (isWaiting) => {
        this.#pauses.byMemory = isWaiting;
        this.#readOn();
      },
      giveUp: () => {
        this.#forget();
        this.#unfinishedBytes = 0;
        upstream.terminate();
        connection.close(CLOSE_TRY_AGAIN, NEEDED_BY_OTHERS);
      },
    });
    socket.on('data', ({ length }: Buffer) => {
      // Pings are no part of a message.
      this.#unfinishedBytes = Math.min(this.#unfinishedBytes + length, MAX_SERVER_MESSAGE_BYTES);
      this.#count();
    });
    upstream.on('message', (data, isBinary) => {
      this.#unfinishedBytes = 0;
      const bytes = bytesOf(data);
      if (!isBinary && !isUtf8(bytes))
        return this.#break(CLOSE_NOT_UTF8, 'a text of the vendor is not UTF-8');
      const message = isBinary ? bytes : bytes.toString('utf8');
      this.#pass(() => connection.send(message), bytes.length);
    });
    upstream.on('error', (error) => {
      const isTooBig = 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
      if (isTooBig) this.#break(CLOSE_TOO_BIG, TOO_BIG);
    });
    upstream.once('close', (code, reason) => {
      this.#unfinishedBytes = 0;
      this.#pass(() => this.#end(code, cutReason(String(reason))));
    });
    heartbeat(upstream, connection.clock, { dead: () => upstream.terminate() });
    if (upstream.readyState === WebSocket.CLOSED) this.#end(CLOSE_CODES.abnormal, '');
    upstream.resume();
  }

  text(message: string): void {
    this.#ask(message);
  }

  binary(message: Uint8Array): void {
    this.#ask(message);
  }

  gone({ code, reason }: SocketEnd): void {
    this.#forget();
    this.#count();
    if (code === CLOSE_CODES.abnormal) this.#upstream.terminate();
    else if (code === CLOSE_CODES.none) this.#upstream.close();
    else this.#upstream.close(code, cutReason(reason));
    // The answer to the close follows the unread messages.
    this.#pauses.byClient = false;
    this.#readOn();
  }

  goingAway(): void {
    this.#connection.close(this.#restart.code, this.#restart.reason);
    this.#upstream.close(CLOSE_GOING_AWAY);
  }

  /** Sends a message to the vendor. The client is not read while the vendor does not read. */
  #ask(message: string | Uint8Array): void {
    if (this.#upstream.readyState !== WebSocket.OPEN) return;
    const bytes = this.#unread.add(message);
    this.#upstream.send(message, () => {
      this.#unread.remove(bytes);
      if (!this.#isPaused || !this.#unread.isLow) return;
      this.#isPaused = false;
      this.#connection.resume();
    });
    if (this.#isPaused || !this.#unread.isFull) return;
    this.#isPaused = true;
    this.#connection.pause();
  }

  /** Does this to the client after all before it. The vendor is not read while the client does not read. */
  #pass(take: () => void, bytes = 0): void {
    if (!this.#isGone) {
      this.#waiting.push({ bytes, take });
      this.#unreadBytes += bytes;
      if (this.#isPassing) {
        this.#pauses.byClient = true;
        this.#readOn();
      } else this.#connection.background(() => this.#passAll());
    }
    this.#count();
  }

  async #passAll(): Promise<void> {
    this.#isPassing = true;
    while (this.#waiting.length > 0) {
      const steps = this.#waiting;
      this.#waiting = [];
      for (const { bytes, take } of steps) {
        await this.#connection.drained();
        take();
        // The client has not read it yet.
        if (bytes > SMALL_BYTES) await this.#connection.drained();
        if (this.#isGone) return;
        this.#unreadBytes -= bytes;
        this.#count();
      }
    }
    this.#isPassing = false;
    this.#pauses.byClient = false;
    this.#readOn();
  }

  /** Drops what waits for a client that is gone. */
  #forget(): void {
    this.#isGone = true;
    this.#waiting = [];
    this.#unreadBytes = 0;
  }

  #readOn(): void {
    if (this.#pauses.byClient || this.#pauses.byMemory) this.#upstream.pause();
    else this.#upstream.resume();
  }

  #count(): void {
    this.#countBytes(this.#unfinishedBytes + this.#unreadBytes, this.#unreadBytes === 0);
  }

  /** Ends the client's side as the vendor has ended its own. */
  #end(code: number, reason: string): void {
    if (code === CLOSE_CODES.abnormal) this.#connection.reset();
    else this.#connection.close(code, reason);
  }

  /** Ends both sides after something that cannot be passed on. */
  #break(code: number, reason: string): void {
    this.#pass(() => this.#connection.close(code, reason));
    this.#upstream.close(code);
  }
}
