import { isUtf8 } from 'node:buffer';
import { WebSocket } from 'ws';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import { MAX_SERVER_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import { type Connection, cutReason, type Session, type SocketEnd } from '../connection.ts';
import { heartbeat } from '../heartbeat.ts';
import { type TotalOutput, UnreadOutput } from '../unread-output.ts';
import { bytesOf, CLOSE_NOT_UTF8 } from '../web-socket.ts';

const CLOSE_GOING_AWAY = 1001;
const CLOSE_TOO_BIG = 1009;
const TOO_BIG = `a message of the vendor has more than ${MAX_SERVER_MESSAGE_BYTES / 2 ** 20} MiB`;

interface Options {
  /** Close of the client when this server ends. */
  restart: { code: number; reason: string };
  /** Memory of what all vendors have not read yet. */
  total: TotalOutput;
}

/** Passes all messages between a client and the vendor's socket, and the close of either to the other. */
export class RelaySession implements Session {
  readonly #connection: Connection;
  readonly #upstream: WebSocket;
  readonly #restart: Options['restart'];
  readonly #unread: UnreadOutput;
  /** Messages and ends of the vendor that wait for the client. The vendor is paused meanwhile, which bounds them. */
  #waiting: (() => void)[] = [];
  #isPassing = false;
  #isPaused = false;

  /** @param upstream open and paused */
  constructor(connection: Connection, upstream: WebSocket, { restart, total }: Options) {
    this.#connection = connection;
    this.#upstream = upstream;
    this.#restart = restart;
    this.#unread = new UnreadOutput(total);
    upstream.on('message', (data, isBinary) => {
      const bytes = bytesOf(data);
      if (!isBinary && !isUtf8(bytes))
        return this.#break(CLOSE_NOT_UTF8, 'a text of the vendor is not UTF-8');
      const message = isBinary ? bytes : bytes.toString('utf8');
      this.#pass(() => connection.send(message));
    });
    upstream.on('error', (error) => {
      const isTooBig = 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
      if (isTooBig) this.#break(CLOSE_TOO_BIG, TOO_BIG);
    });
    upstream.once('close', (code, reason) => this.#pass(() => this.#end(code, cutReason(String(reason)))));
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
    this.#waiting = [];
    if (code === CLOSE_CODES.abnormal) this.#upstream.terminate();
    else if (code === CLOSE_CODES.none) this.#upstream.close();
    else this.#upstream.close(code, cutReason(reason));
    // The answer to the close follows the unread messages.
    this.#upstream.resume();
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
  #pass(step: () => void): void {
    this.#waiting.push(step);
    if (this.#isPassing) this.#upstream.pause();
    else this.#connection.background(() => this.#passAll());
  }

  async #passAll(): Promise<void> {
    this.#isPassing = true;
    while (this.#waiting.length > 0) {
      const steps = this.#waiting;
      this.#waiting = [];
      for (const step of steps) {
        await this.#connection.drained();
        step();
      }
    }
    this.#isPassing = false;
    this.#upstream.resume();
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
