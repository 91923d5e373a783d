import type { FoundFinding } from '#recordings/view/check-view.ts';
import type { Direction, RecordingInfo } from '#trace/entry.ts';
import { exactTime } from '../../../recordings/frame-facts.ts';
import { soundPlace } from '../../../recordings-client/sound-findings.ts';

const MOVED: Readonly<Record<Direction, string>> = {
  in: 'received',
  out: 'sent',
  connection: 'noted',
  player: 'noted',
};

/** Returns a finding as text for a bug report. Contains no key, because the recorder replaces secrets. */
export function reportText(
  { finding, head }: FoundFinding,
  recording: Pick<RecordingInfo, 'endpoint' | 'address' | 'startedAtMs'> | null,
): string {
  const { id, group, severity, title, message, why, anchors, path, related, sound } = finding;
  const place = [
    `connection ${head.connection}`,
    head.context !== null && `context ${head.context}`,
    head.turn !== null && `turn ${head.turn}`,
    head.chunk !== null && `chunk ${head.chunk}`,
  ].filter((part) => part !== false);
  const lines = [
    title,
    message,
    '',
    `Rule: ${id} (${group}, ${severity})`,
    `Why: ${why}`,
    `Source: ${anchors.join(', ')}`,
    `Frame: ${head.index}, ${head.kind}, ${MOVED[head.direction]} at ${exactTime(head.atUs)}`,
    `Of: ${place.join(', ')}`,
    path !== null && `Field: ${path}`,
    sound !== null && `Heard: ${soundPlace(sound)}`,
    related !== null && `Because of frame: ${related}`,
    recording &&
      `Recording: ${recording.endpoint} at ${recording.address}, begun ${new Date(recording.startedAtMs).toISOString()}`,
  ];
  return lines.filter((line) => typeof line === 'string').join('\n');
}
