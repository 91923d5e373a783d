import { counted, milliseconds, seconds } from '#lib/format.ts';
import type { Mark, Problem } from '#session/views.ts';
import type { LaneStore, MarkKind } from '../../session-client/timeline/lane-store.ts';
import { type TurnLanes, unheardSeconds } from '../../session-client/timeline/turn-lanes.ts';
import type { StripName } from './geometry/lane-shape.ts';
import type { Palette } from './paint/canvas.ts';

/** The session that the words of the timeline describe. */
export interface TimelineData {
  lanes: TurnLanes;
  marks: LaneStore;
  problems: readonly Problem[];
}

type Colour = Exclude<keyof Palette, 'voice' | 'sans' | 'mono'>;

export interface MarkRow {
  kind: MarkKind;
  /** The strip that shows it. The lane of one of several speakers is one strip. */
  strip?: StripName;
  /** Of the connection. It reaches through all lanes, because every context is on it. */
  isOfConnection?: true;
  /** A line through all lanes. */
  line?: { colour: Colour; dash: readonly number[] };
  /** A bar through its strip. Sizes are those of the only block and of one of several. */
  tick?: { colour: Colour | 'voice'; insetPx: [number, number]; widthPx: [number, number] };
  /** Spans are hit before it. */
  isBehind?: true;
  /** SVG path data: x from the moment, y from the top of a strip of a height. Forms differ as well as colours. */
  sign?: { colour: Colour; isOutline?: true; path: (px: number) => string };
  /** Written beside it where there is room. */
  label?: string;
  /** The text at the pointer. */
  words?: string | ((mark: Mark, data: TimelineData) => string);
  /** The name in the table, which leaves out kinds without one. */
  what?: string;
  /** The detail in the table, of marks of one moment. */
  detail?: (together: readonly Mark[], data: TimelineData) => string;
}

/** A row for each kind of marks that the timeline shows, in the order of painting. */
export const MARKS: readonly MarkRow[] = [
  {
    kind: 'prebufferTarget',
    what: 'prebuffer target',
    detail: ([mark]) => milliseconds(mark?.amount ?? null),
  },
  {
    kind: 'text',
    strip: 'text',
    tick: { colour: 'textSubtle', insetPx: [9, 0], widthPx: [1, 1] },
    isBehind: true,
    words: ({ amount }) => `Text sent: ${counted(amount, 'character')}`,
  },
  {
    kind: 'audio',
    strip: 'audio',
    tick: { colour: 'voice', insetPx: [8, 0], widthPx: [1.5, 1] },
    isBehind: true,
    words: ({ amount }) => `Audio frame: ${milliseconds(amount)}`,
  },
  {
    kind: 'asked',
    strip: 'text',
    sign: { colour: 'text', isOutline: true, path: (px) => `M-3 ${px / 2 - 5}l7 5-7 5z` },
    words: 'Live model asked',
    what: 'model asked',
  },
  {
    kind: 'flush',
    strip: 'text',
    tick: { colour: 'text', insetPx: [5, -4], widthPx: [2.5, 2.5] },
    label: 'flush',
    words: 'Flush',
  },
  {
    kind: 'keepAlive',
    strip: 'text',
    sign: { colour: 'textMuted', isOutline: true, path: (px) => `M0 ${px / 2 - 4}l4 4-4 4-4-4z` },
    words: 'Keep-alive sent',
    what: 'keep-alive',
  },
  {
    kind: 'closeSent',
    strip: 'text',
    sign: { colour: 'textSubtle', isOutline: true, path: (px) => `${circle(px)}M-5 ${px / 2}h10` },
    words: 'Close requested',
    what: 'close sent',
  },
  {
    kind: 'cancel',
    strip: 'text',
    // A rounded square on a stem.
    sign: {
      colour: 'text',
      path: (px) =>
        `M-4 3.5q0-1.5 1.5-1.5h5q1.5 0 1.5 1.5v5q0 1.5-1.5 1.5h-1.75v${px - 12}h-1.5v${12 - px}h-1.75q-1.5 0-1.5-1.5z`,
    },
    label: 'cancelled',
    words: cancelWords,
    what: 'cancel',
    detail: (together) => (together.length > 1 ? counted(together.length, 'turn') : ''),
  },
  {
    kind: 'speech',
    strip: 'text',
    // A speech bubble.
    sign: { colour: 'text', path: () => 'M-2 1h4q3 0 3 3v2q0 3-3 3l-4 4v-4q-3 0-3-3v-2q0-3 3-3z' },
    words: 'A person begins to speak',
    what: 'speech',
  },
  {
    kind: 'paused',
    strip: 'text',
    sign: { colour: 'text', path: (px) => `M-4 ${px / 2 - 5}h2.5v10h-2.5zm5.5 0h2.5v10h-2.5z` },
    words: 'Paused, because a person speaks',
    what: 'paused',
  },
  {
    kind: 'continued',
    strip: 'text',
    sign: { colour: 'text', path: (px) => `M-3 ${px / 2 - 5}l8 5-8 5z` },
    words: 'Continued, because the speech did not last',
    what: 'continued',
  },
  {
    kind: 'opened',
    strip: 'audio',
    sign: { colour: 'textSubtle', isOutline: true, path: circle },
    words: 'Context opened',
    what: 'opened',
  },
  {
    kind: 'closed',
    strip: 'audio',
    // A stem between two bars.
    sign: {
      colour: 'textMuted',
      path: (px) => `M-4 2h8v1.5h-3.25v${px - 7}h3.25v1.5h-8v-1.5h3.25v${7 - px}h-3.25z`,
    },
    words: 'Context closed',
    what: 'closed',
  },
  problemRow('refused', 'Context refused'),
  {
    kind: 'connected',
    isOfConnection: true,
    line: { colour: 'textSubtle', dash: [1, 4] },
    words: ({ atMs }, { marks }) => {
      const ended = marks.before(null, 'disconnected', atMs);
      return ended ? `Connected again after ${milliseconds(atMs - ended.atMs)}` : 'Connected';
    },
    what: 'connected',
  },
  {
    kind: 'disconnected',
    isOfConnection: true,
    line: { colour: 'failed', dash: [4, 3] },
    words: 'Connection ended',
    what: 'disconnected',
  },
  { ...problemRow('error', 'Error'), isOfConnection: true },
  {
    kind: 'fault',
    isOfConnection: true,
    line: { colour: 'waiting', dash: [2, 2] },
    // A bolt below the error that the fault causes at the same time.
    sign: { colour: 'waiting', path: () => 'M2 18l-8 9h5l-1 7 8-9h-5z' },
    // Faults of the whole line strike at once.
    words: ({ atMs }, { marks }) =>
      `Fault on purpose: ${textsOf(marks.between(null, 'fault', atMs - AT_ONCE_MS, atMs + AT_ONCE_MS))}`,
    what: 'fault',
    detail: textsOf,
  },
];

