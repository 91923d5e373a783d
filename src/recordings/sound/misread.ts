import { decodeBase64 } from '#lib/base64.ts';
import { decodeG711Into, type G711Law } from '#lib/g711.ts';
import { AUDIBLE_DBFS, bytesFromSamples } from '#lib/pcm.ts';
import type { AudioPayload } from '#protocol/core/speech-event.ts';
import { faultAt, type SoundFault, type TurnSound, WINDOW_S } from './turn-sound.ts';

/** Sound as loud as this whose neighbouring samples have nothing in common is no speech. */
const NOISE_DBFS = -3;
const NOISE_ROUGHNESS = 0.95;
const LEAST_NOISE_S = 0.15;

/** Between the roughness of speech in its right reading and in a wrong one; `npm run ears` counts misses and false findings. */
const SMOOTH = 1.1;
const ROUGH = 0.9;
/** Loud speech, in which readings are compared: so far below its loudest windows. */
const COMPARED_DB = 12;
/** Samples that are compared at most, from as many places of the turn. */
const MOST_COMPARED = 2 ** 15;

/** Returns the fault of samples that are something else than the format says, for which no other rule has a meaning. */
export function misreadFaults(sound: TurnSound): SoundFault[] {
  const noise = noiseFaults(sound);
  return noise.length > 0 ? noise : comparedFaults(sound);
}

/** Returns the first run of bytes that were read as samples and are none. */
function noiseFaults({ samples, levels, window }: TurnSound): SoundFault[] {
  const least = Math.round(LEAST_NOISE_S / WINDOW_S);
  let run = 0;
  for (let at = 0; at < levels.length; at += 1) {
    const isNoise =
      (levels[at] ?? 0) > NOISE_DBFS &&
      roughness(samples.subarray(at * window, (at + 1) * window)) > NOISE_ROUGHNESS;
    // Compressed audio has gaps.
    run = isNoise ? run + 1 : Math.max(0, run - 1);
    if (run < least) continue;
    const from = Math.max(0, at + 1 - least) * window;
    const cause = otherReading(samples.subarray(from, from + MOST_COMPARED)) ?? NOISE;
    return [faultAt('not-samples', { from, to: samples.length }, 'samples', cause)];
  }
  return [];
}

/** Finds samples that are speech in another reading: of other bytes, or as two channels. */
function comparedFaults(sound: TurnSound): SoundFault[] {
  if (sound.isSilent) return [];
  const whole = { from: 0, to: sound.samples.length };
  const loud = loudSamples(sound);
  const channels = channelsOf(loud);
  if (channels !== null) return [faultAt('two-channels', whole, 'samples of one channel', channels)];
  const reading = otherReading(loud);
  return reading === null ? [] : [faultAt('not-samples', whole, 'samples', reading)];
}

/** Returns loud samples of a turn, in pairs that lie in it as they do here. */
function loudSamples({ samples, levels, window, loudDbfs }: TurnSound): Int16Array {
  const even = 2 * Math.ceil(window / 2);
  // Where most of a turn is silent, its loud windows are silent too.
  const least = Math.max(loudDbfs - COMPARED_DB, AUDIBLE_DBFS);
  const starts = [...levels.keys()]
    .filter((at) => (levels[at] ?? 0) > least)
    .map((at) => 2 * Math.floor((at * window) / 2));
  const step = Math.max(1, Math.ceil((starts.length * even) / MOST_COMPARED));
  const parts = starts.filter((_, index) => index % step === 0).map((at) => samples.subarray(at, at + even));
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * Mean step between neighbours by the mean magnitude: 4/3 for evenly distributed noise, less for speech.
 * @param stride distance of neighbours @param from the first sample
 */
function roughness(samples: Int16Array, stride = 1, from = 0): number {
  let steps = 0;
  let magnitudes = 0;
  for (let at = from + stride; at < samples.length; at += stride) {
    const sample = samples[at] ?? 0;
    steps += Math.abs(sample - (samples[at - stride] ?? 0));
    magnitudes += Math.abs(sample);
  }
  return magnitudes === 0 ? 0 : steps / magnitudes;
}

const NOISE = 'noise, such as compressed audio or another encoding than the format names';

/** Returns the reading in which 16-bit samples are speech and as they are not, in words; null for none. */
function otherReading(samples: Int16Array): string | null {
  const bytes = bytesFromSamples(samples);
  const view = new DataView(bytes.buffer);
  const pairs = (first: number, isLittleEndian: boolean): Int16Array =>
    Int16Array.from({ length: Math.floor((bytes.length - first) / 2) }, (_, at) =>
      view.getInt16(first + 2 * at, isLittleEndian),
    );
  const codes = (law: G711Law): Int16Array => {
    const decoded = new Int16Array(bytes.length);
    decodeG711Into(law, bytes, decoded);
    return decoded;
  };
  // Codes are pairs of like bytes, so that they are smooth as samples too. Quiet samples are smooth with swapped bytes.
  const readings: [string, Int16Array][] = [
    ['µ-law', codes('mulaw')],
    ['A-law', codes('alaw')],
  ];
  if (roughness(samples) > ROUGH)
    readings.push(
      ['samples with swapped bytes (big-endian)', pairs(0, false)],
      ['samples that begin one byte earlier or later', pairs(1, true)],
    );
  const [smoothest] = readings
    .map(([name, read]) => ({ name, rough: roughness(read) }))
    .sort((a, b) => a.rough - b.rough);
  return smoothest && smoothest.rough < SMOOTH ? smoothest.name : null;
}

/** Steps within pairs, compared with those between them. In one channel, both are the same. */
const MOST_PAIR_STEP = 0.3;

/** Returns why samples are two channels in turn; null where they are one. */
function channelsOf(samples: Int16Array): string | null {
  let within = 0;
  let between = 0;
  for (let at = 2; at < samples.length; at += 2) {
    within += Math.abs((samples[at - 1] ?? 0) - (samples[at - 2] ?? 0));
    between += Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0));
  }
  if (Math.min(within, between) < MOST_PAIR_STEP * Math.max(within, between))
    return 'pairs of like samples, as of two channels';
  // In one channel, every other sample is less smooth than all.
  const apart = Math.max(roughness(samples, 2), roughness(samples, 2, 1));
  return roughness(samples) > apart ? 'two channels in turn' : null;
}

/** Characters of base64 that hold the first bytes of a header, and a whole number of them. */
const HEADER_CHARS = 16;
/** The first letters of `RIFF`: three in base64, and one. */
const RIF = 'UklG';
const R = 0x52;

/** Returns whether an audio frame of samples begins with the header of a WAV file. */
export function beginsWithWav(payload: AudioPayload): boolean {
  // Nearly no frame begins so.
  if ('base64' in payload ? !payload.base64.startsWith(RIF) : payload.bytes[0] !== R) return false;
  const start = 'base64' in payload ? decodeBase64(payload.base64.slice(0, HEADER_CHARS)) : payload;
  if ('problem' in start) return false;
  const text = new TextDecoder('latin1').decode(start.bytes.subarray(0, 12));
  return text.startsWith('RIFF') && text.endsWith('WAVE');
}
