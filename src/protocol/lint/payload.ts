import { decodeBase64Into, maxDecodedBytes } from '#lib/base64.ts';
import { SENTENCE_MARKS } from '#lib/text/punctuation.ts';
import { MAX_MESSAGE_BYTES } from '../core/json-frame.ts';

/** Bytes of a message on the wire. */
export function payloadBytes(payload: string | Uint8Array): number {
  if (typeof payload !== 'string') return payload.byteLength;
  // A character takes at most three bytes of UTF-8, so most need no counting.
  return payload.length * 3 <= MAX_MESSAGE_BYTES ? payload.length : new TextEncoder().encode(payload).length;
}

const SENTENCE_END = new RegExp(`[${SENTENCE_MARKS}:;][\\s"'”’»)\\]]*$`, 'u');

/** Whether a text ends at a possible end of speech: after a sentence mark, a closing quotation mark or a tag. */
export function endsSentence(text: string): boolean {
  const said = text.trimEnd();
  return said.endsWith('>') || text.includes('\n', said.length) || SENTENCE_END.test(text);
}

/** The decoded length of base64 in bytes; null for text that is not base64. */
export function base64Bytes(base64: string): number | null {
  const needed = maxDecodedBytes(base64.length);
  if (needed > scratch.length && needed <= MAX_MESSAGE_BYTES) scratch = new Uint8Array(needed);
  // Decoding is the fastest validation where the browser has a native decoder.
  const decoded = decodeBase64Into(base64, needed <= scratch.length ? scratch : new Uint8Array(needed));
  return 'bytes' in decoded ? decoded.bytes : null;
}

let scratch = new Uint8Array(0);

/** Whether a reported figure may be the exact one, rounded to its own decimals: at least one, at most three. */
export function agrees(reported: number, exact: number): boolean {
  const decimals = Math.min(3, Math.max(1, (String(reported).split('.')[1] ?? '').length));
  return Math.abs(reported - exact) <= 0.5 * 10 ** -decimals + 1e-6;
}

/** Seconds for people, in whole milliseconds. */
export const secondsText = (seconds: number): string => `${Math.round(seconds * 1000) / 1000} s`;
