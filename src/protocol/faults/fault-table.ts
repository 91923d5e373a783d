import { CLOSE_CODES } from '../core/close-meaning.ts';
import type { VendorFailures } from '../core/endpoint.ts';

/** What stands between the equals sign and the end of a fault. */
export type FaultValue =
  | {
      unit: 'ms' | 'kbps' | 'code' | 'status' | 'number';
      min: number;
      max: number;
      allows?: (value: number) => boolean;
    }
  | { unit: 'NAME' | 'name'; pattern: RegExp };

/** One fault on purpose, as an address names it. */
export interface FaultKind {
  value: FaultValue | null;
  /** What `@n` counts, from 1 on each connection; null for a fault without a place. */
  at: 'audio frame' | 'chunk' | 'word' | null;
  /** What it accepts, for people. */
  range: string;
  /** One sentence for people. */
  effect: string;
  /** The fault changes calls of the REST API too. */
  onCalls?: true;
  /** The fault changes word timestamps. */
  onWords?: true;
  /** The entry is no fault, and sets something for all faults. */
  isSetting?: true;
}

const HOUR_MS = 3_600_000;
/** The longest delay whose messages on the way fit into the bounds of one connection. */
const MAX_DELAY_MS = 10_000;
const MAX_SEED = 2 ** 32 - 1;

const msUpTo = (max: number) => ({
  value: { unit: 'ms', min: 1, max } as const,
  range: `1 to ${max} ms`,
});
const plain = { value: null, range: '' } as const;
const anyTime = { at: null } as const;
const atAudio = { at: 'audio frame' } as const;

/** Codes that a close frame may carry (RFC 6455, 7.4.1), and 1005 for a close frame without one. */
const isCloseCode = (code: number): boolean =>
  (code <= 1003 && code >= 1000) ||
  code === CLOSE_CODES.none ||
  (code >= 1007 && code <= 1014) ||
  (code >= 3000 && code <= 4999);

/** All faults, in the order of documents and forms. */
export const FAULTS = {
  latency: {
    ...msUpTo(MAX_DELAY_MS),
    ...anyTime,
    onCalls: true,
    effect: 'Delays every message by this time, both ways, and the answer to the handshake by twice as much.',
  },
  'latency-in': {
    ...msUpTo(MAX_DELAY_MS),
    ...anyTime,
    onCalls: true,
    effect: 'Delays every message to the client, in addition to `latency`.',
  },
  'latency-out': {
    ...msUpTo(MAX_DELAY_MS),
    ...anyTime,
    onCalls: true,
    effect: 'Delays every message of the client, in addition to `latency`.',
  },
  jitter: {
    ...msUpTo(MAX_DELAY_MS),
    ...anyTime,
    effect: 'Delays every message by a further random time up to this one, both ways. The order stays.',
  },
  bandwidth: {
    value: { unit: 'kbps', min: 8, max: 1_000_000 },
    range: '8 to 1000000 kilobits a second',
    ...anyTime,
    effect: 'Limits each direction to this rate.',
  },
  stall: {
    ...msUpTo(HOUR_MS),
    ...atAudio,
    effect: 'Sends nothing for this time before the n-th audio frame. Then everything follows.',
  },
  close: {
    value: { unit: 'code', min: 1000, max: 4999, allows: isCloseCode },
    range: '1000 to 1003, 1005 (none), 1007 to 1014, or 3000 to 4999',
    ...atAudio,
    effect: 'Closes with this code in place of the n-th audio frame.',
  },
  'going-away': {
    ...plain,
    ...atAudio,
    effect: 'Closes with the vendor’s code for a restart in place of the n-th audio frame.',
  },
  reset: {
    ...plain,
    ...atAudio,
    effect: 'Resets the connection without a close frame in place of the n-th audio frame.',
  },
  'half-open': {
    ...plain,
    ...atAudio,
    effect: 'Sends and reads nothing more from the n-th audio frame on, and leaves the connection open.',
  },
  error: {
    value: { unit: 'NAME', pattern: /^[A-Za-z][A-Za-z_]{1,39}$/ },
    range: 'a name of the vendor’s errors',
    at: 'chunk',
    effect:
      'Sends this error in place of the n-th chunk, then the vendor’s close code where the error has one. The frames of the chunk are dropped.',
  },
  refuse: {
    value: { unit: 'status', min: 400, max: 599 },
    range: '400 to 599',
    ...anyTime,
    onCalls: true,
    effect: 'Refuses the handshake or the call with this HTTP status.',
  },
  'slow-start': {
    ...msUpTo(HOUR_MS),
    ...anyTime,
    effect: 'Starts every chunk later by this time.',
  },
  'lose-words': { ...plain, ...anyTime, onWords: true, effect: 'Drops all word timestamps.' },
  'late-words': {
    ...msUpTo(HOUR_MS),
    ...anyTime,
    onWords: true,
    effect: 'Sends word timestamps later by this time, behind frames that came after them.',
  },
  'drop-word': {
    ...plain,
    at: 'word',
    onWords: true,
    effect:
      'Silences the audio of the n-th word, and leaves its time. Audio before it waits until the times of its words are known. Compressed audio stays as it is.',
  },
  'wrong-totals': {
    ...plain,
    ...anyTime,
    effect: 'Replaces every total of audio, chunks and cost by twice the figure plus one.',
  },
  duplicate: { ...plain, ...atAudio, effect: 'Sends the n-th audio frame twice.' },
  reorder: {
    ...plain,
    ...atAudio,
    effect: 'Sends the n-th audio frame behind the next one. Where its chunk ends before, nothing changes.',
  },
  'odd-byte': {
    ...plain,
    ...atAudio,
    effect: 'Cuts off the last byte of the audio in the n-th audio frame.',
  },
  'invalid-json': {
    ...plain,
    ...atAudio,
    effect: 'Cuts the n-th audio frame in half; in place of one of bytes it sends a text that is no JSON.',
  },
  seed: {
    value: { unit: 'number', min: 0, max: MAX_SEED },
    range: `0 to ${MAX_SEED}`,
    ...anyTime,
    isSetting: true,
    effect: 'Repeats the random numbers of `jitter` for equal seeds; 1 by default.',
  },
  mark: {
    value: { unit: 'name', pattern: /^[A-Za-z0-9-]{1,64}$/ },
    range: '1 to 64 letters, digits and hyphens',
    ...anyTime,
    isSetting: true,
    effect: 'Names the connection, so that the page knows which of its connections a fault struck.',
  },
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof FAULTS;

export const faultKind = (name: FaultName): FaultKind => FAULTS[name];

/** Why a fault can never strike at a vendor; null where it can. @param vendor null for calls of a REST API */
export function whyIdle(name: FaultName, vendor: Pick<VendorFailures, 'words'> | null): string | null {
  const { onCalls, onWords, isSetting } = faultKind(name);
  if (isSetting) return null;
  if (vendor === null) return onCalls ? null : 'calls have no frames';
  if (onWords && vendor.words === null) return 'the vendor sends no word timestamps';
  return name === 'late-words' && vendor.words !== 'ownFrames'
    ? 'the vendor sends word timestamps in its audio frames'
    : null;
}

/** How a fault is written, such as `stall=ms@n`. */
export function faultForm(name: FaultName): string {
  const { value, at } = faultKind(name);
  return `${name}${value ? `=${value.unit}` : ''}${at ? '@n' : ''}`;
}
