import { counted, milliseconds, seconds } from '#lib/format.ts';
import type { Mark, Problem, TurnView } from '#session/views.ts';
import { playedOf } from '../../../session-client/played.ts';
import type { MarkKind } from '../../../session-client/timeline/lane-store.ts';
import {
  audioSecondsOf,
  textItem,
  unheardSeconds,
  waitItem,
} from '../../../session-client/timeline/turn-lanes.ts';
import type { LaneItem, TimelineView } from './display-list.ts';
import { depthAt, type TimelineSpeaker } from './figures.ts';

type Data = Pick<TimelineView, 'lanes' | 'marks'>;

const MARK_WORDS: Readonly<Record<MarkKind, string>> = {
  asked: 'Live model asked',
  token: 'Token of the live model',
  text: 'Text sent',
  flush: 'Flush',
  cancel: 'Cancelled',
  speech: 'A person begins to speak',
  paused: 'Paused, because a person speaks',
  continued: 'Continued, because the speech did not last',
  audio: 'Audio frame',
  keepAlive: 'Keep-alive sent',
  opened: 'Context opened',
  closeSent: 'Close requested',
  closed: 'Context closed',
  refused: 'Context refused',
  connected: 'Connected',
  disconnected: 'Connection ended',
  error: 'Error',
  fault: 'Fault on purpose',
  floor: 'Prebuffer target',
  drift: 'Drift',
};

const RECEIVED = 'Received by the client, which cannot play it before this time';

const MAX_EXCERPT_CHARS = 300;

const excerpt = (text: string): string =>
  text.length <= MAX_EXCERPT_CHARS ? text : `${text.slice(0, MAX_EXCERPT_CHARS)}…`;

export function describeItem(item: LaneItem, ms: number, data: Data, problems: readonly Problem[]): string {
  switch (item.kind) {
    case 'mark':
      return describeMark(item.mark, data, problems);
    case 'chunk':
      return `Chunk ${item.chunk.id}${item.chunk.text === null ? '' : `: ${excerpt(item.chunk.text)}`}`;
    case 'word': {
      const place = item.chunk.wordsAreEstimated ? ', its place estimated' : '';
      if (data.lanes.isUnheard) return `“${item.text}”${place}, received by the client`;
      return `“${item.text}”${place}, ${item.isHeard ? audioTime(item.turn, ms) : 'still to be heard'}`;
    }
    case 'underrun': {
      const length = Number.isFinite(item.toMs) ? milliseconds(item.toMs - item.fromMs) : 'that lasts';
      return `Underrun ${length}: silence within the turn`;
    }
    case 'wait':
      return 'Waiting for the first sound';
    case 'lost':
      return `Received and never heard: ${seconds(unheardSeconds(item.turn))}`;
    case 'wave':
      if (data.lanes.isUnheard) return RECEIVED;
      return item.isHeard ? `Heard, ${audioTime(item.turn, ms)}` : 'Received and still to be heard';
    case 'heard':
      return data.lanes.isUnheard ? RECEIVED : 'Heard';
    case 'text':
      return MARK_WORDS.text;
    case 'depth': {
      const depthMs = depthAt(item.context, data.lanes.lane(item.context), data.marks, ms);
      if (data.lanes.isUnheard) return `The client is at least ${seconds(depthMs / 1000)} ahead of real time`;
      const floor = data.marks.before(item.context, 'floor', ms);
      const end = floor ? `, target ${milliseconds(floor.amount)}` : '';
      return `${seconds(depthMs / 1000)} in the buffer${end}`;
    }
  }
}

function audioTime(turn: TurnView, ms: number): string {
  const sample = playedOf(turn).sampleAt(ms);
  return sample === null ? 'in silence' : `${seconds(sample / (turn.sampleRate ?? 1))} of the audio clock`;
}

function describeMark(mark: Mark, { lanes, marks }: Data, problems: readonly Problem[]): string {
  const { kind, context, atMs, amount } = mark;
  const words = MARK_WORDS[kind];
  switch (kind) {
    case 'error':
    case 'refused': {
      const problem = problemAt(problems, atMs);
      return problem ? `${problem.title} ${problem.detail}` : words;
    }
    case 'fault': {
      // Faults of the whole line strike at once.
      const together = marks.between(context, kind, atMs - AT_ONCE_MS, atMs + AT_ONCE_MS);
      return `${words}: ${together.map(({ text }) => text).join(', ')}`;
    }
    case 'text':
      return `${words}: ${amount} ${amount === 1 ? 'character' : 'characters'}`;
    case 'audio':
      return `${words}: ${milliseconds(amount)}`;
    case 'cancel': {
      if (context === null) return words;
      // A barge-in has one mark for each turn that it ends.
      const ended = new Set(marks.between(context, kind, atMs, atMs).map(({ turn }) => turn));
      const { turns } = lanes.lane(context);
      const lost = turns.reduce((sum, turn) => sum + (ended.has(turn.id) ? unheardSeconds(turn) : 0), 0);
      return lost > 0 ? `${words}: ${seconds(lost)} received and not heard` : words;
    }
    case 'connected': {
      const ended = marks.before(null, 'disconnected', atMs);
      return ended ? `Connected again after ${milliseconds(atMs - ended.atMs)}` : words;
    }
    default:
      return words;
  }
}

const AT_ONCE_MS = 2;

/** The message of an error may arrive this long before or after its mark. */
const SAME_MS = 250;

function problemAt(problems: readonly Problem[], ms: number): Problem | null {
  const distance = ({ atMs }: Problem): number => Math.abs(atMs - ms);
  const [best] = problems.toSorted((a, b) => distance(a) - distance(b));
  return best && distance(best) <= SAME_MS ? best : null;
}

