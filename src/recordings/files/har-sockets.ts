import { decodeBase64 } from '#lib/base64.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import { shown } from '#protocol/core/issue.ts';
import { type Fields, isFields } from '#protocol/core/json-frame.ts';
import { z } from '#protocol/core/zod.ts';
import { fitting, type ValueFault } from '#trace/files/json.ts';
import { MAX_TIME_S } from '#trace/files/recording-schema.ts';
import type { HarDamage } from './har-damage.ts';
import type { HarEvent, HarMessage, HarPath, HarSocket } from './har-recordings.ts';

/** The sockets in HAR files of other programs. Each program fills the fields in its own way, or leaves some out. */

export const MAX_URL_CHARS = 8192;
export const MAX_DATE_CHARS = 100;

const urlSchema = z.object({ request: z.object({ url: z.string().check(z.maxLength(MAX_URL_CHARS)) }) });
const startSchema = z.object({ startedDateTime: z.nullish(z.string().check(z.maxLength(MAX_DATE_CHARS))) });

/** Of a message in any HAR file. */
export const messageShape = {
  type: z.string().check(z.maxLength(100)),
  /** Seconds since 1970. */
  time: z.number().check(z.nonnegative(), z.lte(MAX_TIME_S)),
  opcode: z.int(),
  data: z.string(),
};
const messageSchema = z.object(messageShape);

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;

/** A socket, before its messages are read. */
export interface ForeignSocket extends Pick<HarSocket, 'path' | 'url' | 'startedMs'> {
  messages: readonly unknown[];
}

/** Returns the time of a HAR file in ms since 1970; null for one of no clock. */
export function dateMs(text: string | null | undefined): number | null {
  const ms = Date.parse(text ?? '');
  return ms >= 0 ? ms : null;
}

/** Reads an entry of the file. Null for one that is no WebSocket, as most are, and for one without any use. */
export function foreignSocket(value: unknown, path: HarPath, damage: HarDamage): ForeignSocket | null {
  if (!isFields(value)) {
    damage.add({ path, expected: 'an object', found: shown(value) }, 'The entry is left out.');
    return null;
  }
  const { _webSocketMessages: messages } = value;
  // Some programs write the field for every entry.
  if (messages === undefined || messages === null) return null;
  if (!Array.isArray(messages)) {
    const fault = { path: [...path, '_webSocketMessages'], expected: 'an array', found: shown(messages) };
    damage.add(fault, 'The entry is left out.');
    return null;
  }
  const address = fitting(urlSchema, value, path);
  if ('fault' in address) damage.add(address.fault, 'The WebSocket has no address.');
  const start = fitting(startSchema, value, path);
  if ('fault' in start) damage.add(start.fault, 'The WebSocket opens with its first message.');
  return {
    path,
    url: 'data' in address ? address.data.request.url : '',
    startedMs: 'data' in start ? dateMs(start.data.startedDateTime) : null,
    messages,
  };
}

/**
 * Returns the messages of a socket, its close, and a mark in place of those that are damaged; nothing where no message is
 * left, or where none has a time.
 * @param skipped called for each control frame, and for other values than messages, such as the errors of DevTools
 */
export function eventsOf(
  { path, messages, startedMs }: ForeignSocket,
  damage: HarDamage,
  skipped: () => void,
): HarEvent[] {
  const events: HarEvent[] = [];
  /** Before the first event with a time, which they get. */
  const untimed: HarEvent[] = [];
  let atMs: number | null = null;
  let isClosed = false;
  const add = (event: HarEvent): void => {
    events.push(event);
    if (atMs === null) untimed.push(event);
  };
  const pass = (ms: number): void => {
    for (const event of untimed.splice(0)) event.atMs = ms;
    atMs = ms;
  };
  for (const [i, value] of messages.entries()) {
    const at = [...path, '_webSocketMessages', i];
    if (isFields(value) && value.opcode === CLOSE) {
      // The other side answers with a close of its own.
      if (isClosed) continue;
      isClosed = true;
      const ms = timeIn(value);
      if (ms !== null) pass(ms);
      add({ close: closeIn(value), atMs: ms ?? atMs ?? startedMs ?? 0 });
      continue;
    }
    if (isSkipped(value)) {
      skipped();
      continue;
    }
    const read = readMessage(value, at);
    if ('fault' in read) {
      damage.add(read.fault, 'The message is left out.');
      const last = events.at(-1);
      if (last && 'lost' in last) last.lost += 1;
      else add({ lost: 1, atMs: atMs ?? startedMs ?? 0 });
    } else {
      pass(read.atMs);
      events.push(read);
    }
  }
  const hasTime = atMs !== null || startedMs !== null;
  return hasTime && events.some((event) => !('lost' in event)) ? events : [];
}

