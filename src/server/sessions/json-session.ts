import { type Fields, parseBounded } from '#protocol/core/json-frame.ts';
import { type Connection, GOING_AWAY_CLOSE, type Session } from '../connection.ts';
import { faultFields, type Log } from '../log.ts';
import { WaitingText } from '../speech/generation-queue.ts';
import type { ContextParts } from './context-speech.ts';

/** Runs when nothing has reset it for a time. */
export interface IdleTimer {
  touch(): void;
  stop(): void;
}

interface Speaking {
  readonly isBusy: boolean;
  stop(): void;
}

export interface JsonSessionOptions {
  connection: Connection;
  services: { log: Log; engine: ContextParts['engine'] };
  /** Fairness key at the engine. */
  requestId: string;
}

/** A session of JSON messages: reading, idle time, and the end. */
export abstract class JsonSession<O extends JsonSessionOptions> implements Session {
  protected readonly options: O;
  /** Nothing more is read or sent. */
  protected isOver = false;
  readonly #waiting: WaitingText;
  readonly #timers = new Set<IdleTimer>();
  /** The server shuts down. */
  protected isLeaving = false;
  /** Reads nothing more while the server shuts down. */
  protected readonly isDeafWhenLeaving: boolean = true;
  #cancelClose: () => void = () => {};
  #created = 0;

  constructor(options: O) {
    this.options = options;
    this.#waiting = new WaitingText(options.connection);
  }

  /** Those that may have something to say. */
  protected abstract get contexts(): readonly Speaking[];
  protected abstract read(fields: Fields): void;
  /** Answers a message that is no JSON object. */
  protected abstract unreadable(problem: string): void;
  abstract binary(): void;

  text(message: string): void {
    if (this.isOver || (this.isLeaving && this.isDeafWhenLeaving)) return;
    const read = parseBounded(message);
    if ('fields' in read) this.read(read.fields);
    else this.unreadable(`expected a JSON object, got ${read.kind}`);
  }

  gone(): void {
    this.#stop();
    this.#cancelClose();
  }

  goingAway(): void {
    if (this.isOver) return;
    this.isLeaving = true;
    this.closeIfLeaving();
  }

  protected get isBusy(): boolean {
    return this.contexts.some((context) => context.isBusy);
  }

  /** The parts for a new context. @param failed answers a failure of the engine */
  protected partsOfContext(failed: (error: unknown) => void): ContextParts {
    const { connection, services, requestId } = this.options;
    this.#created += 1;
    return {
      connection,
      engine: services.engine,
      share: { session: requestId, context: String(this.#created) },
      waiting: this.#waiting,
      send: (message) => this.send(message),
      emptied: () => this.closeIfLeaving(),
      failed: (error) => {
        this.logFailure(error);
        failed(error);
      },
    };
  }

  /** Logs the kind of an engine's failure, never the text. */
  protected logFailure(error: unknown): void {
    const { services, requestId } = this.options;
    services.log.error({ requestId, ...faultFields(error) }, 'generation failed');
  }

  /** Ours: its time passes only while nothing is spoken, because a slow engine is not a silent client. */
  protected idleTimer(idleMs: number, isBusy: () => boolean, expired: () => void): IdleTimer {
    const { clock } = this.options.connection;
    let cancel = () => {};
    const touch = () => {
      cancel();
      if (!this.isOver) cancel = clock.after(idleMs, () => (isBusy() ? touch() : expired()));
    };
    touch();
    const stop = () => {
      cancel();
      this.#timers.delete(timer);
    };
    const timer: IdleTimer = { touch, stop };
    this.#timers.add(timer);
    return timer;
  }

  /** A timer that nothing resets. */
  protected onceAfter(afterMs: number, expired: () => void): IdleTimer {
    return this.idleTimer(afterMs, () => false, expired);
  }

  protected send(message: string): void {
    if (!this.isOver) this.options.connection.send(message);
  }

  protected close(code: number, reason: string, delayMs = 0): void {
    if (this.isOver) return;
    this.#stop();
    const { connection } = this.options;
    const close = () => connection.close(code, reason);
    if (delayMs === 0) close();
    else this.#cancelClose = connection.clock.after(delayMs, close);
  }

  protected closeIfLeaving(): void {
    if (this.isLeaving && !this.isBusy) this.close(GOING_AWAY_CLOSE.code, GOING_AWAY_CLOSE.reason);
  }

  #stop(): void {
    this.isOver = true;
    for (const timer of this.#timers) timer.stop();
    for (const context of this.contexts) context.stop();
  }
}
