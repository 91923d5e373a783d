import { type Clock, systemClock } from '#lib/clock.ts';
import type { Handshake } from '#protocol/core/address.ts';
import type { Frame } from '#protocol/core/frame.ts';

/** Clock and sockets of a session, so that tests control both. */
export interface SessionEnvironment extends Clock {
  /** Throws where the address is invalid. */
  openSocket(handshake: Handshake, handlers: SocketHandlers): Socket;
}

export interface Socket {
  send(frame: Frame): void;
  close(code: number): void;
}

export interface SocketHandlers {
  opened(): void;
  received(frame: Frame): void;
  /**
   * Always the last call, also where the socket never opened.
   * @param isFinal nobody tries again, as after the recorded end of another client
   */
  closed(code: number, reason: string, isFinal?: boolean): void;
}

export const browserEnvironment: SessionEnvironment = {
  ...systemClock,
  openSocket({ url, protocols }, handlers) {
    const socket = new WebSocket(url, [...protocols]);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => handlers.opened();
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) =>
      handlers.received(typeof data === 'string' ? data : new Uint8Array(data));
    socket.onclose = ({ code, reason }) => handlers.closed(code, reason);
    return {
      send: (frame) => socket.send(frame),
      close: (code) => socket.close(code),
    };
  },
};
