import type { Finding } from '#protocol/core/rule.ts';
import type { TurnView } from '#session/views.ts';
import { playedOf } from '../../../session-client/played.ts';
import type { TurnLanes, TurnSpan } from '../../../session-client/timeline/turn-lanes.ts';
import type { TimelineData } from '../marks.ts';

/** A finding in the sound of a turn: where it was heard, or else at the arrival of its audio frame. */
export interface FindingSpan extends TurnSpan {
  strip: 'heard' | 'audio';
  finding: Finding;
  /** Number of its frame in the session. */
  frame: number;
  /** First sample in the turn's audio. */
  sample: number;
}

/** Returns the findings of a turn with their places on the wall clock. */
export function findingSpans(
  turn: TurnView,
  { lanes, marks }: Pick<TimelineData, 'marks'> & { lanes: Pick<TurnLanes, 'findings'> },
): FindingSpan[] {
  const { byTurn, firstFrame } = lanes.findings;
  const played = playedOf(turn);
  return (byTurn.get(turn.id) ?? []).flatMap(({ finding }) => {
    const { sound } = finding;
    if (!sound) return [];
    const rate = turn.sampleRate ?? 0;
    const sample = sound.fromS * rate;
    const frame = firstFrame + finding.frame;
    const heardMs = sample < played.end ? played.wallMsOf(sample) : null;
    const fromMs = heardMs ?? marks.ofFrame(frame)?.atMs ?? turn.endedMs;
    if (fromMs === null) return [];
    const end = Math.min(sound.toS * rate, played.end);
    const toMs = heardMs === null ? fromMs : (played.wallMsOf(end, true) ?? fromMs);
    const strip = heardMs === null ? 'audio' : 'heard';
    return [{ turn, strip, finding, frame, sample, fromMs, toMs: Math.max(fromMs, toMs) }];
  });
}
