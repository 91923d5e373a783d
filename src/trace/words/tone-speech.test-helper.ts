import { encodeBase64 } from '#lib/base64.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { createResampler } from '#lib/resample.ts';
import { seededRandom } from '#lib/statistics/random.ts';
import { writtenWords } from '#lib/text/words.ts';
import type { ReferenceAnswer } from '#protocol/reference-messages.ts';

export const HZ = 8000;
export const WORD_MS = 250;

/** A sound for each word: a tone that its letters decide, which fades in and out. */
export function toneSpeech(text: string): { samples: Int16Array; answer: ReferenceAnswer } {
  const places = writtenWords(text);
  const length = (WORD_MS * HZ) / 1000;
  const samples = new Int16Array(length * places.length);
  for (const [word, { start, end }] of places.entries()) {
    const letters = [...text.slice(start, end)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    const random = seededRandom(letters);
    const tones = [300 + 500 * random(), 1000 + 1000 * random(), 2200 + 1200 * random()];
    for (let at = 0; at < length; at += 1) {
      const value = tones.reduce((sum, hz) => sum + Math.sin((2 * Math.PI * hz * at) / HZ), 0);
      samples[word * length + at] = 3000 * value * Math.sin((Math.PI * at) / length);
    }
  }
  const words = places.map(({ start, end }, at) => ({
    startMs: at * WORD_MS,
    endMs: (at + 1) * WORD_MS,
    charStart: start,
    charEnd: end,
  }));
  return { samples, answer: { engine: 'tones 1', samples: encodeBase64(bytesFromSamples(samples)), words } };
}

/** The same sound at a higher rate. */
export function toneSamples(text: string, sampleRate: number): Int16Array<ArrayBuffer> {
  const resampler = createResampler(HZ, sampleRate);
  const output = [...resampler.push(Float32Array.from(toneSpeech(text).samples)), ...resampler.end()];
  return Int16Array.from(output, Math.round);
}
