import { wordList } from '#lib/word-list.ts';
import type { AudioEncoding, AudioFormat } from '../../core/audio-format.ts';

/** Formats of the sockets (`facts-elevenlabs 1.3`). */
export const OUTPUT_FORMATS = wordList(
  'pcm_24000 pcm_8000 pcm_16000 pcm_22050 pcm_44100 ulaw_8000 alaw_8000 mp3_22050_32 mp3_44100_32 mp3_44100_64 mp3_44100_96 mp3_44100_128 mp3_44100_192 opus_48000_32 opus_48000_64 opus_48000_96 opus_48000_128 opus_48000_192',
);

/** The format where the address names none (`facts-elevenlabs 9`, 5). */
export const DEFAULT_FORMAT = 'mp3_44100_128';

const ENCODINGS: Readonly<Record<string, AudioEncoding>> = {
  pcm: 'pcm_s16le',
  ulaw: 'mulaw',
  alaw: 'alaw',
  mp3: 'mp3',
  opus: 'opus',
};

/** Encoding, rate and kbit/s of a format; null for a text that is none. Formats that only REST takes are read as well. */
export function readOutputFormat(token: string): (AudioFormat & { kbits: number | null }) | null {
  const [, name = '', rate, kbits] = /^(pcm|ulaw|alaw|mp3|opus)_(\d{4,5})(?:_(\d{2,3}))?$/.exec(token) ?? [];
  const encoding = ENCODINGS[name];
  if (!encoding) return null;
  return { encoding, sampleRate: Number(rate), kbits: kbits === undefined ? null : Number(kbits) };
}

/** The format of the audio under these settings. No frame names it (`facts-elevenlabs 1.3.2`). */
export function audioFormatOf({ output_format: token }: Readonly<Record<string, unknown>>): AudioFormat {
  const read = readOutputFormat(typeof token === 'string' ? token : DEFAULT_FORMAT);
  const { encoding, sampleRate } = read ?? { encoding: 'mp3', sampleRate: 44_100 };
  return { encoding, sampleRate };
}
