import { decodeBase64 } from '#lib/base64.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import { endpointNamed } from '#protocol/registry.ts';
import type { CapturedClient, CapturedMessage } from '#trace/capture-messages.ts';
import { LOST_KIND, type NewEntry } from '#trace/entry.ts';
import { MAX_NAMES, NameLimit } from '#trace/files/recording-schema.ts';
import { byteLength, opcodeOf } from '#trace/frame-size.ts';
import { NO_NOTE } from '#trace/recorded-event.ts';
import { Trace } from '#trace/trace.ts';

/** A recording of a client has one connection. */
const CONNECTION = 1;
const EVENT = { ...NO_NOTE, direction: 'connection', opcode: 'none', connection: CONNECTION } as const;

/** Turns what the server captured of a client into entries of a recording, in order. */
export class CaptureReader {
  readonly #trace: Trace;
  readonly #startedAtMs: number;
  readonly #names = new NameLimit(MAX_NAMES);
  #lastUs = 0;

  constructor({
    endpoint,
    address,
    startedAtMs,
  }: Pick<CapturedClient, 'endpoint' | 'address' | 'startedAtMs'>) {
    this.#trace = new Trace(endpointNamed(endpoint), address);
    this.#startedAtMs = startedAtMs;
  }

  /** Returns microseconds of the recording. They never run backwards. */
  usAt(atMs: number): number {
    return Math.max(this.#lastUs, Math.round((atMs - this.#startedAtMs) * 1000));
  }

  /** @param count entries that the server had dropped */
  lost(count: number): NewEntry {
    const payload = JSON.stringify({ entries: count });
    return { ...EVENT, atUs: this.#lastUs, kind: LOST_KIND, bytes: payload.length, payload };
  }

  read({ atMs, direction, kind, call, text, base64 }: CapturedMessage): NewEntry {
    const turn = call ?? null;
    const atUs = this.usAt(atMs);
    this.#lastUs = atUs;
    if (direction === 'connection') {
      const payload = kind === 'closed' ? closedForGood(text ?? '') : (text ?? '');
      return { ...EVENT, atUs, kind, turn, bytes: byteLength(payload), payload };
    }
    const payload = base64 === undefined ? (text ?? '') : bytesOf(base64);
    const note =
      turn === null
        ? this.#trace.append({ direction, kind, connection: CONNECTION, payload }).note
        : { ...NO_NOTE, kind, turn };
    return {
      ...note,
      // A client with endless contexts would make the page list all of them.
      context: this.#names.take(note) === null ? note.context : null,
      atUs,
      direction,
      connection: CONNECTION,
      opcode: opcodeOf(payload),
      bytes: byteLength(payload),
      payload,
    };
  }
}

/** A client that connects again is another recording, so a replay of this one must not retry. */
const closedForGood = (payload: string): string => JSON.stringify({ ...fieldsOf(payload), retries: false });

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const decoded = decodeBase64(base64);
  // The server encodes it, so that only a damaged message has a problem.
  return 'bytes' in decoded ? decoded.bytes : new Uint8Array();
}
