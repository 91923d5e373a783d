import { describe, expect, it } from 'vitest';
import { chunkView } from '#session/testing/views.ts';
import { barSpans, chunkRow, scaleEnd } from './chunk-rows.ts';

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
const turn = { firstTextMs: 1000, sampleRate: 24_000 };

describe('chunkRow', () => {
  it("counts from the turn's first text and leaves unknown times unknown", () => {
    expect(chunkRow(turn, view)).toMatchObject({
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
    expect(chunkRow({ firstTextMs: null, sampleRate: null }, view)).toMatchObject({
      sent: null,
      audioSeconds: 0,
    });
  });
});

describe('barSpans', () => {
  const row = chunkRow(turn, view);

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
    const early = chunkRow(turn, {
      ...view,
      firstAudioMs: null,
      lastAudioMs: null,
      completedMs: null,
      heardFromMs: null,
    });
    expect(barSpans(early, 1000).map((span) => span.kind)).toEqual(['wait']);
  });
});
