import type { Frame } from '../protocol/endpoint.ts';
import { Redaction } from './redaction.ts';

/** One frame as everything behind the recorder sees it: timed, and without the key. */
export interface RecordedFrame {
  atMs: number;
  bytes: number;
  frame: Frame;
}

export interface Traffic {
  framesSent: number;
  framesReceived: number;
  bytesSent: number;
  bytesReceived: number;
}

/**
 * Every frame passes here first, either way, before anything can fail on it, and nothing behind it has ever held the
 * key: what it returns is what may be decoded, shown and kept. What goes onto the wire is the frame itself.
 */
export class Recorder {
  traffic: Traffic = NO_TRAFFIC;
  #redaction = new Redaction('');

  /** A new connection: counts begin again, and this is the key to replace from now on. */
  begin(secret: string): void {
    this.traffic = NO_TRAFFIC;
    this.#redaction = new Redaction(secret);
  }

  outwards(frame: Frame, atMs: number): RecordedFrame {
    const bytes = byteLength(frame);
    const { framesSent, bytesSent } = this.traffic;
    this.traffic = { ...this.traffic, framesSent: framesSent + 1, bytesSent: bytesSent + bytes };
    return { atMs, bytes, frame: this.#redaction.frame(frame) };
  }

  inwards(frame: Frame, atMs: number): RecordedFrame {
    const bytes = byteLength(frame);
    const { framesReceived, bytesReceived } = this.traffic;
    this.traffic = {
      ...this.traffic,
      framesReceived: framesReceived + 1,
      bytesReceived: bytesReceived + bytes,
    };
    return { atMs, bytes, frame: this.#redaction.frame(frame) };
  }

  /** A sentence that may repeat the key: close reason, message of an exception. */
  words(text: string): string {
    return this.#redaction.words(text);
  }
}

const NO_TRAFFIC: Traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };

const encoder = new TextEncoder();
const scratch = new Uint8Array(1 << 16);

/** Bytes of the message's payload. Text is counted without keeping its encoded form. */
function byteLength(frame: Frame): number {
  if (typeof frame !== 'string') return frame.byteLength;
  let bytes = 0;
  let rest = frame;
  for (;;) {
    const { read, written } = encoder.encodeInto(rest, scratch);
    bytes += written;
    if (read >= rest.length) return bytes;
    rest = rest.slice(read);
  }
}
