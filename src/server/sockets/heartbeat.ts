import { WebSocket } from 'ws';
import type { Clock } from '#lib/clock.ts';

const PING_EVERY_MS = 30_000;

export interface Heartbeat {
  /** The peer gave a sign of life other than a message, ping or pong. */
  alive(): void;
  stop(): void;
}

/**
 * Pings a peer until its socket is closed.
 * @param dead called where nothing came since the last ping
 */
export function heartbeat(
  socket: WebSocket,
  clock: Clock,
  { dead, beforePing = () => {} }: { dead: () => void; beforePing?: () => void },
): Heartbeat {
  let isAlive = true;
  const alive = () => {
    isAlive = true;
  };
  for (const sign of ['message', 'ping', 'pong']) socket.on(sign, alive);
  let stop = () => {};
  const beatLater = () => {
    stop = clock.after(PING_EVERY_MS, () => {
      // A paused socket reads no pong.
      if (!isAlive && !socket.isPaused) {
        dead();
        return;
      }
      beforePing();
      isAlive = false;
      if (socket.readyState === WebSocket.OPEN) socket.ping();
      beatLater();
    });
  };
  beatLater();
  socket.once('close', () => stop());
  return { alive, stop: () => stop() };
}
