import { milliseconds, seconds } from '#lib/format.ts';
import type { Mark, Problem, TurnView } from '#session/views.ts';
import { playedOf } from '../../../session-client/played.ts';
import type { MarkKind } from '../../../session-client/timeline/lane-store.ts';
import { unheardSeconds } from '../../../session-client/timeline/turn-lanes.ts';
import { depthAt } from './depth.ts';
import { type Hit, type HitWorld, type Point, problemAt } from './hit.ts';

const MARK_WORDS: Readonly<Record<MarkKind, string>> = {
  text: 'Text sent',
  flush: 'Flush',
  cancel: 'Cancelled',
  audio: 'Audio frame',
  keepAlive: 'Keep-alive sent',
  opened: 'Context opened',
  closeSent: 'Close asked for',
  closed: 'Context closed',
  refused: 'Context refused',
  connected: 'Connected',
  disconnected: 'Connection ended',
  error: 'Error',
  floor: 'Start floor',
  drift: 'Drift',
};

/** What lies under a point, in a few words. */
export function describe(hit: Hit, point: Point, world: HitWorld, problems: readonly Problem[]): string {
  switch (hit.kind) {
    case 'mark':
      return describeMark(hit.mark, world, problems);
    case 'chunk': {
      const { chunk } = hit.span;
      return `Chunk ${chunk.id}${chunk.text === null ? '' : `: ${chunk.text}`}`;
    }
    case 'word':
      return `“${hit.text}”${hit.isEstimated ? ', its place estimated' : ''}, ${audioTime(hit.turn, point.ms)}`;
    case 'underrun': {
      const { fromMs, toMs } = hit.gap;
      return `Underrun ${Number.isFinite(toMs) ? milliseconds(toMs - fromMs) : 'that lasts'}: silence within the turn`;
    }
    case 'wait':
      return 'Waiting for the first sound';
    case 'lost':
      return `Received and never heard: ${seconds(unheardSeconds(hit.gap.turn))}`;
    case 'heard':
      return `Heard, ${audioTime(hit.turn, point.ms)}`;
    case 'buffer':
      return describeBuffer(point, world);
  }
}

function audioTime(turn: TurnView, ms: number): string {
  const sample = playedOf(turn).sampleAt(ms);
  return sample === null ? 'in silence' : `${seconds(sample / (turn.sampleRate ?? 1))} of the audio clock`;
}

function describeBuffer({ context, ms }: Point, { lanes, marks }: HitWorld): string {
  const depth = depthAt(context, lanes.lane(context), marks, ms);
  const floor = marks.before(context, 'floor', ms);
  return `${seconds(depth / 1000)} in the buffer${floor ? `, floor ${milliseconds(floor.amount)}` : ''}`;
}

function describeMark(mark: Mark, { lanes, marks }: HitWorld, problems: readonly Problem[]): string {
  const words = MARK_WORDS[mark.kind];
  switch (mark.kind) {
    case 'error':
    case 'refused': {
      const problem = problemAt(problems, mark.atMs);
      return problem ? `${problem.title} ${problem.detail}` : words;
    }
    case 'text':
      return `${words}: ${mark.amount} ${mark.amount === 1 ? 'character' : 'characters'}`;
    case 'audio':
      return `${words}: ${milliseconds(mark.amount)}`;
    case 'cancel': {
      if (mark.context === null) return words;
      const ended = new Set(marks.at(mark.context, mark.kind, mark.atMs).map(({ turn }) => turn));
      const lost = lanes
        .lane(mark.context)
        .turns.reduce((sum, turn) => sum + (ended.has(turn.id) ? unheardSeconds(turn) : 0), 0);
      return lost > 0 ? `${words}: ${seconds(lost)} received and not heard` : words;
    }
    case 'connected': {
      const ended = marks.before(null, 'disconnected', mark.atMs);
      return ended ? `Connected again after ${milliseconds(mark.atMs - ended.atMs)}` : words;
    }
    default:
      return words;
  }
}
