import { wordList } from '#lib/word-list.ts';
import type { AudioFormat } from '../../core/audio-format.ts';
import type { Issue } from '../../core/issue.ts';

export const SAMPLE_RATES = [8000, 16_000, 22_050, 24_000] as const;
export type SampleRate = (typeof SAMPLE_RATES)[number];

/** Tokens of `facts 1.5`. The token `ulaw` is `mulaw` in audio frames. */
export const OUTPUT_FORMATS = wordList('pcm_8000 pcm_16000 pcm_22050 pcm_24000 ulaw_8000 alaw_8000');

/** The rate without a setting. A `sample_rate` of this value never conflicts (`facts 1.5.4`). */
const DEFAULT_RATE = 24_000;

/** Of audio frames. */
export const ENCODINGS = ['pcm_s16le', 'mulaw', 'alaw'] as const;

const CODECS: Record<string, KugelAudioFormat['encoding']> = {
  pcm: 'pcm_s16le',
  ulaw: 'mulaw',
  alaw: 'alaw',
};

export interface KugelAudioFormat extends AudioFormat {
  encoding: (typeof ENCODINGS)[number];
  sampleRate: SampleRate;
}

const isOneOf = <T>(values: readonly T[], value: unknown): value is T => values.includes(value as T);

/** Codec and rate of both fields. Unknown values fall back to the default. */
export function audioFormatOf(settings: {
  output_format?: unknown;
  sample_rate?: unknown;
}): KugelAudioFormat {
  const { output_format: token, sample_rate: rate } = settings;
  if (isOneOf(OUTPUT_FORMATS, token)) {
    const [codec = '', hertz] = token.split('_');
    return { encoding: CODECS[codec] ?? 'pcm_s16le', sampleRate: Number(hertz) as SampleRate };
  }
  return { encoding: 'pcm_s16le', sampleRate: isOneOf(SAMPLE_RATES, rate) ? rate : DEFAULT_RATE };
}

/** Two conflicting fields are refused, except for the default rate (`facts 1.5.4`). */
export function audioFormatIssues(settings: { output_format?: unknown; sample_rate?: unknown }): Issue[] {
  const { output_format: token, sample_rate: rate } = settings;
  if (!isOneOf(OUTPUT_FORMATS, token) || rate === undefined || rate === DEFAULT_RATE) return [];
  const { sampleRate } = audioFormatOf(settings);
  return rate === sampleRate
    ? []
    : [
        {
          path: 'sample_rate',
          expected: `${sampleRate}, because output_format is ${token}`,
          found: String(rate),
        },
      ];
}
