import { counted, excerptOf, milliseconds, seconds } from '#lib/format.ts';
import type { TurnView } from '#session/views.ts';
import { audioSecondsOf } from '#trace/speed.ts';
import { SOURCE_NAMES } from '#trace/words/word-timings.ts';
import { leadInS } from '../../recordings-client/sound-findings.ts';
import { playedOf } from '../../session-client/played.ts';
import type { Selected } from '../../session-client/selection.ts';
import {
  modelSpan,
  type TimeSpan,
  type TurnLane,
  textSpan,
  unheardSeconds,
  type WordSpan,
  waitSpan,
  wordSpan,
} from '../../session-client/timeline/turn-lanes.ts';
import type { LaneItems, WaveSpan } from './geometry/display-list.ts';
import { depthAt } from './geometry/figures.ts';
import { findingSpans } from './geometry/finding-spans.ts';
import type { StripName } from './geometry/lane-shape.ts';
import type { TimelineData } from './marks.ts';

/** An item at the pointer. */
export interface Hit {
  words: string;
  /** The selection by a press; null for an item that cannot be selected. */
  selects: Selected | null;
  /** Where a press plays; null without sound. */
  plays: { turn: number; sample: number } | null;
}

/** A moment in a strip of a block. */
interface Point {
  lane: LaneItems;
  strip: StripName;
  ms: number;
  msPerPx: number;
  data: TimelineData;
}

export interface ListedSpan {
  /** Unique among the rows with the same `what` of a context. */
  key: string | number;
  what: string;
  span: { fromMs: number; toMs?: number | null };
  detail: string;
}

interface SpanRow {
  /** Returns the topmost of its items at a point. */
  at?: (point: Point) => Hit | null;
  /** Returns its newest `most` items in a context as rows of the table. */
  listed?: (context: string, data: TimelineData, most: number) => ListedSpan[];
}

interface Pointed<Item> {
  strips: readonly StripName[];
  shown: (lane: LaneItems, ms: number, strip: StripName) => readonly Item[];
  /** Items are hit from this distance on, because many are very narrow. */
  reachPx?: number;
  words: (item: Item, ms: number, data: TimelineData) => string;
  /** Omitted where a press selects the turn of an item. */
  selects?: (item: Item) => Selected;
  /** Returns the sample of its turn from which a press plays. */
  plays?: (item: Item, ms: number) => number | null;
}

function pointed<Item extends TimeSpan & { turn?: TurnView }>(row: Pointed<Item>): Required<SpanRow>['at'] {
  return ({ lane, strip, ms, msPerPx, data }) => {
    const { strips, shown, reachPx = 0, words, selects, plays } = row;
    if (!strips.includes(strip)) return null;
    const reachMs = reachPx * msPerPx;
    const item = shown(lane, ms, strip).findLast(
      ({ fromMs, toMs }) => fromMs - reachMs <= ms && ms <= toMs + reachMs,
    );
    if (!item) return null;
    const { turn } = item;
    const sample = plays?.(item, ms) ?? null;
    return {
      words: words(item, ms, data),
      selects: selects?.(item) ?? (turn ? { kind: 'turn', turn: turn.id } : null),
      plays: turn && sample !== null ? { turn: turn.id, sample: Math.floor(sample) } : null,
    };
  };
}

function listed<Name extends 'turns' | 'made' | 'heard' | 'lost' | 'underruns'>(
  name: Name,
  row: (item: TurnLane[Name][number], data: TimelineData) => ListedSpan | null,
): Required<SpanRow>['listed'] {
  return (context, data, most) => {
    const items: readonly TurnLane[Name][number][] = data.lanes.lane(context)[name];
    return items.slice(-most).flatMap((item) => row(item, data) ?? []);
  };
}

const RECEIVED = 'Received by the client, which cannot play it before this time';
const MAX_EXCERPT_CHARS = 300;

function audioTime(turn: TurnView, ms: number): string {
  const sample = playedOf(turn).sampleAt(ms);
  return sample === null ? 'in silence' : `${seconds(sample / (turn.sampleRate ?? 1))} of the audio clock`;
}

