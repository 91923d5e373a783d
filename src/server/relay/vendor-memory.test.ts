import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CountBytes, SMALL_BYTES, VendorMemory, type VendorReader } from './vendor-memory.ts';

const PART = SMALL_BYTES;
const MESSAGE = 16 * PART;
const LIMITS = { scarceAbove: 3 * MESSAGE, max: 8 * MESSAGE, message: MESSAGE };

/** A relayed socket whose vendor has messages to send, part by part. */
class Relayed implements VendorReader {
  readonly peer: readonly string[];
  readonly #countBytes: CountBytes;
  isWaiting = false;
  isCut = false;
  unfinished = 0;
  unread = 0;
  /** Bytes of the vendor that have arrived. */
  arrived = 0;

  constructor(memory: VendorMemory, address: string) {
    this.peer = [address];
    this.#countBytes = memory.hold(this);
  }

  wait(isWaiting: boolean): void {
    this.isWaiting = isWaiting;
  }

  giveUp(): void {
    this.isCut = true;
    this.unfinished = 0;
    this.unread = 0;
  }

  /** Takes a part from the vendor, unless the socket waits or has an earlier message. @returns false where it does */
  take(): boolean {
    if (this.isCut || this.isWaiting || this.unread > 0 || this.arrived === MESSAGE) return false;
    this.arrived += PART;
    this.unfinished += PART;
    if (this.arrived === MESSAGE) [this.unfinished, this.unread] = [0, MESSAGE];
    this.#count();
    return true;
  }

  /** The client reads. */
  read(): void {
    this.unread = 0;
    if (!this.isCut) this.#count();
  }

  #count(): void {
    this.#countBytes(this.unfinished + this.unread, this.unread === 0);
  }
}

describe('memory of the messages of vendors', () => {
  it('is bounded, and every message of clients that read is complete in the end', () => {
    const order = fc.array(fc.nat(39), { maxLength: 300 });
    fc.assert(
      fc.property(order, fc.nat(3), (steps, addresses) => {
        const memory = new VendorMemory(LIMITS);
        const sockets = Array.from({ length: 40 }, (_, at) => new Relayed(memory, `${at % (addresses + 1)}`));
        const heldBytes = () => sockets.reduce((sum, { unfinished, unread }) => sum + unfinished + unread, 0);
        const most = () =>
          expect(heldBytes()).toBeLessThanOrEqual(
            // Each socket may have a small part of a message.
            LIMITS.scarceAbove + LIMITS.message + sockets.length * 2 * SMALL_BYTES,
          );
        for (const at of steps) {
          sockets[at]?.take();
          most();
          sockets[at]?.read();
        }
        for (let isMoving = true; isMoving; ) {
          isMoving = false;
          for (const socket of sockets) {
            if (!socket.take()) continue;
            isMoving = true;
            most();
            socket.read();
          }
        }
        expect(sockets.every(({ arrived, isCut }) => arrived === MESSAGE && !isCut)).toBe(true);
        expect(memory.heldBytes).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  it('of an address whose clients do not read is bounded, and ends for another one', () => {
    const memory = new VendorMemory(LIMITS);
    const hostile = Array.from({ length: 40 }, () => new Relayed(memory, 'hostile'));
    while (hostile.map((socket) => socket.take()).includes(true));
    expect(memory.heldBytes).toBeLessThanOrEqual(LIMITS.max);
    expect(hostile.some(({ isCut }) => isCut)).toBe(false);
    for (let at = 0; at < 3; at += 1) {
      const good = new Relayed(memory, 'good');
      while (good.take());
      expect(good.arrived).toBe(MESSAGE);
      expect(memory.heldBytes).toBeLessThanOrEqual(LIMITS.max);
      good.read();
      while (hostile.map((socket) => socket.take()).includes(true));
    }
    // Once they read, all that were not cut go on.
    for (let isMoving = true; isMoving; ) {
      isMoving = false;
      for (const socket of hostile) {
        socket.read();
        isMoving = socket.take() || isMoving;
      }
    }
    expect(hostile.every(({ arrived, isCut }) => isCut || arrived === MESSAGE)).toBe(true);
    expect(hostile.filter(({ isCut }) => isCut).length).toBeLessThan(5);
  });
});
