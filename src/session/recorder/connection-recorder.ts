import type { Frame } from '#protocol/core/frame.ts';
import { byteLength, opcodeOf } from '#record/frame-size.ts';
import type { FAULT_KIND, NewEntry } from '#record/record.ts';
import { type FrameNote, UNREAD } from '#record/recorded-event.ts';
import type { Redaction } from '#record/redaction.ts';
import type { Traffic } from '../views.ts';

/** A frame with its time and without the key. */
export interface RecordedFrame {
  atMs: number;
  bytes: number;
  frame: Frame;
  /** See `EntryBatcher.add`; undefined where nothing is recorded. */
  number: number | undefined;
  /** Its entry; null where nothing is recorded. */
  entry: NewEntry | null;
}

export type ConnectionEvent = 'opening' | 'opened' | 'closed' | 'failed' | 'retrying' | typeof FAULT_KIND;

/** An entry as its connection knows it. */
export type ConnectionEntry = Pick<NewEntry, 'direction' | 'opcode' | 'bytes' | 'payload' | 'connection'> & {
  note: FrameNote;
};

/** The recording that a connection is a part of. */
export interface ConnectionBook {
  readonly redaction: Redaction;
  /** Number of the last entry. */
  readonly lastNumber: number | undefined;
  /** Begins the recording where it has not begun. Returns the number of another connection. */
  nextConnection(atMs: number): number;
  /** Returns the entry, which may still be changed in the same task; null where nothing is recorded. */
  keep(entry: ConnectionEntry, atMs: number): NewEntry | null;
  clean(note: FrameNote): FrameNote;
  hold(): () => void;
}

/** Records one connection, with the key replaced before any other code handles its frames. Only copies are decoded. */
export class ConnectionRecorder {
  traffic: Traffic = NO_TRAFFIC;
  readonly #book: ConnectionBook;
  #number = 1;
  #redaction: Redaction;
  #cleanSent: (frame: Frame) => Frame;
  #cleanReceived: (frame: Frame) => Frame;

  constructor(book: ConnectionBook) {
    this.#book = book;
    this.#redaction = book.redaction;
    this.#cleanSent = this.#redaction.stream();
    this.#cleanReceived = this.#redaction.stream();
  }

  /** Returns the entry; null where nothing is recorded. */
  outwards(frame: Frame, atMs: number, note: FrameNote): NewEntry | null {
    this.#renew();
    const bytes = byteLength(frame);
    const { framesSent, bytesSent } = this.traffic;
    this.traffic = { ...this.traffic, framesSent: framesSent + 1, bytesSent: bytesSent + bytes };
    const payload = this.#cleanSent(frame);
    return this.#keep({ direction: 'out', opcode: opcodeOf(frame), bytes, payload, note }, atMs);
  }

  inwards(frame: Frame, atMs: number): RecordedFrame {
    this.#renew();
    const bytes = byteLength(frame);
    const { framesReceived, bytesReceived } = this.traffic;
    const received = { framesReceived: framesReceived + 1, bytesReceived: bytesReceived + bytes };
    this.traffic = { ...this.traffic, ...received };
    const payload = this.#cleanReceived(frame);
    const note = { kind: UNREAD };
    const entry = this.#keep({ direction: 'in', opcode: opcodeOf(frame), bytes, payload, note }, atMs);
    return { atMs, bytes, frame: payload, number: this.#book.lastNumber, entry };
  }

  /** Sets the kind of a received frame. To be called in the same task, or before {@link hold} is released. */
  understood({ entry }: RecordedFrame, note: FrameNote): void {
    if (entry) Object.assign(entry, this.#book.clean(note));
  }

  /** Keeps entries from being posted until the returned function is called. */
  hold(): () => void {
    return this.#book.hold();
  }

  /** Records an event of the connection; `opening` is its first. Returns the number of the entry. */
  happened(
    event: ConnectionEvent,
    what: Readonly<Record<string, unknown>>,
    atMs: number,
  ): number | undefined {
    this.#renew();
    if (event === 'opening') this.#number = this.#book.nextConnection(atMs);
    const payload = this.#redaction.json(what);
    const note = { kind: event };
    this.#keep({ direction: 'connection', opcode: 'none', bytes: byteLength(payload), payload, note }, atMs);
    return this.#book.lastNumber;
  }

  #keep(entry: Omit<ConnectionEntry, 'connection'>, atMs: number): NewEntry | null {
    return this.#book.keep({ ...entry, connection: this.#number }, atMs);
  }

  /** Follows a change of the keys to replace. */
  #renew(): void {
    if (this.#redaction === this.#book.redaction) return;
    this.#redaction = this.#book.redaction;
    this.#cleanSent = this.#redaction.stream();
    this.#cleanReceived = this.#redaction.stream();
  }
}

export const NO_TRAFFIC: Traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };
