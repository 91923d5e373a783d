import { isUtf8 } from 'node:buffer';
import { type RawData, WebSocket } from 'ws';
import type { Clock } from '#lib/clock.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Connection, Session, SocketEnd } from '../connection.ts';
import { faultFields, type Log } from '../log.ts';
import { heartbeat } from './heartbeat.ts';
import { LoopDebt } from './loop-debt.ts';
import { TotalOutput, UnreadOutput } from './unread-output.ts';

/** A client that reads nothing for this long is closed. */
const STALLED_MS = 30_000;
/** A socket without messages for this long is closed. */
const IDLE_SOCKET_MS = 10 * 60_000;
/** Time for a client to answer a close. */
const CLOSE_GRACE_MS = 5000;

export const CLOSE_NOT_UTF8 = 1007;
export const CLOSE_POLICY = 1008;
const CLOSE_INTERNAL = 1011;
export const CLOSE_TRY_AGAIN = 1013;

/** Opens the server's side of a connection; null where it refuses the connection and closes it. */
export type OpenSession = (connection: Connection) => Session | null;

export interface ServedSocket {
  /** Time since the last message either way; 0 while the client has not read everything, and once it is closing. */
  readonly idleMs: number;
  /** Ends the session gracefully. */
  goingAway(): void;
  /** Closes now, also during a turn. */
  close(code: number, reason: string): void;
  terminate(): void;
  /** Resolves when the socket is closed, with the close as the client has it. */
  readonly closed: Promise<SocketEnd>;
}

interface SocketOptions {
  clock: Clock;
  /** Time of the processor that the process has used, in ms. */
  cpuMs?: () => number;
  log: Log;
  total?: TotalOutput;
  /** The time of the event loop that the client owes for its messages. */
  debt?: LoopDebt;
  /** Keeps a socket without messages open. */
  mayIdle?: boolean;
  /** Called with each message before it is sent. */
  sent?: (message: string | Uint8Array) => void;
  /** Ends the connection below the WebSocket protocol. */
  cut?: () => void;
  /** Drops everything that the client sends from now on, below the WebSocket protocol. */
  ignore?: () => void;
}

