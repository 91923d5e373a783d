import type { UncompressedFormat } from '../../core/audio-format.ts';

/** Formats of the socket, all of them raw and mono (`facts-cartesia`, G4, R13). */
export const ENCODINGS = ['pcm_s16le', 'pcm_f32le', 'pcm_mulaw', 'pcm_alaw'] as const;
export const SAMPLE_RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000] as const;

/** Sent where the settings name none, because the server has no default. */
export const DEFAULT_OUTPUT = { encoding: 'pcm_s16le', sample_rate: 24_000 } as const;

const NAMES = {
  pcm_s16le: 'pcm_s16le',
  pcm_f32le: 'pcm_f32le',
  pcm_mulaw: 'mulaw',
  pcm_alaw: 'alaw',
} as const satisfies Record<(typeof ENCODINGS)[number], UncompressedFormat['encoding']>;

/** The format of the audio under these flat settings. No frame names it (R1). */
export function audioFormatOf(settings: Readonly<Record<string, unknown>>): UncompressedFormat {
  const encoding = ENCODINGS.find((each) => each === settings.encoding) ?? DEFAULT_OUTPUT.encoding;
  const sampleRate = SAMPLE_RATES.find((each) => each === settings.sample_rate) ?? DEFAULT_OUTPUT.sample_rate;
  return { encoding: NAMES[encoding], sampleRate };
}
