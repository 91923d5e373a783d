import type { AudioEncoding, AudioFormat } from '../../core/audio-format.ts';
import type { Family } from './models.ts';

/** Encodings of the sockets, and their rates in Hz, the default first (`facts-deepgram 2`, 4). */
const TELEPHONE: readonly number[] = [8000, 16_000];
const OF_FAMILY = {
  aura: [24_000, 8000, 16_000, 32_000, 48_000],
  flux: [24_000, 8000, 16_000, 32_000, 44_100, 48_000],
} as const;

const ENCODING_NAMES = {
  linear16: 'pcm_s16le',
  mulaw: 'mulaw',
  alaw: 'alaw',
} as const satisfies Readonly<Record<string, AudioEncoding>>;

export type Encoding = keyof typeof ENCODING_NAMES;

export const ENCODINGS = Object.keys(ENCODING_NAMES) as Encoding[];

const isEncoding = (name: unknown): name is Encoding =>
  typeof name === 'string' && Object.hasOwn(ENCODING_NAMES, name);

/** The rates of an encoding, the default first. */
export const ratesOf = (encoding: Encoding, family: Family): readonly number[] =>
  encoding === 'linear16' ? OF_FAMILY[family] : TELEPHONE;

/** All rates of a family. */
export const RATES = OF_FAMILY;

/** The format of the audio under these settings. No frame names it (`facts-deepgram 11`, 4). */
export const audioFormatOf =
  (family: Family) =>
  ({
    encoding,
    sample_rate: rate,
  }: Readonly<Record<string, unknown>>): AudioFormat & {
    encoding: (typeof ENCODING_NAMES)[Encoding];
  } => {
    const known = isEncoding(encoding) ? encoding : 'linear16';
    const [usual = 0] = ratesOf(known, family);
    return { encoding: ENCODING_NAMES[known], sampleRate: typeof rate === 'number' ? rate : usual };
  };
