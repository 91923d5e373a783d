import { describe, expect, it } from 'vitest';
import { bytesFromSamples } from '#lib/pcm.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENVELOPE_COLUMNS, envelopeOf, loudnessOf } from './envelope.ts';

const frame = (samples: Int16Array): SpeechEvent[] => [
  {
    type: 'audio',
    context: '',
    chunk: 0,
    index: null,
    encoding: 'pcm_s16le',
    sampleRate: 24_000,
    samples: null,
    payload: { bytes: bytesFromSamples(samples) },
  },
];

describe('the waveform of a row', () => {
  it('has the loudest sample of each part, on a scale of 40 dB', () => {
    const samples = new Int16Array(ENVELOPE_COLUMNS * 10);
    samples[0] = -32_768;
    samples[15] = 3290;
    samples[25] = 200;
    const envelope = envelopeOf([frame(samples.subarray(0, 7)), frame(samples.subarray(7))]);
    expect(envelope?.length).toBe(ENVELOPE_COLUMNS);
    expect([...(envelope ?? [])].slice(0, 4)).toEqual([255, 128, 0, 0]);
  });

  it('has a column for each part even where there are fewer samples', () => {
    expect([...(envelopeOf([frame(Int16Array.of(32_767))]) ?? [])]).toEqual(
      new Array<number>(ENVELOPE_COLUMNS).fill(255),
    );
  });

  it('is none where there is no audio', () => {
    expect(envelopeOf([])).toBeNull();
    expect(envelopeOf([[{ type: 'malformed', problem: 'x' }]])).toBeNull();
    expect(loudnessOf([[]])).toBeNull();
  });

  it('of a long run has one column a frame', () => {
    const [loud, silent] = [frame(Int16Array.of(-32_768)), frame(new Int16Array(4))];
    expect([...(loudnessOf([loud, silent, [], loud]) ?? [])]).toEqual([255, 0, 0, 255]);
  });
});
