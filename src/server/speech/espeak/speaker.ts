import type { EspeakEvent } from '@echogarden/espeak-ng-emscripten';
import { addAll } from '#lib/collections/arrays.ts';
import { joinedSamples } from '#lib/pcm.ts';
import { createResampler } from '#lib/resample.ts';
import type { LoadedEspeak } from './espeak-module.ts';
import { type Onset, PAUSE, type SpeakJob } from './worker-messages.ts';

const ESPEAK_HZ = 22050;
/**
 * Most calls of espeak in one block, of 100 ms each. Every block costs messages between threads. The first block of a piece
 * has one call, and each later one at most twice as many as the block before.
 */
const MAX_GATHERED = 4;

/** Synthesises one job synchronously. */
export type Speak = (
  job: SpeakJob,
  onBlock: (samples: Int16Array<ArrayBuffer>, sounds: readonly Onset[]) => void,
  isCancelled: () => boolean,
) => void;

/**
 * Maps espeak's events to positions in the SSML. espeak reports the start of every spoken word, and every phoneme with
 * the position of its word. Where it reads one written word as several (`12.50`, kana one by one), it repeats the
 * position, and the repetitions are spread over the word.
 */
function createFollower(hasPhonemes: boolean): (event: EspeakEvent) => Onset | undefined {
  let wordStart = -1;
  let repetitions = 0;
  let place = 0;
  return ({ type, text_position, word_length, audio_position, id }) => {
    if (type === 'end' || (type === 'phoneme' && id === '')) return [PAUSE, audio_position];
    const position = text_position - 1;
    if (type === 'word') {
      repetitions = position === wordStart ? repetitions + 1 : 0;
      wordStart = position;
      place = position + Math.min(repetitions, Math.max(0, word_length - 1));
      return [place, audio_position];
    }
    // `(en)` and the like announce a change of language and are silent.
    if (type !== 'phoneme' || (typeof id === 'string' && id.startsWith('('))) return undefined;
    const at = position === wordStart ? place : position;
    return hasPhonemes ? [at, audio_position, String(id)] : [at, audio_position];
  };
}

/** Creates a speaker on one espeak instance: the same job has the same samples. Throws for an unknown espeak voice. */
export function createSpeaker({ espeak, memory }: LoadedEspeak): Speak {
  return (job, onBlock, isCancelled) => {
    if (isCancelled()) return;
    memory.begin(job.espeakVoice);
    espeak.set_pitch(job.pitch);
    espeak.set_range(job.range);
    espeak.set_rate(job.wordsPerMinute);
    const resampler = createResampler(ESPEAK_HZ, job.sampleRate);
    const follow = createFollower(job.hasPhonemes);
    let hasBegun = !job.isTrimmed;
    let trimmedMs = 0;
    let failure: unknown;
    let aborted = false;
    let samplesOfBlock: Int16Array[] = [];
    let soundsOfBlock: Onset[] = [];
    let mostGathered = 1;
    const send = () => {
      if (samplesOfBlock.length > 0) onBlock(joinedSamples(samplesOfBlock), soundsOfBlock);
      samplesOfBlock = [];
      soundsOfBlock = [];
    };
    espeak.synthesize(memory.place(job.ssml), (samples, events) => {
      // An exception must not pass through espeak, because it corrupts the next synthesis.
      try {
        aborted = aborted || isCancelled();
        if (aborted) return true;
        const all = Float32Array.from(samples ?? []);
        const silent = hasBegun ? 0 : leadingZeros(all);
        trimmedMs += (silent * 1000) / ESPEAK_HZ;
        hasBegun ||= silent < all.length;
        const resampled = resampler.push(all.subarray(silent));
        const sounds = events
          .map(follow)
          .filter((sound) => sound !== undefined)
          .map(([place, atMs, ...phoneme]): Onset => [place, Math.max(0, atMs - trimmedMs), ...phoneme]);
        if (resampled.length > 0 || sounds.length > 0) {
          samplesOfBlock.push(toLoudness(resampled, job.gainDb));
          addAll(soundsOfBlock, sounds);
        }
        if (samplesOfBlock.length >= mostGathered) {
          send();
          mostGathered = Math.min(2 * mostGathered, MAX_GATHERED);
        }
        return false;
      } catch (error) {
        failure = error;
        return true;
      }
    });
    if (failure !== undefined) throw failure;
    if (aborted) return;
    const tail = resampler.end();
    if (tail.length > 0) samplesOfBlock.push(toLoudness(tail, job.gainDb));
    send();
  };
}

function leadingZeros(samples: Float32Array): number {
  const sound = samples.findIndex((sample) => sample !== 0);
  return sound < 0 ? samples.length : sound;
}

/** Above this share of full scale the curve bends instead of clipping. */
const KNEE = 0.8;
const FULL_SCALE = 32768;
const LARGEST = 32767;

/**
 * Applies a gain and rounds to 16 bit. Limits peaks below full scale sample by sample, so that
 * the result does not depend on block borders.
 * @param samples in the scale of 16-bit integers
 */
function toLoudness(samples: Float32Array, gainDb: number): Int16Array<ArrayBuffer> {
  const gain = 10 ** (gainDb / 20) / FULL_SCALE;
  const out = new Int16Array(samples.length);
  for (let i = 0; i < out.length; i += 1) {
    const value = (samples[i] ?? 0) * gain;
    const size = Math.abs(value);
    const bent = size <= KNEE ? size : KNEE + (1 - KNEE) * Math.tanh((size - KNEE) / (1 - KNEE));
    out[i] = Math.round(Math.sign(value) * bent * LARGEST);
  }
  return out;
}
