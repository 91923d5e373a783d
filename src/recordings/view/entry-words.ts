import { count, counted, milliseconds, seconds, bytes as sizeOf } from '#lib/format.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import { parseFaults } from '#protocol/faults/fault-spec.ts';
import { FAULTS } from '#protocol/faults/fault-table.ts';
import type { DropReason, HeardRecord, PlayerRecord } from '#trace/player-entry.ts';
import { type BodySize, readCallEntry } from '#trace/rest-calls.ts';
import type { Listening, UserAction } from '#trace/user-actions.ts';
import { sinceStart } from './figures.ts';

/** Why something was never heard, to follow “dropped: ”. */
export const DROPPED: Readonly<Record<DropReason, string>> = {
  cancel: 'the turn was cancelled',
  bargeIn: 'another line cut it off',
  contextClosed: 'its context was closed at once',
  otherServer: 'the page went to another server',
  replay: 'something else was played in its place',
};

export function playerWords(record: PlayerRecord): string {
  if (record.kind === 'heard') return heardWords(record);
  if (record.kind === 'measured')
    return `${counted(record.words.length, 'word')} of chunk ${record.chunk} found in the sound by ${record.by}`;
  const { samples, sampleRate, atUs, end } = record;
  const silentMs = (samples / sampleRate) * 1000;
  const until = sinceStart(atUs + silentMs * 1000);
  return end === 'resumed'
    ? `player ran dry: ${milliseconds(silentMs)} of silence until ${until}`
    : `player ran dry, and was silenced ${milliseconds(silentMs)} later, at ${until}`;
}

function heardWords({ sampleRate, samples, spans, dropped }: HeardRecord): string {
  if (sampleRate === null || samples === 0) {
    return dropped ? `nothing to hear: ${DROPPED[dropped.why]} before any audio came` : 'nothing to hear';
  }
  const [first] = spans;
  const last = spans.at(-1);
  const whole = `${seconds(samples / sampleRate)}, ${counted(samples, 'sample')}`;
  if (!first || !last) return `nothing heard of ${whole}${dropped ? `: ${DROPPED[dropped.why]}` : ''}`;
  const from = sinceStart(first.atUs);
  const to = sinceStart(last.atUs + (last.count / sampleRate) * 1e6);
  const pieces = spans.length > 1 ? ` in ${spans.length} pieces` : '';
  return dropped
    ? `heard ${from} to ${to}${pieces}, dropped from sample ${count(dropped.sample)} of ${count(samples)}: ${DROPPED[dropped.why]}`
    : `heard whole, ${from} to ${to}${pieces}: ${whole}`;
}

const ORIGINS = {
  whole: 'as a whole',
  typed: 'as it is typed',
  simulated: 'as a model writes it',
  live: 'as a live model answers',
} as const;

/** Describes a user action for a row of the list. */
export function userActionWords(act: UserAction): string {
  switch (act.kind) {
    case 'begun':
      if (act.question !== undefined)
        return `a turn begins, its text ${ORIGINS[act.origin]}: ${act.question}`;
      return act.line === null
        ? `a turn begins, its text ${ORIGINS[act.origin]}`
        : `line ${act.line + 1} of the script begins, its text ${ORIGINS[act.origin]}`;
    case 'line':
      return act.interrupts
        ? 'a line that cuts off the one before it'
        : `a line, ${heardHow(act.listening, act.pauseMs)}`;
    case 'listening':
      return `lines are ${heardHow(act.listening, act.pauseMs)} from now on`;
    case 'cancelled':
      if (act.speechMs !== undefined)
        return `cancelled by speech, noticed ${milliseconds(act.speechMs)} after its onset`;
      return act.context === null ? 'cancelled by hand' : `cancelled by hand, on ${act.context} alone`;
    case 'paused':
      return `paused by speech, noticed ${milliseconds(act.speechMs)} after its onset`;
    case 'continued':
      return 'continued: the speech was a false alarm';
    case 'disconnected':
      return 'disconnected by hand';
  }
}

const heardHow = (listening: Listening, pauseMs: number): string =>
  listening === 'together' ? 'heard at once' : `heard in turn, ${pauseMs} ms apart`;

/** Describes an entry of a REST call; null for a body and for any other entry. */
export function callWords(entry: Parameters<typeof readCallEntry>[0]): string | null {
  const read = readCallEntry(entry);
  if (!read) return null;
  if ('request' in read) return `${read.request.method} ${read.request.path}`;
  if ('response' in read) {
    const { status, reason, headers } = read.response;
    return [`${status} ${reason}`.trim(), headers['content-type'] ?? []].flat().join(', ');
  }
  const { how, sent, received } = read.end;
  return `${how}; ${bodyWords('sent', sent)}, ${bodyWords('received', received)}`;
}

const bodyWords = (what: string, { bytes, kept }: BodySize): string =>
  `${sizeOf(bytes)} ${what}${kept === undefined ? '' : ` (${sizeOf(kept)} of it kept)`}`;

/** Describes a fault on purpose, with its effect. @param payload of the entry */
export function faultWords(payload: string): string {
  const what = fieldsOf(payload)?.what;
  if (typeof what !== 'string') return payload;
  const read = parseFaults(what);
  const name = 'faults' in read ? read.faults[0]?.name : undefined;
  return name === undefined ? what : `${what}: ${FAULTS[name].effect.replaceAll('`', '')}`;
}
