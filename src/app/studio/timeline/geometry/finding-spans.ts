import type { TurnView } from '#session/views.ts';
import { playedOf } from '../../../session-client/played.ts';
import type { TimelineData } from '../marks.ts';

/** Returns the findings in the sound of a turn: where each was heard, or else at the arrival of its audio frame. */
export function findingSpans(turn: TurnView, { lanes, marks }: Pick<TimelineData, 'lanes' | 'marks'>) {
  const { byTurn, firstFrame } = lanes.findings;
  const played = playedOf(turn);
  const toSample = (s: number): number => Math.min(s * (turn.sampleRate ?? 0), played.end);
  return (byTurn.get(turn.id) ?? []).flatMap(({ number: key, finding }) => {
    const { sound, severity, title, message } = finding;
    if (!sound) return [];
    const frame = firstFrame + finding.frame;
    const sample = toSample(sound.fromS);
    const heardMs = sample < played.end ? played.wallMsOf(sample) : null;
    const fromMs = heardMs ?? marks.ofFrame(frame)?.atMs ?? turn.endedMs;
    if (fromMs === null) return [];
    const endMs = heardMs === null ? fromMs : (played.wallMsOf(toSample(sound.toS), true) ?? fromMs);
    const strip = heardMs === null ? ('audio' as const) : ('heard' as const);
    const words = `${title} (${severity}): ${message}`;
    return [{ key, turn, frame, sound, severity, words, strip, fromMs, toMs: Math.max(fromMs, endMs) }];
  });
}