interface TableRow {
  key: string;
  speaker: string;
  /** null: it belongs to the connection, not to a speaker. */
  hue: number | null;
  what: string;
  fromMs: number;
  /** null: one moment, or not over. */
  toMs: number | null;
  detail: string;
}

const ROW_OF_MARK = {
  asked: 'model asked',
  floor: 'prebuffer target',
  cancel: 'cancel',
  speech: 'speech',
  paused: 'paused',
  continued: 'continued',
  keepAlive: 'keep-alive',
  opened: 'opened',
  closeSent: 'close sent',
  closed: 'closed',
  refused: 'refused',
  error: 'error',
  fault: 'fault',
  connected: 'connected',
  disconnected: 'disconnected',
} as const satisfies Partial<Record<MarkKind, string>>;
type RowMark = keyof typeof ROW_OF_MARK;

const CONNECTION_MARKS: readonly RowMark[] = ['connected', 'disconnected', 'error', 'fault'];
/** A context has no marks of the connection. */
const CONTEXT_MARKS = Object.keys(ROW_OF_MARK) as RowMark[];

type Add = (
  key: string,
  what: string,
  ends: { fromMs: number; toMs?: number | null },
  detail: string,
) => void;

/** Returns the newest `most` items of all lanes as rows, in the order of time. */
export function tableRows(
  speakers: readonly TimelineSpeaker[],
  data: Data,
  most: number,
  problems: readonly Problem[],
): { rows: TableRow[]; hasMore: boolean } {
  const rows: TableRow[] = [];
  const adder =
    (id: string, speaker: string, hue: number | null): Add =>
    (key, what, { fromMs, toMs }, detail) => {
      const end = Number.isFinite(toMs) ? (toMs ?? null) : null;
      rows.push({ key: `${id} ${what} ${key}`, speaker, hue, what, fromMs, toMs: end, detail });
    };
  for (const { id, name, hue } of speakers) {
    const add = adder(id, name, hue);
    addItems(add, id, data, most);
    addMarks(add, id, CONTEXT_MARKS, data, most, problems);
  }
  addMarks(adder('connection', 'connection', null), null, CONNECTION_MARKS, data, most, problems);
  rows.sort((a, b) => a.fromMs - b.fromMs);
  return { rows: rows.slice(-most), hasMore: rows.length > most };
}

function addItems(add: Add, context: string, { lanes, marks }: Data, most: number): void {
  const lane = lanes.lane(context);
  for (const turn of lane.turns.slice(-most)) {
    const text = textItem(turn);
    if (!text) continue;
    const sent = `${counted(turn.textFrames, 'frame')}, ${counted(turn.text.length + turn.cutChars, 'character')}`;
    add(`${turn.id}`, 'text sent', text, sent);
    const wait = turn.wait && waitItem(turn);
    const { answer } = turn;
    const begin = answer?.turn === turn.id ? 'question' : 'first text';
    if (wait) add(`${turn.id}`, 'wait', wait, `${begin} to first audible`);
    if (answer?.turn === turn.id && answer.firstTokenMs !== null) {
      const ends = { fromMs: answer.askedMs, toMs: answer.firstTokenMs };
      add(`${turn.id}`, 'model', ends, 'question to first token');
    }
  }
  for (const item of lane.made.slice(-most)) {
    const { turn, chunk } = item;
    add(`${turn.id}`, `chunk ${chunk.id}`, item, excerpt(chunk.text ?? ''));
    const { firstAudioMs: fromMs, lastAudioMs, audioFrames, samples } = chunk;
    if (fromMs === null) continue;
    const length = seconds(turn.sampleRate ? samples / turn.sampleRate : null);
    const received = `${counted(audioFrames, 'audio frame')} of chunk ${chunk.id}, ${length}`;
    add(`${turn.id} ${chunk.id}`, 'audio received', { fromMs, toMs: lastAudioMs }, received);
  }
  for (const item of lane.heard.slice(-most)) {
    const { turn, fromMs } = item;
    const length = `${seconds(audioSecondsOf(turn))} of audio`;
    add(`${turn.id}`, lanes.isUnheard ? 'received by the client' : 'heard', item, length);
    if (lanes.isUnheard) continue;
    const depth = milliseconds(depthAt(context, lane, marks, fromMs));
    add(`${turn.id}`, 'buffer', { fromMs }, `${depth} when hearing began`);
  }
  for (const item of lane.underruns.slice(-most)) {
    add(`${item.turn.id} ${item.underrun}`, 'underrun', item, 'silence within the turn');
  }
  for (const { turn, fromMs } of lane.lost.slice(-most)) {
    add(`${turn.id}`, 'never heard', { fromMs }, `${seconds(unheardSeconds(turn))} received`);
  }
}

function addMarks(
  add: Add,
  context: string | null,
  kinds: readonly RowMark[],
  { marks }: Data,
  most: number,
  problems: readonly Problem[],
): void {
  for (const kind of kinds) {
    // A barge-in that ends several turns of a speaker is one row, and so are faults that strike at once.
    const latest = marks.latest(context, kind, most);
    for (const [at, { atMs, amount }] of latest.entries()) {
      if (atMs === latest[at - 1]?.atMs) continue;
      const together = latest.filter((mark) => mark.atMs === atMs);
      const problem = kind === 'error' || kind === 'refused' ? problemAt(problems, atMs) : null;
      const floor = kind === 'floor' ? milliseconds(amount) : '';
      const several = kind === 'cancel' && together.length > 1 ? counted(together.length, 'turn') : '';
      const faults = kind === 'fault' ? together.map(({ text }) => text).join(', ') : '';
      add(`${atMs}`, ROW_OF_MARK[kind], { fromMs: atMs }, problem?.title ?? (floor || several || faults));
    }
  }
}