/** Other tools list control frames, and DevTools errors, which hold nothing to read. */
function isSkipped(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { type, opcode } = value;
  const isControl = Number.isInteger(opcode) && opcode !== TEXT && opcode !== BINARY;
  return isControl || (typeof type === 'string' && type !== 'send' && type !== 'receive');
}

function readMessage(value: unknown, path: HarPath): HarMessage | { fault: ValueFault } {
  const read = fitting(messageSchema, value, path);
  return 'fault' in read ? read : decodedMessage(read.data, path);
}

/** Returns a text or binary message. */
export function decodedMessage(
  { type, time, opcode, data }: z.output<typeof messageSchema>,
  path: HarPath,
): HarMessage | { fault: ValueFault } {
  const direction: 'out' | 'in' = type === 'send' ? 'out' : 'in';
  const atMs = time * 1000;
  if (opcode === TEXT) return { head: { direction, opcode: 'text' }, atMs, payload: data };
  const decoded = decodeBase64(data);
  if (!('problem' in decoded)) return { head: { direction, opcode: 'binary' }, atMs, payload: decoded.bytes };
  const found = `something else (${decoded.problem})`;
  return { fault: { path: [...path, 'data'], expected: 'base64, as the opcode is 2', found } };
}

/** Whether a message of a HAR file is a text or binary one. */
export const isMessage = ({ type, opcode }: z.output<typeof messageSchema>): boolean =>
  (type === 'send' || type === 'receive') && (opcode === TEXT || opcode === BINARY);

const timeIn = ({ time }: Fields): number | null =>
  typeof time === 'number' && time >= 0 && time <= MAX_TIME_S ? time * 1000 : null;

/** RFC 6455, section 5.5: a control frame has at most 125 bytes, two of them the code. */
const MAX_REASON_CHARS = 123;

/** A code, and a reason behind it. */
const CODE_IN_WORDS = /^\s{0,8}(\d{4})(?!\d)[\s:,-]{0,8}/;

/** Reads a close: from fields of its own, or from its data as base64, as one character a byte, or in words. */
function closeIn({ type, code, reason, data }: Fields): { code: number; reason: string; asked: boolean } {
  const asked = type === 'send';
  const words = typeof reason === 'string' ? reason.slice(0, MAX_REASON_CHARS) : '';
  if (isCloseCode(code)) return { code, reason: words, asked };
  const text = typeof data === 'string' ? data : '';
  const written = CODE_IN_WORDS.exec(text);
  if (written && isCloseCode(Number(written[1])))
    return { code: Number(written[1]), reason: words || textFrom(text, written[0].length), asked };
  const decoded = decodeBase64(text);
  const bytes = 'bytes' in decoded ? decoded.bytes : Uint8Array.from(text, (each) => each.charCodeAt(0));
  const [high = 0, low = 0] = bytes;
  const inBytes = high * 256 + low;
  if (!isCloseCode(inBytes)) return { code: CLOSE_CODES.none, reason: words, asked };
  return { code: inBytes, reason: words || textFrom(new TextDecoder().decode(bytes.subarray(2)), 0), asked };
}

const textFrom = (text: string, from: number): string => text.slice(from, from + MAX_REASON_CHARS);

const isCloseCode = (code: unknown): code is number =>
  typeof code === 'number' && Number.isInteger(code) && code >= 1000 && code < 5000;
