import { describe, expect, it } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import { barSpans, chunkRows, scaleEnd } from './chunk-rows.ts';

const view = chunkView({
  text: 'One.',
  sentMs: 1000,
  startedMs: 1100,
  firstAudioMs: 1150,
  lastAudioMs: 1300,
  completedMs: 1310,
  heardFromMs: 1250,
  audioFrames: 4,
  samples: 48_000,
  generationMs: 180,
});
const rowOf = (change: Partial<TurnView> = {}) => {
  const [first] = chunkRows([turnView({ firstTextMs: 1000, sampleRate: 24_000, chunks: [view], ...change })]);
  if (!first) throw new Error('The turn has no row.');
  return first.row;
};

describe('chunkRows', () => {
  it("counts from the turn's first text and leaves unknown times unknown", () => {
    expect(rowOf()).toMatchObject({
      sent: 0,
      started: 100,
      firstAudio: 150,
      lastAudio: 300,
      complete: 310,
      heardFrom: 250,
      heardTo: null,
      audioSeconds: 2,
    });
  });

  it('has no times for a turn that has sent nothing', () => {
    expect(rowOf({ firstTextMs: null, sampleRate: null })).toMatchObject({ sent: null, audioSeconds: 0 });
  });

  it('returns the same row for an unchanged chunk, and another one for another origin or rate', () => {
    const row = rowOf();
    expect(rowOf({ text: 'More.' })).toBe(row);
    expect(rowOf({ firstTextMs: 900 }).sent).toBe(100);
    expect(rowOf({ sampleRate: 48_000 }).audioSeconds).toBe(1);
  });
});

describe('barSpans', () => {
  const row = rowOf();

  it('shares a scale that ends with the last sound', () => {
    expect(scaleEnd([row])).toBe(2250);
  });

  it('shows wait, generation and sound in order', () => {
    const spans = barSpans(row, 1000);
    expect(spans).toEqual([
      { kind: 'wait', fromPercent: 0, widthPercent: 10 },
      { kind: 'generation', fromPercent: 10, widthPercent: 21 },
      { kind: 'heard', fromPercent: 25, widthPercent: 200 },
    ]);
  });

  it('leaves out what has not happened', () => {
    const early = rowOf({
      chunks: [{ ...view, firstAudioMs: null, lastAudioMs: null, completedMs: null, heardFromMs: null }],
    });
    expect(barSpans(early, 1000).map((span) => span.kind)).toEqual(['wait']);
  });
});
