import { FULL_SCALE } from '#lib/pcm.ts';
import { change, type FaultKind, type Inject, largestStep, seams } from './fault-tools.ts';
import { samplesOf } from './turn.ts';

/** Repeats or drops a stretch at a seam. The times of words stay, as where a server's own buffer is at fault. */
const atSeam =
  (what: 'repeat' | 'skip'): Inject =>
  (turn, { between, oneOf }) => {
    const { sampleRate } = turn.format;
    const lengthS = between(0.06, 0.2);
    const seam = oneOf(seams(turn, lengthS));
    if (!seam) return null;
    const length = Math.round(lengthS * sampleRate);
    const { chunk, frame: index, at } = seam;
    const frame = chunk.frames[index];
    if (!frame) return null;
    if (what === 'skip') {
      chunk.frames[index] = frame.slice(length);
      return { fromS: at / sampleRate, toS: at / sampleRate, isSeam: true };
    }
    const again = samplesOf(turn).slice(at - length, at);
    const longer = new Int16Array(frame.length + length);
    longer.set(again);
    longer.set(frame, length);
    chunk.frames[index] = longer;
    return { fromS: at / sampleRate, toS: (at + length) / sampleRate, isSeam: true };
  };

/** Faults between two audio frames. */
export const SEAM_FAULTS = {
  'click-at-seam': {
    found: ['click-at-seam'],
    isPlaced: true,
    inject: (turn, { between, oneOf, random }) => {
      const { sampleRate } = turn.format;
      const seam = oneOf(seams(turn, 0.02));
      if (!seam) return null;
      const step = between(0.2, 0.6) * FULL_SCALE * (random() < 0.5 ? 1 : -1);
      const decay = between(0.001, 0.008) * sampleRate;
      const isHeld = random() < 0.5;
      const { at } = seam;
      // In loud speech at a low rate, neighbouring samples differ as much.
      if (Math.abs(step) < 1.5 * largestStep(samplesOf(turn), at, 0.015 * sampleRate)) return null;
      change(turn, at, at + 6 * decay, (sample, place) => {
        if (isHeld) return place - at < decay ? sample + step : sample;
        return sample + step * Math.exp(-(place - at) / decay);
      });
      return { fromS: at / sampleRate, toS: at / sampleRate, isSeam: true };
    },
  },
  'repeat-at-seam': { found: ['repeat-at-seam'], isPlaced: true, inject: atSeam('repeat') },
  'skip-at-seam': { found: ['skip-at-seam'], isPlaced: true, inject: atSeam('skip') },
} as const satisfies Record<string, FaultKind>;