/** A row for each kind of spans. Later rows are hit first; rows of the table at one moment are in this order. */
export const SPANS: readonly SpanRow[] = [
  {
    listed: listed('turns', (turn) => {
      const span = textSpan(turn);
      const chars = turn.text.length + turn.cutChars;
      const detail = `${counted(turn.textFrames, 'frame')}, ${counted(chars, 'character')}`;
      return span && { key: turn.id, what: 'text sent', span, detail };
    }),
  },
  {
    at: pointed({
      strips: ['chunks'],
      shown: ({ chunks }) => chunks,
      words: ({ chunk: { id, text } }) =>
        `Chunk ${id}${text === null ? '' : `: ${excerptOf(text, MAX_EXCERPT_CHARS)}`}`,
      selects: ({ turn, chunk }) => ({ kind: 'chunk', turn: turn.id, chunk: chunk.id }),
    }),
    listed: listed('made', (span) => {
      const { turn, chunk } = span;
      return {
        key: turn.id,
        what: `chunk ${chunk.id}`,
        span,
        detail: excerptOf(chunk.text ?? '', MAX_EXCERPT_CHARS),
      };
    }),
  },
  {
    // The audio frames of a chunk.
    listed: listed('made', ({ turn, chunk }) => {
      const { id, firstAudioMs: fromMs, lastAudioMs: toMs, audioFrames, samples } = chunk;
      if (fromMs === null) return null;
      const length = seconds(turn.sampleRate ? samples / turn.sampleRate : null);
      const detail = `${counted(audioFrames, 'audio frame')} of chunk ${id}, ${length}`;
      return { key: `${turn.id} ${id}`, what: 'audio received', span: { fromMs, toMs }, detail };
    }),
  },
  {
    at: pointed({
      strips: ['heard'],
      shown: ({ waves }) => waves,
      words: ({ turn, isHeard }, ms, { lanes }) => {
        if (lanes.isUnheard) return RECEIVED;
        return isHeard ? `Heard, ${audioTime(turn, ms)}` : 'Received and still to be heard';
      },
      plays: ({ turn, isHeard }, ms) => (isHeard ? playedOf(turn).sampleAt(ms) : null),
    }),
    listed: listed('heard', (span, { lanes }) => {
      const detail = `${seconds(audioSecondsOf(span.turn))} of audio`;
      return { key: span.turn.id, what: lanes.isUnheard ? 'received by the client' : 'heard', span, detail };
    }),
  },
  {
    // The fill of the buffer, at any time.
    at: pointed({
      strips: ['buffer'],
      shown: ({ block }) => [{ fromMs: -Infinity, toMs: Infinity, context: block.id }],
      words: ({ context }, ms, { lanes, marks }) => {
        const depth = seconds(depthAt(context, lanes.lane(context), marks, ms) / 1000);
        if (lanes.isUnheard) return `The client is at least ${depth} ahead of real time`;
        const target = marks.before(context, 'prebufferTarget', ms);
        return `${depth} in the buffer${target ? `, target ${milliseconds(target.amount)}` : ''}`;
      },
    }),
    listed: listed('heard', ({ turn, fromMs }, { lanes, marks }) => {
      if (lanes.isUnheard) return null;
      const depthMs = depthAt(turn.context, lanes.lane(turn.context), marks, fromMs);
      const detail = `${milliseconds(depthMs)} when hearing began`;
      return { key: turn.id, what: 'buffer', span: { fromMs }, detail };
    }),
  },
  {
    at: pointed({
      strips: ['heard'],
      shown: ({ waits }) => waits,
      words: () => 'Waiting for the first sound',
      // The wait includes the leading silence of the audio.
      plays: ({ turn }, ms) => playedOf(turn).sampleAt(ms),
    }),
    listed: listed('turns', (turn) => {
      const span = turn.wait && waitSpan(turn);
      const begin = turn.answer?.turn === turn.id ? 'question' : 'first text';
      return span && { key: turn.id, what: 'wait', span, detail: `${begin} to first audible` };
    }),
  },
  {
    // The wait for a live model.
    listed: listed('turns', (turn) => {
      const span = turn.wait && modelSpan(turn);
      return span && { key: turn.id, what: 'model', span, detail: 'question to first token' };
    }),
  },
  {
    at: pointed({
      strips: ['heard'],
      shown: ({ words, waves }, ms) => [...narrowWords(waves, ms), ...words],
      words: ({ turn, chunk, text, isHeard }, ms, { lanes }) => {
        const quoted = `“${text}”, its place ${SOURCE_NAMES[chunk.wordSource]}`;
        if (lanes.isUnheard) return `${quoted}, received by the client`;
        return `${quoted}, ${isHeard ? audioTime(turn, ms) : 'still to be heard'}`;
      },
      selects: ({ turn, chunk, word }) => ({ kind: 'word', turn: turn.id, chunk: chunk.id, word }),
      // A word plays from its start.
      plays: ({ turn, chunk, word, isHeard }) => {
        const startMs = chunk.words?.[word]?.startMs ?? 0;
        return isHeard ? chunk.startSample + (startMs / 1000) * (turn.sampleRate ?? 0) : null;
      },
    }),
  },
  {
    at: pointed({
      strips: ['heard'],
      shown: ({ lost }) => lost,
      words: ({ turn }) => `Received and never heard: ${seconds(unheardSeconds(turn))}`,
      plays: ({ turn }, ms) => {
        const lastMs = playedOf(turn).wallMsOf(turn.samples, true) ?? ms;
        const sample = turn.samples - ((lastMs - ms) / 1000) * (turn.sampleRate ?? 0);
        return Math.max(0, Math.min(turn.samples - 1, sample));
      },
    }),
    listed: listed('lost', ({ turn, fromMs }) => {
      const detail = `${seconds(unheardSeconds(turn))} received`;
      return { key: turn.id, what: 'never heard', span: { fromMs }, detail };
    }),
  },
  {
    at: pointed({
      strips: ['heard', 'buffer'],
      shown: ({ underruns }) => underruns,
      reachPx: 2,
      words: ({ fromMs, toMs }) => {
        const length = Number.isFinite(toMs) ? milliseconds(toMs - fromMs) : 'that lasts';
        return `Underrun ${length}: silence within the turn`;
      },
      selects: ({ turn, underrun }) => ({ kind: 'underrun', turn: turn.id, underrun }),
    }),
    listed: listed('underruns', (span) => ({
      key: `${span.turn.id} ${span.underrun}`,
      what: 'underrun',
      span,
      detail: 'silence within the turn',
    })),
  },
  {
    at: pointed({
      strips: ['heard', 'audio'],
      // Only the sign is hit, so that the words over a long stretch still play from their start.
      shown: ({ findings }, _, strip) =>
        findings.flatMap((one) => (one.strip === strip ? [{ ...one, toMs: one.fromMs }] : [])),
      reachPx: 6,
      words: ({ words }) => words,
      selects: ({ turn, frame }) => ({ kind: 'frame', frame, turn: turn.id, chunk: null }),
      plays: ({ turn, sound }) => leadInS(sound.fromS) * (turn.sampleRate ?? 0),
    }),
    listed: (context, data, most) => {
      const spans = data.lanes.lane(context).turns.flatMap((turn) => findingSpans(turn, data));
      return spans.slice(-most).map((span) => ({ key: span.key, what: 'finding', span, detail: span.words }));
    },
  },
];

/** Returns the words of the wave that is heard at a moment, also where they are too narrow to be shown. */
function narrowWords(waves: readonly WaveSpan[], ms: number): WordSpan[] {
  const wave = waves.findLast(({ isHeard, fromMs, toMs }) => isHeard && fromMs <= ms && ms <= toMs);
  if (!wave) return [];
  const { turn } = wave;
  return turn.chunks.flatMap((chunk) =>
    [...(chunk.words?.keys() ?? [])].flatMap((at) => wordSpan(turn, chunk, at, ms) ?? []),
  );
}
