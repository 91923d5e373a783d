import { seededRandom } from '#lib/statistics/random.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { type Fault, faultNumber, faultValue } from '#protocol/faults/fault-spec.ts';
import type { FaultName } from '#protocol/faults/fault-table.ts';
import type { Connection, Session, SocketEnd } from '../connection.ts';
import { type TotalOutput, UnreadOutput } from '../sockets/unread-output.ts';
import type { OpenSession } from '../sockets/web-socket.ts';
import { DelayLine, type LineOptions } from './delay-line.ts';
import { FaultScript, type ScriptOptions, type Step } from './fault-script.ts';

interface Options extends ScriptOptions {
  /** Reports a fault at the moment in which it is injected. */
  injected: (fault: Fault) => void;
  /** Memory of the messages on the way, over all connections. */
  total: TotalOutput;
}

/** Faults that act on every message, and strike once. */
const OF_THE_LINE: readonly FaultName[] = ['latency', 'latency-in', 'latency-out', 'jitter', 'bandwidth'];

const KIB = 1024;
const DEFAULT_SEED = 1;
/** Messages that may wait for a slow line: what it carries in this time. A longer queue would delay every cancel. */
const QUEUE_MS = 2000;
const MIN_QUEUE_BYTES = 64 * KIB;
const MAX_QUEUE_BYTES = 1024 * KIB;

/** Opens sessions behind faults. They see a connection on which everything comes late, and nothing of the other faults. */
export const faulty =
  (open: OpenSession, options: Options): OpenSession =>
  (connection) => {
    const line = new FaultyLine(connection, options);
    line.session = open(line.inner);
    return line;
  };

/** Both directions of one connection: the client's side as a session, the server's side as a connection. */
class FaultyLine implements Session {
  session: Session | null = null;
  readonly inner: Connection;
  readonly #connection: Connection;
  readonly #injected: Options['injected'];
  readonly #script: FaultScript;
  readonly #in: DelayLine;
  readonly #out: DelayLine;
  readonly #inBytes: UnreadOutput;
  readonly #outBytes: UnreadOutput;
  /** Why the client is not read. */
  readonly #pauses = new Set<'session' | 'queue' | 'silence'>();
  #waiting: (() => void)[] = [];
  /** Stops the timers of late messages. */
  readonly #late = new Set<() => void>();
  /** The server has ended its side. */
  #isOver = false;
  #isGoingAway = false;

  constructor(connection: Connection, { faults, injected, total, ...script }: Options) {
    this.#connection = connection;
    this.#injected = injected;
    this.#script = new FaultScript({ faults, ...script });
    const both = faultNumber(faults, 'latency');
    const seed = Number(faultValue(faults, 'seed') ?? DEFAULT_SEED);
    const line = (direction: 'in' | 'out'): LineOptions => ({
      clock: connection.clock,
      latencyMs: both + faultNumber(faults, `latency-${direction}`),
      jitterMs: faultNumber(faults, 'jitter'),
      kbps: faultNumber(faults, 'bandwidth'),
      random: seededRandom(direction === 'in' ? seed : ~seed),
    });
    this.#in = new DelayLine(line('in'));
    this.#out = new DelayLine(line('out'));
    this.#inBytes = new UnreadOutput(total, queueBytes(line('in')));
    this.#outBytes = new UnreadOutput(total, queueBytes(line('out')));
    this.inner = {
      clock: connection.clock,
      background: (work) => connection.background(work),
      send: (message) => this.#send(message),
      close: (code, reason) => this.#end(() => connection.close(code, reason)),
      reset: () => this.#end(() => connection.reset()),
      drained: () => this.#drained(),
      pause: () => this.#pause('session'),
      silence: () => connection.silence(),
      resume: () => this.#resume('session'),
    };
    for (const fault of faults) if (OF_THE_LINE.includes(fault.name)) injected(fault);
  }

