import type { Problem } from '../../session/model.ts';
import { milliseconds, seconds } from '../format.ts';
import type { LaneStore, MarkKind } from './lane-store.ts';
import { lowerBound } from './sorted.ts';
import type { TimeScale } from './time-scale.ts';
import { type Span, type TurnLanes, unheardSeconds } from './turn-lanes.ts';

/** How near the pointer must be to a sign. */
const REACH_PX = 6;

const WORDS: Readonly<Record<MarkKind, string>> = {
  text: 'Text sent',
  flush: 'Flush',
  cancel: 'Cancelled',
  audio: 'Audio received',
  keepAlive: 'Keep-alive sent',
  opened: 'Context opened',
  closeSent: 'Close asked for',
  closed: 'Context closed',
  refused: 'Context refused',
  connected: 'Connected',
  disconnected: 'Connection ended',
  error: 'Error',
};

/** Rarer signs first, since they are what one points at. */
const ORDER: readonly MarkKind[] = [
  'error',
  'refused',
  'cancel',
  'closed',
  'closeSent',
  'opened',
  'keepAlive',
  'flush',
  'text',
  'audio',
];

/** What lies under a point of a lane, in a few words; null where nothing does. */
export function describeAt(
  lane: string,
  ms: number,
  scale: TimeScale,
  marks: LaneStore,
  lanes: TurnLanes,
  problems: readonly Problem[],
): string | null {
  const of = lanes.lane(lane);
  const chunk = spanAt(of.made, ms);
  for (const kind of ORDER) {
    // Ticks of text and audio stand as close as grass: they are told only where no chunk is.
    if (chunk && (kind === 'text' || kind === 'audio')) continue;
    const mark = marks.nearest(lane, kind, ms, REACH_PX * scale.msPerPx);
    if (!mark) continue;
    if (kind === 'error' || kind === 'refused') {
      const problem = nearestProblem(problems, mark.atMs);
      return problem ? `${problem.title} ${problem.detail}` : WORDS[kind];
    }
    if (kind === 'text') return `${WORDS.text}: ${mark.amount} characters`;
    if (kind === 'audio') return `${WORDS.audio}: ${milliseconds(mark.amount)}`;
    if (kind !== 'cancel') return WORDS[kind];
    const ended = new Set(marks.at(lane, kind, mark.atMs).map(({ turn }) => turn));
    const lost = of.turns.reduce((sum, turn) => sum + (ended.has(turn.id) ? unheardSeconds(turn) : 0), 0);
    return lost > 0 ? `${WORDS[kind]}: ${seconds(lost)} received and not heard` : WORDS[kind];
  }
  const dry = of.underruns.find(({ fromMs, toMs }) => fromMs <= ms && ms <= toMs);
  if (dry) return `Underrun ${milliseconds(Number.isFinite(dry.toMs) ? dry.toMs - dry.fromMs : null)}`;
  const span = chunk ?? spanAt(of.heard, ms);
  return span ? `Chunk ${span.chunk.id}${span.chunk.text === null ? '' : `: ${span.chunk.text}`}` : null;
}

function spanAt(spans: readonly Span[], ms: number): Span | null {
  const at = lowerBound((index) => spans[index]?.fromMs ?? Number.POSITIVE_INFINITY, spans.length, ms) - 1;
  const span = spans[at];
  return span && span.toMs >= ms ? span : null;
}

/** Words of an error are told apart from its mark, within a moment of it. */
const SAME_MS = 250;

function nearestProblem(problems: readonly Problem[], ms: number): Problem | null {
  let best: Problem | null = null;
  for (const problem of problems) {
    const distance = Math.abs(problem.atMs - ms);
    if (distance <= SAME_MS && (!best || distance < Math.abs(best.atMs - ms))) best = problem;
  }
  return best;
}
