import { bytes, milliseconds } from '#lib/format.ts';
import { hexPairs } from '#lib/hex.ts';
import { FAULT_KIND } from '#trace/entry.ts';
import { playerRecordOf } from '#trace/player-entry.ts';
import { userActionOf } from '#trace/user-actions.ts';
import type { ShownEntry } from '../store/payload-reader.ts';
import { callWords, faultWords, playerWords, userActionWords } from './entry-words.ts';

/** Width of a row on a wide screen. */
const MAX_CHARS = 200;
const MAX_VALUE_CHARS = 80;
/** Longer payloads are not parsed for one line. */
const MAX_PARSED_CHARS = 200_000;
/** Text of this length without a blank is data. */
const DATA_CHARS = 64;
const SHOWN_BYTES = 16;
const MAX_DECIMALS = 3;

/** Keys that come first, with any vendor. */
const FIRST = ['error', 'message', 'reason', 'text', 'delta', 'code'];

/** Summarises an entry in one line, from its kind and the keys of its JSON, without knowledge of any vendor. */
export function summaryOf(entry: ShownEntry): string {
  const { kind, opcode, audioMs, chunk, payload, bytes: size } = entry;
  const record = playerRecordOf(entry);
  if (record) return playerWords(record);
  const act = entry.direction === 'player' ? userActionOf(entry) : null;
  if (act) return cut(userActionWords(act), MAX_CHARS);
  if (entry.direction === 'connection' && kind === FAULT_KIND && typeof payload === 'string')
    return cut(faultWords(payload), MAX_CHARS);
  const call = callWords(entry);
  if (call !== null) return cut(call, MAX_CHARS);
  if (audioMs !== null || kind === 'audio') {
    const audio = audioMs === null ? 'audio of unknown length' : `${lengthOf(audioMs)} of audio`;
    return chunk === null ? audio : `chunk ${chunk}, ${audio}`;
  }
  if (payload === null) return 'the payload was not kept';
  if (typeof payload !== 'string') return binarySummary(payload, size);
  if (payload === '') return opcode === 'none' ? '' : 'empty';
  const value = payload.length <= MAX_PARSED_CHARS ? parsed(payload) : undefined;
  if (typeof value !== 'object' || value === null) return cut(oneLine(payload), MAX_CHARS);
  return cut(Array.isArray(value) ? compact(value) : objectSummary(value), MAX_CHARS);
}

/** `40 ms`, `2.5 ms`: frames of a codec need not have whole ones. */
const lengthOf = (ms: number): string =>
  Number.isInteger(ms) || ms >= 100 ? milliseconds(ms) : `${ms.toFixed(1)} ms`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectSummary(value: object): string {
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  const [only] = fields;
  if (!only) return '{}';
  if (fields.length === 1 && typeof only[1] === 'string') return compact(only[1]);
  const rank = ([key]: [string, unknown]): number => {
    const at = FIRST.indexOf(key);
    return at < 0 ? FIRST.length : at;
  };
  const ordered = fields.toSorted((a, b) => rank(a) - rank(b));
  return ordered.map(([key, field]) => fieldSummary(key, field)).join(', ');
}

/** A flag that is set is its name alone. */
const fieldSummary = (key: string, field: unknown): string =>
  field === true ? key : `${cut(key, MAX_VALUE_CHARS)} ${compact(field)}`;

function compact(value: unknown): string {
  if (typeof value === 'string') {
    if (value.length >= DATA_CHARS && !/\s/.test(value))
      return `(${value.length.toLocaleString('en')} characters)`;
    return JSON.stringify(cut(value, MAX_VALUE_CHARS));
  }
  if (Array.isArray(value)) {
    const simple = value.length <= 4 && value.every((item) => typeof item !== 'object');
    return simple ? `[${value.map(compact).join(', ')}]` : `[${value.length}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value);
    return keys.length === 0 ? '{}' : `{${cut(keys.join(', '), MAX_VALUE_CHARS)}}`;
  }
  return String(typeof value === 'number' ? Number(value.toFixed(MAX_DECIMALS)) : value);
}

function binarySummary(payload: Uint8Array, size: number): string {
  const hex = hexPairs(payload.subarray(0, SHOWN_BYTES)).join(' ');
  return `${bytes(size)}: ${hex}${payload.length > SHOWN_BYTES ? ' …' : ''}`;
}

/** Line ends and other control characters as blanks. */
const oneLine = (text: string): string => text.slice(0, 2 * MAX_CHARS).replace(/\p{Cc}+/gu, ' ');

/** Never through the middle of a character of two units. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(max - 2));
  return `${text.slice(0, max - (isSplit ? 2 : 1))}…`;
}
