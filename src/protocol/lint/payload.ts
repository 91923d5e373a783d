import { decodeBase64Into, maxDecodedBytes } from '#lib/base64.ts';
import { shown } from '../core/issue.ts';

/** A text message over this is refused by closing with 1009 (decision 5). */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** The JSON object of a text message, or what it is instead. */
export function readObject(message: string): { value: object } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(message);
  } catch {
    return { problem: `expected a JSON object, got ${shown(message)}` };
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { value }
    : { problem: `expected a JSON object, got ${shown(value)}` };
}

/** Bytes of a message on the wire. */
export function payloadBytes(payload: string | Uint8Array): number {
  if (typeof payload !== 'string') return payload.byteLength;
  // A character takes at most three bytes of UTF-8, so most need no counting.
  return payload.length * 3 <= MAX_MESSAGE_BYTES ? payload.length : new TextEncoder().encode(payload).length;
}

/** Whether half a character stands at either end, or anywhere without its other half. */
export const hasLoneSurrogate = (text: string): boolean => LONE_SURROGATE.test(text);

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

const SENTENCE_END = /[.!?…。！？。:;][\s"'”’»)\]]*$/u;

/** Whether a text ends where speech may end: behind a sentence mark, or behind what closes a quotation or a tag. */
export const endsSentence = (text: string): boolean => SENTENCE_END.test(text) || /[>\n]\s*$/.test(text);

/** Bytes that base64 text stands for; null where it is no base64. */
export function base64Bytes(base64: string): number | null {
  const needed = maxDecodedBytes(base64.length);
  if (needed > scratch.length && needed <= MAX_MESSAGE_BYTES) scratch = new Uint8Array(needed);
  // Decoded only to be counted: where the browser does it, this is the fastest way to tell whether it can be.
  const decoded = decodeBase64Into(base64, needed <= scratch.length ? scratch : new Uint8Array(needed));
  return 'bytes' in decoded ? decoded.bytes : null;
}

let scratch = new Uint8Array(0);

/**
 * Whether a figure that was told agrees with an exact one. It may be rounded to the decimals that it shows, of which one at
 * least and three at most are believed.
 */
export function agrees(told: number, exact: number): boolean {
  const decimals = Math.min(3, Math.max(1, (String(told).split('.')[1] ?? '').length));
  return Math.abs(told - exact) <= 0.5 * 10 ** -decimals + 1e-6;
}

/** A figure of seconds as people read it. */
export const secondsText = (seconds: number): string => `${Math.round(seconds * 1000) / 1000} s`;
