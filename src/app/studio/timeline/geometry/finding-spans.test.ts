import { describe, expect, it } from 'vitest';
import type { TurnView } from '#session/views.ts';
import { soundFinding } from '../../../recordings-client/testing/sound-finding.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { timelineWorld, twoChunks } from '../testing/turns.ts';
import { findingSpans } from './finding-spans.ts';

function placed(fromS: number, toS: number, rest: Partial<TurnView> = {}, frame = 9) {
  const turn = twoChunks(rest);
  const world = timelineWorld({ turns: [turn], findings: [soundFinding([fromS, toS], { frame })] });
  return findingSpans(turn, world).map(({ strip, fromMs, toMs }) => [strip, fromMs, toMs]);
}

const CUT = {
  heardToMs: 800,
  silencedMs: 800,
  played: [{ sample: 0, count: 400, atMs: 400 }],
  underruns: [],
};

describe('a finding in the sound', () => {
  it.each([
    ['where it was heard', 0.1, 0.25, [500, 650]],
    ['from the first sample', 0, 0, [400, 400]],
    ['to the start of an underrun', 0.5, 0.6, [900, 1000]],
    ['over an underrun', 0.5, 0.7, [900, 1200]],
    ['from the end of an underrun', 0.6, 0.7, [1100, 1200]],
    ['to the last sample', 0.9, 1.4, [1400, 1500]],
  ] as const)('is %s', (_, fromS, toS, span) => {
    expect(placed(fromS, toS)).toEqual([['heard', ...span]]);
  });

  it('is in the future of a turn that plays', () => {
    const playing = { heardToMs: null, played: [{ sample: 0, count: 1, atMs: 400 }], underruns: [] };
    expect(placed(0.8, 0.9, playing)).toEqual([['heard', 1200, 1300]]);
  });

  it('ends where the turn was cut off', () => {
    expect(placed(0.3, 0.9, CUT)).toEqual([['heard', 700, 800]]);
  });

  it('that was never heard is at the arrival of its audio frame, or else at the end of the turn', () => {
    // The session’s frame 12 arrived at 1000.
    expect(placed(0.7, 0.8, CUT, 9)).toEqual([['audio', 1000, 1000]]);
    expect(placed(0.7, 0.8, CUT, 99)).toEqual([['audio', 900, 900]]);
    expect(placed(0.7, 0.8, { ...CUT, endedMs: null }, 99)).toEqual([]);
  });

  it('is in the lane only while it is in view', () => {
    const inView = (startMs: number, widthPx: number) => {
      const scale = new TimeScale(startMs, 1, widthPx);
      return timelineWorld({ findings: [soundFinding([0.1, 0.25])], scale }).lane.findings.length;
    };
    expect([inView(0, 499), inView(0, 501), inView(600, 10), inView(651, 800)]).toEqual([0, 1, 1, 0]);
  });
});
