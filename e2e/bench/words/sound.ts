import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeG711Into, encodeG711 } from '#lib/g711.ts';
import { FULL_SCALE, joinedSamples } from '#lib/pcm.ts';
import { createResampler } from '#lib/resample.ts';
import { seededRandom } from '#lib/statistics/random.ts';
import { writtenWords } from '#lib/text/words.ts';
import { wavData } from '#lib/wav.ts';
import { z } from '#protocol/core/zod.ts';
import { joinedBytes } from '#server/audio/encoder.ts';
import { Mp3Encoders } from '#server/audio/mp3.ts';
import { DecodedSound } from '#trace/recorded-speech.ts';

export interface Sound {
  readonly samples: Int16Array<ArrayBuffer>;
  readonly sampleRate: number;
}

/** A word of a text with the time of its sound; NaN where it is not known. */
export interface TrueWord {
  readonly start: number;
  readonly startMs: number;
  readonly endMs: number;
}

export interface TimedSound extends Sound {
  readonly text: string;
  readonly words: readonly TrueWord[];
}

/** Reads a WAV file of 16-bit samples. */
export function wavSound(bytes: Uint8Array): Sound {
  const found = wavData(bytes);
  if ('problem' in found) throw new Error(found.problem);
  const sampleRate = new DataView(bytes.buffer, bytes.byteOffset).getUint32(24, true);
  return { sampleRate, samples: new Int16Array(found.data.slice().buffer) };
}

const humanSchema = z.array(
  z.object({
    file: z.string(),
    text: z.string(),
    words: z.array(z.object({ text: z.string(), startMs: z.number(), endMs: z.number() })),
  }),
);

/** Reads human speech from a folder: `words.json` with texts and word times, and the WAV files that it names. */
export async function readHumanWords(folder: string): Promise<TimedSound[]> {
  const all = humanSchema.parse(JSON.parse(await readFile(join(folder, 'words.json'), 'utf8')));
  const files = new Set(await readdir(folder));
  return Promise.all(
    all
      .filter(({ file }) => files.has(file))
      .map(async ({ file, text, words }) => {
        const sound = wavSound(await readFile(join(folder, file)));
        const places = writtenWords(text);
        let next = 0;
        const placed = words.map(({ text: word, ...times }, at) => {
          const start = Math.max(next, text.indexOf(word, next));
          next = start + word.length;
          // The aligner gives the silence before a file's first word to that word.
          return {
            start: places.find(({ end }) => end > start)?.start ?? start,
            ...times,
            ...(at === 0 && { startMs: Number.NaN }),
          };
        });
        return { text, words: placed, ...sound };
      }),
  );
}

const withSamples = (sound: TimedSound, samples: Int16Array<ArrayBuffer>, shiftMs = 0): TimedSound => ({
  ...sound,
  samples,
  words: sound.words.map((word) => ({
    ...word,
    startMs: word.startMs + shiftMs,
    endMs: word.endMs + shiftMs,
  })),
});

const silence = (ms: number, { sampleRate }: Sound): Int16Array<ArrayBuffer> =>
  new Int16Array(Math.round((ms * sampleRate) / 1000));

const TELEPHONE_HZ = 8000;
const MP3_KBPS = 24;
const NOISE_DB = 20;
const LEAD_MS = 500;
const PAUSES = 3;
const [LEAST_PAUSE_MS, MOST_PAUSE_MS] = [300, 900];

function overTelephone(sound: TimedSound): TimedSound {
  const resampler = createResampler(sound.sampleRate, TELEPHONE_HZ);
  const narrow = Int16Array.from([...resampler.push(Float32Array.from(sound.samples)), ...resampler.end()]);
  const samples = new Int16Array(narrow.length);
  decodeG711Into('mulaw', encodeG711('mulaw', narrow), samples);
  return { ...withSamples(sound, samples), sampleRate: TELEPHONE_HZ };
}

/** As MP3 and back. The delay of the codec is none of the voice's, so that it is cut off. */
async function asMp3(sound: TimedSound): Promise<TimedSound> {
  const { samples, sampleRate } = sound;
  const encoder = new Mp3Encoders().open(sampleRate, ['bench'], MP3_KBPS);
  const bytes = joinedBytes([await encoder.encode(samples), (await encoder.tail?.()) ?? new Uint8Array()]);
  const decoded = new DecodedSound();
  const event = { type: 'audio', context: '', chunk: 0, index: null, samples: null } as const;
  await decoded.add({ ...event, encoding: 'mp3', sampleRate, payload: { bytes } });
  const all = decoded.audio?.slice() ?? new Int16Array();
  decoded.close();
  return withSamples(sound, all.slice(delayOf(all, samples)));
}

const MOST_DELAY = 2500;
const COMPARED = 16_000;

/** Returns by how many samples a sound is later than another one. */
function delayOf(late: Int16Array, sound: Int16Array): number {
  let [best, most] = [0, Number.NEGATIVE_INFINITY];
  for (let delay = 0; delay < MOST_DELAY; delay += 1) {
    let sum = 0;
    for (let at = 0; at < COMPARED; at += 1) sum += (late[at + delay] ?? 0) * (sound[at] ?? 0);
    if (sum > most) [best, most] = [delay, sum];
  }
  return best;
}

function withNoise(sound: TimedSound): TimedSound {
  const random = seededRandom(5);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const power = sound.samples.reduce((sum, one) => sum + one * one, 0) / sound.samples.length;
  const deviation = Math.sqrt(power / 10 ** (NOISE_DB / 10));
  const noisy = sound.samples.map((one) =>
    Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, one + deviation * normal())),
  );
  return withSamples(sound, noisy);
}

/** Silences before some words. */
function withPauses(sound: TimedSound): TimedSound {
  const random = seededRandom(sound.samples.length);
  const inner = sound.words.filter(({ startMs }) => startMs > 0).slice(1);
  const chosen = new Set(Array.from({ length: PAUSES }, () => inner[Math.floor(random() * inner.length)]));
  const parts: Int16Array[] = [];
  let [from, shiftMs] = [0, 0];
  const words = sound.words.map((word) => {
    if (chosen.has(word)) {
      const at = Math.round((word.startMs * sound.sampleRate) / 1000);
      const pauseMs = LEAST_PAUSE_MS + random() * (MOST_PAUSE_MS - LEAST_PAUSE_MS);
      parts.push(sound.samples.subarray(from, at), silence(pauseMs, sound));
      from = at;
      shiftMs += pauseMs;
    }
    return { ...word, startMs: word.startMs + shiftMs, endMs: word.endMs + shiftMs };
  });
  return { ...sound, words, samples: joinedSamples([...parts, sound.samples.subarray(from)]) };
}

/** What becomes of speech on its way to a listener. */
export const CONDITIONS: Readonly<Record<string, (sound: TimedSound) => TimedSound | Promise<TimedSound>>> = {
  clean: (sound) => sound,
  'µ-law at 8 kHz': overTelephone,
  [`MP3 at ${MP3_KBPS} kbit/s`]: asMp3,
  [`white noise ${NOISE_DB} dB below`]: withNoise,
  [`${LEAD_MS} ms of silence before`]: (sound) =>
    withSamples(sound, joinedSamples([silence(LEAD_MS, sound), sound.samples]), LEAD_MS),
  [`${PAUSES} pauses inserted`]: withPauses,
};
