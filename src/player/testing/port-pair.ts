import type { TrackPort } from '../worklet-messages.ts';

class MemoryPort implements TrackPort {
  peer: MemoryPort | null = null;
  #handler: ((event: MessageEvent) => void) | null = null;
  #held: unknown[] = [];

  get onmessage(): ((event: MessageEvent) => void) | null {
    return this.#handler;
  }

  set onmessage(handler: ((event: MessageEvent) => void) | null) {
    this.#handler = handler;
    const held = this.#held;
    this.#held = [];
    if (handler) for (const message of held) this.#deliver(message);
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    const copy: unknown = structuredClone(message, { transfer });
    if (this.peer) this.peer.#deliver(copy);
  }

  close(): void {
    if (this.peer) this.peer.peer = null;
    this.peer = null;
  }

  #deliver(message: unknown): void {
    if (this.#handler) this.#handler(new MessageEvent('message', { data: message }));
    else this.#held.push(message);
  }
}

/** Two ends of a channel that delivers at once, copying and moving as a MessageChannel does. */
export function portPair(): [TrackPort, TrackPort] {
  const a = new MemoryPort();
  const b = new MemoryPort();
  a.peer = b;
  b.peer = a;
  return [a, b];
}