/** Connects a socket with a session and bounds what a client makes the server buffer. */
export function serveSocket(
  socket: WebSocket,
  open: OpenSession,
  {
    clock,
    cpuMs = processCpuMs,
    log,
    total = new TotalOutput(),
    debt = new LoopDebt(new Set(), ''),
    mayIdle = false,
    sent = () => {},
    cut = () => socket.terminate(),
    ignore = () => socket.pause(),
  }: SocketOptions,
): ServedSocket {
  let session: Session | null = null;
  let lastMessageMs = clock.nowMs();
  const output = new UnreadOutput(total);
  let waiting: (() => void)[] = [];
  /** Why the socket is not read. */
  const pauses = { bySession: false, byOutput: false, byDebt: false };
  let stopStallTimer = () => {};
  let stopDebtTimer = () => {};
  let stopCloseTimer = () => {};

  const failed = (error: unknown) => {
    log.error(faultFields(error), 'session failed');
    leave({ code: CLOSE_INTERNAL, reason: 'internal error', asked: false });
    close(CLOSE_INTERNAL, 'internal error');
  };

  /** Runs a task of the session. A fault costs this connection and no other. */
  const guarded = (task: () => void) => {
    const startMs = clock.nowMs();
    const startCpuMs = cpuMs();
    try {
      task();
    } catch (error) {
      failed(error);
    }
    // Other threads of the process use the processor as well, so its time alone can be more.
    charge(Math.min(clock.nowMs() - startMs, cpuMs() - startCpuMs));
  };

  /** A client whose task took long is read again after others had their share. */
  const charge = (tookMs: number) => {
    // A client that is gone would remain a debtor.
    if (socket.readyState !== WebSocket.OPEN) return;
    const waitMs = debt.charge(tookMs, clock.nowMs());
    if (waitMs === 0) return;
    pauses.byDebt = true;
    socket.pause();
    stopDebtTimer();
    stopDebtTimer = clock.after(waitMs, () => {
      pauses.byDebt = false;
      readOn();
    });
  };

  const terminate = (why: string) => {
    log.warn({ why, unreadBytes: output.bytes }, 'socket cut');
    socket.terminate();
  };

  let ownClose: SocketEnd | null = null;
  const close = (code: number, reason: string) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    ownClose ??= { code, reason, asked: false };
    // The answer to the close follows the unread messages.
    socket.resume();
    if (code === CLOSE_CODES.none) socket.close();
    else socket.close(code, reason);
    stopCloseTimer = clock.after(CLOSE_GRACE_MS, () => terminate('no answer to close'));
  };

  /** Informs the session once that its client is gone. */
  let left = false;
  const leave = (end: SocketEnd) => {
    if (left) return;
    left = true;
    guarded(() => session?.gone(end));
  };

  /** The connection ends once everything is written. */
  let isResetting = false;
  const resetWhenWritten = () => {
    if (isResetting && output.bytes === 0) cut();
  };

  /** Ends the connection of a client that does not read. */
  const giveUp = () => {
    // The close frame queues after the unread output and is lost if the client never reads.
    const reason = 'the client does not read';
    close(CLOSE_TRY_AGAIN, reason);
    // Stops the session before `release` resumes it, because nobody listens.
    leave({ code: CLOSE_TRY_AGAIN, reason, asked: false });
    release();
  };

  const watchForStall = () => {
    stopStallTimer();
    stopStallTimer = clock.after(STALLED_MS, giveUp);
  };

  const release = () => {
    stopStallTimer();
    const released = waiting;
    waiting = [];
    for (const resolve of released) resolve();
    pauses.byOutput = false;
    readOn();
  };

  const readOn = () => {
    if (pauses.bySession || pauses.byOutput || pauses.byDebt) return;
    // The answer to a ping may be among the unread messages.
    beats.alive();
    socket.resume();
  };

  /** Counts a frame until it is written, and applies back-pressure meanwhile. @returns the callback of its write */
  const track = (frame: string | Uint8Array): ((error?: Error | null) => void) => {
    const bytes = output.add(frame);
    if (output.isFlooded && !pauses.byOutput) {
      pauses.byOutput = true;
      socket.pause();
      watchForStall();
    }
    return (error) => {
      output.remove(bytes);
      if (error) return;
      beats.alive();
      resetWhenWritten();
      if (waiting.length === 0 && !pauses.byOutput) return;
      if (output.isLow) release();
      else watchForStall();
    };
  };

  const connection: Connection = {
    clock: {
      nowMs: () => clock.nowMs(),
      after: (delayMs, task) => clock.after(delayMs, () => guarded(task)),
    },
    background(work) {
      work().catch(failed);
    },
    send(message) {
      if (socket.readyState !== WebSocket.OPEN || isResetting) return;
      // Before the message is counted, because a relayed one can be larger than this limit on its own.
      if (output.isTooMuch) return terminate('too much unread output');
      lastMessageMs = clock.nowMs();
      sent(message);
      socket.send(message, track(message));
    },
    close,
    reset() {
      if (socket.readyState !== WebSocket.OPEN) return;
      ownClose ??= { code: CLOSE_CODES.abnormal, reason: '', asked: false };
      isResetting = true;
      resetWhenWritten();
    },
    drained() {
      if (socket.readyState !== WebSocket.OPEN || !output.isFull) return Promise.resolve();
      if (waiting.length === 0) watchForStall();
      return new Promise((resolve) => waiting.push(resolve));
    },
    pause() {
      pauses.bySession = true;
      if (socket.readyState === WebSocket.OPEN) socket.pause();
    },
    silence() {
      beats.stop();
      ignore();
    },
    resume() {
      pauses.bySession = false;
      readOn();
    },
  };

  const beats = heartbeat(socket, clock, {
    dead: () => terminate('no answer to ping'),
    beforePing() {
      const isIdle = !mayIdle && clock.nowMs() - lastMessageMs >= IDLE_SOCKET_MS;
      if (isIdle) close(CLOSE_POLICY, 'no message for 10 minutes');
    },
  });

  const closed = new Promise<SocketEnd>((resolve) => {
    socket.once('close', (code, reason) => {
      stopCloseTimer();
      stopDebtTimer();
      debt.cancel();
      const end = ownClose ?? { code, reason: reason.toString(), asked: true };
      leave(end);
      release();
      log.info({ code }, 'socket closed');
      resolve(end);
    });
  });
  // `close` always follows. A message that is too large ends here, after its close code was sent.
  socket.on('error', (error) =>
    log.info({ error: 'code' in error ? error.code : error.name }, 'socket error'),
  );
  socket.on('ping', (data) => {
    guarded(() => session?.pinged?.());
    // A client that does not read gets no pong, because pongs would fill the memory as well.
    if (!output.isFull) socket.pong(data, false, track(data));
  });
  socket.on('message', (data, isBinary) => {
    // The session is over, and its messages would no longer be charged.
    if (socket.readyState !== WebSocket.OPEN) return;
    lastMessageMs = clock.nowMs();
    const bytes = bytesOf(data);
    if (!isBinary && !isUtf8(bytes)) {
      const reason = 'a text message that is not UTF-8';
      close(CLOSE_NOT_UTF8, reason);
      leave({ code: CLOSE_NOT_UTF8, reason, asked: false });
      return;
    }
    guarded(() => {
      if (isBinary) session?.binary(bytes);
      else session?.text(bytes.toString('utf8'));
    });
  });
  guarded(() => {
    session = open(connection);
  });

  return {
    get idleMs() {
      const isQuiet = socket.readyState === WebSocket.OPEN && output.bytes === 0;
      return isQuiet ? clock.nowMs() - lastMessageMs : 0;
    },
    goingAway: () => guarded(() => session?.goingAway()),
    close,
    terminate: () => socket.terminate(),
    closed,
  };
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** `ws` delivers one Buffer a message by default. */
export const bytesOf = (data: RawData): Buffer => (Buffer.isBuffer(data) ? data : Buffer.alloc(0));
