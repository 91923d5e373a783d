import { decodeG711Into, encodeG711 } from '#lib/g711.ts';
import { FULL_SCALE } from '#lib/pcm.ts';
import { seededRandom } from '#lib/statistics/random.ts';

/** Returns the curve of µ-law from −1 to 1: each sample as it is after coding and decoding (G.711). */
export function mulawCurve(): Float32Array<ArrayBuffer> {
  // An odd number of points, so that silence stays silent.
  const samples = Int16Array.from({ length: 2 * FULL_SCALE - 1 }, (_, at) => at - FULL_SCALE + 1);
  decodeG711Into('mulaw', encodeG711('mulaw', samples), samples);
  return Float32Array.from(samples, (sample) => sample / FULL_SCALE);
}

/** Time in which the sound of a furnished room falls by 60 dB. */
const REVERBERATION_S = 0.45;
/** The first reflection, from a wall that is two metres away. */
const FIRST_REFLECTION_S = 0.012;
/** Walls swallow high frequencies first: the share of the sample before in each sample of the reflections. */
const DULLNESS = 0.55;

/** Returns the impulse response of a room for one ear. Its energy is 1, and equal seeds have equal rooms. */
export function roomResponse(sampleRate: number, seed: number): Float32Array<ArrayBuffer> {
  const random = seededRandom(seed);
  const length = REVERBERATION_S * sampleRate;
  let dull = 0;
  const walls = Float32Array.from({ length }, (_, at) => {
    dull = DULLNESS * dull + (1 - DULLNESS) * (2 * random() - 1);
    return at < FIRST_REFLECTION_S * sampleRate ? 0 : dull * 10 ** ((-3 * at) / length);
  });
  const energy = walls.reduce((sum, sample) => sum + sample * sample, 0);
  // A listener at the other side of the room has half of the energy from the walls.
  const response = walls.map((sample) => sample / Math.sqrt(2 * energy));
  response[0] = Math.SQRT1_2;
  return response;
}
