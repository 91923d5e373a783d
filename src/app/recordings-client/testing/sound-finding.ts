import type { FoundFinding } from '#recordings/view/check-view.ts';

/** A finding in the sound of turn 1, as the recordings worker answers it. */
export function soundFinding(
  [fromS, toS]: readonly [number, number],
  { frame = 9, severity = 'warning' }: Partial<Pick<FoundFinding['finding'], 'frame' | 'severity'>> = {},
): FoundFinding {
  const place = { atUs: 0, connection: 1, context: null };
  return {
    number: Math.round(fromS * 1000),
    finding: {
      ...place,
      id: 'repeat-at-seam',
      group: 'sound',
      severity,
      title: 'Sound repeats at a seam',
      why: 'A listener hears a stutter.',
      anchors: ['sound-seam-1'],
      frame,
      message: 'expected speech that goes on, got the last 0.10 s again',
      path: null,
      related: null,
      sound: { turn: 1, fromS, toS },
    },
    head: {
      ...place,
      index: frame,
      direction: 'in',
      opcode: 'text',
      bytes: 10,
      kind: 'audio',
      turn: 1,
      chunk: 0,
      audioMs: 20,
    },
  };
}