const AT_ONCE_MS = 2;

/** The message of an error may arrive this long before or after its mark. */
const SAME_MS = 250;

function circle(px: number): string {
  return `M-3 ${px / 2}a3 3 0 0 1 6 0a3 3 0 0 1-6 0z`;
}

/** A triangle on a stem. The exclamation mark runs the other way round, which makes it a hole. */
export function warningSign(px: number): string {
  return `M0 2l7 12h-14zM-.75 6v4h1.5v-4zm0 5v1.5h1.5v-1.5zm0 3h1.5v${px - 16}h-1.5z`;
}

function problemAt(atMs: number, problems: readonly Problem[]): Problem | undefined {
  const distance = (problem: Problem): number => Math.abs(problem.atMs - atMs);
  const [best] = problems.toSorted((a, b) => distance(a) - distance(b));
  return best && distance(best) <= SAME_MS ? best : undefined;
}

/** Returns the row of a kind whose marks have the words of the problem at their time. */
function problemRow(kind: 'refused' | 'error', unknown: string): MarkRow {
  return {
    kind,
    strip: 'audio',
    sign: { colour: 'failed', path: warningSign },
    words: ({ atMs }, { problems }) => {
      const problem = problemAt(atMs, problems);
      return problem ? `${problem.title} ${problem.detail}` : unknown;
    },
    what: kind,
    detail: ([mark], { problems }) => (mark && problemAt(mark.atMs, problems)?.title) ?? '',
  };
}

function textsOf(faults: readonly Mark[]): string {
  return faults.map(({ text }) => text).join(', ');
}

function cancelWords({ context, atMs }: Mark, { lanes, marks }: TimelineData): string {
  // A barge-in has one mark for each turn that it ends.
  const ended = new Set(marks.between(context, 'cancel', atMs, atMs).map(({ turn }) => turn));
  const lost = lanes.all.reduce((sum, turn) => sum + (ended.has(turn.id) ? unheardSeconds(turn) : 0), 0);
  return lost > 0 ? `Cancelled: ${seconds(lost)} received and not heard` : 'Cancelled';
}
