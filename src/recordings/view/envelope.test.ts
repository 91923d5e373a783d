import { describe, expect, it } from 'vitest';
import { bytesFromSamples } from '#lib/pcm.ts';
import { mp3Of, toneSyllables } from '#player/testing/mp3.ts';
import type { AudioEncoding } from '#protocol/core/audio-format.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENVELOPE_COLUMNS, envelopeOf, loudnessOf } from './envelope.ts';

const frame = (samples: Int16Array): SpeechEvent[] => frameOf(bytesFromSamples(samples), 'pcm_s16le');
const frameOf = (bytes: Uint8Array, encoding: AudioEncoding): SpeechEvent[] => [
  {
    type: 'audio',
    context: '',
    chunk: 0,
    index: null,
    encoding,
    sampleRate: 24_000,
    samples: null,
    payload: { bytes },
  },
];

describe('the waveform of a row', () => {
  it('has the loudest sample of each part, on a scale of 40 dB', async () => {
    const samples = new Int16Array(ENVELOPE_COLUMNS * 10);
    samples[0] = -32_768;
    samples[15] = 3290;
    samples[25] = 200;
    const envelope = await envelopeOf([frame(samples.subarray(0, 7)), frame(samples.subarray(7))]);
    expect(envelope?.length).toBe(ENVELOPE_COLUMNS);
    expect([...(envelope ?? [])].slice(0, 4)).toEqual([255, 128, 0, 0]);
  });

  it('has a column for each part even where there are fewer samples', async () => {
    expect([...((await envelopeOf([frame(Int16Array.of(32_767))])) ?? [])]).toEqual(
      new Array<number>(ENVELOPE_COLUMNS).fill(255),
    );
  });

  it('is none where there is no audio', async () => {
    expect(await envelopeOf([])).toBeNull();
    expect(await envelopeOf([[{ type: 'malformed', problem: 'x' }]])).toBeNull();
    expect(await loudnessOf([[]])).toBeNull();
  });

  it('of a long run has one column a frame', async () => {
    const [loud, silent] = [frame(Int16Array.of(-32_768)), frame(new Int16Array(4))];
    expect([...((await loudnessOf([loud, silent, [], loud])) ?? [])]).toEqual([255, 0, 0, 255]);
  });

  it('of MP3 has one column a frame as well, each decoded by itself', async () => {
    const tone = frameOf(await mp3Of(toneSyllables(12_000, 24_000), 24_000), 'mp3');
    const silence = frameOf(await mp3Of(new Int16Array(2400), 24_000), 'mp3');
    const [first, ...others] = (await loudnessOf([tone, silence, tone, tone, silence, tone])) ?? [];
    expect(first).toBeGreaterThan(150);
    expect(others).toEqual([0, first, first, 0, first]);
  });
});