  text(message: string): void {
    this.#receive(message, () => {
      this.#script.follow(message);
      this.session?.text(message);
    });
  }

  binary(message: Uint8Array): void {
    this.#receive(message, () => this.session?.binary(message));
  }

  pinged(): void {
    this.session?.pinged?.();
  }

  gone(end: SocketEnd): void {
    this.#isOver = true;
    // They may wait for an hour, and would keep their messages.
    for (const stop of this.#late) stop();
    this.#in.clear();
    this.#inBytes.remove(this.#inBytes.bytes);
    this.#release();
    // A server that ends must stop its speech before its engine.
    if (this.#isGoingAway) this.session?.gone(end);
    else this.#out.push(0, () => this.session?.gone(end));
  }

  goingAway(): void {
    this.#isGoingAway = true;
    this.session?.goingAway();
  }

  #send(message: string | Uint8Array): void {
    if (this.#isOver) return;
    if (this.#inBytes.isTooMuch) {
      this.#connection.reset();
      return;
    }
    for (const step of this.#script.feed(message as Frame)) this.#take(step);
    if (this.#inBytes.isFlooded) this.#pause('queue');
  }

  #end(close: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const step of this.#script.end()) this.#take(step);
    if (!this.#script.isOver) this.#in.push(0, close);
  }

  #take(step: Step): void {
    const { action, holdMs, lateMs } = step;
    const frame = action.kind === 'send' ? action.frame : '';
    const held = this.#inBytes.add(frame);
    const arrive = () => {
      this.#inBytes.remove(held);
      this.#do(step);
      if (this.#inBytes.isLow) this.#release();
    };
    const push = () => this.#in.push(bytesIn(frame), arrive, holdMs);
    if (lateMs === 0) {
      push();
      return;
    }
    const stop = this.#connection.clock.after(lateMs, () => {
      this.#late.delete(stop);
      push();
    });
    this.#late.add(stop);
  }

  #do({ action, injected }: Step): void {
    // Late messages come behind the step that silences the line.
    if (this.#pauses.has('silence')) return;
    for (const fault of injected) this.#injected(fault);
    switch (action.kind) {
      case 'send':
        this.#connection.send(action.frame);
        break;
      case 'close':
        this.#connection.close(action.code, action.reason);
        break;
      case 'reset':
        this.#connection.reset();
        break;
      case 'fall silent':
        this.#pauses.add('silence');
        this.#connection.silence();
        break;
      case 'nothing':
        break;
    }
  }

  async #drained(): Promise<void> {
    while (this.#inBytes.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await this.#connection.drained();
  }

  #release(): void {
    const released = this.#waiting;
    this.#waiting = [];
    for (const resolve of released) resolve();
    this.#readOnIfLow();
  }

  #receive(message: string | Uint8Array, deliver: () => void): void {
    const held = this.#outBytes.add(message);
    this.#out.push(bytesIn(message), () => {
      this.#outBytes.remove(held);
      deliver();
      this.#readOnIfLow();
    });
    if (this.#outBytes.isFull) this.#pause('queue');
  }

  #readOnIfLow(): void {
    if (this.#pauses.has('queue') && this.#inBytes.isLow && this.#outBytes.isLow) this.#resume('queue');
  }

  #pause(why: 'session' | 'queue'): void {
    this.#pauses.add(why);
    if (!this.#pauses.has('silence')) this.#connection.pause();
  }

  #resume(why: 'session' | 'queue'): void {
    this.#pauses.delete(why);
    if (this.#pauses.size === 0) this.#connection.resume();
  }
}

function queueBytes({ kbps, latencyMs, jitterMs }: LineOptions): number {
  if (kbps === 0) return MAX_QUEUE_BYTES;
  const carried = (kbps / 8) * (QUEUE_MS + latencyMs + jitterMs);
  return Math.min(MAX_QUEUE_BYTES, Math.max(MIN_QUEUE_BYTES, carried));
}

const bytesIn = (message: string | Uint8Array): number =>
  typeof message === 'string' ? Buffer.byteLength(message) : message.length;
