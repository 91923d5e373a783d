import { wavHeader } from '#lib/wav.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import { audioFormatOf } from '#protocol/deepgram/wire/audio-format.ts';
import type { Family } from '#protocol/deepgram/wire/models.ts';
import { FAMILY_SETTINGS } from '#protocol/deepgram/wire/settings.ts';
import { type Output, outputOf, wavOutput } from '../audio/output.ts';
import { unsupportedFormat } from './errors.ts';

/** Stated by a file that is still being made (`facts-deepgram 6.1.4`). */
const WAV_BYTES = 0x7fff_ffff;
const WAV_HEADER_BYTES = 36;
const MP3 = { encoding: 'mp3', sampleRate: 22_050 } as const;
/** In bit/s, the default first (`facts-deepgram 6.1`, 6.2). */
const MP3_BIT_RATES = {
  aura: [48_000, 32_000],
  flux: [48_000, 8000, 16_000, 24_000, 32_000, 40_000],
} as const;
const NOT_MADE: readonly unknown[] = ['opus', 'flac', 'aac'];

/** The format of a call, MP3 unless its settings name one. Throws the refusal of a wrong one (`facts-deepgram 6.1`). */
export function restOutput(settings: Settings, family: Family): Output {
  const { encoding = 'mp3', container = 'wav', bit_rate, sample_rate } = settings;
  const expect = (name: string, found: unknown, ...expected: readonly unknown[]) => {
    const isRight = expected.includes(found);
    if (!isRight) throw unsupportedFormat(`${name}: expected ${expected.join(' or ')} with ${encoding}`);
  };
  if (NOT_MADE.includes(encoding))
    throw unsupportedFormat(`the local server makes no ${encoding}; ask for mp3, linear16, mulaw or alaw`);
  if (encoding === 'mp3') {
    const [usual, ...others] = MP3_BIT_RATES[family];
    const { bit_rate: rate = usual } = settings;
    expect('container', settings.container ?? 'none', 'none');
    expect('sample_rate', sample_rate ?? MP3.sampleRate, MP3.sampleRate);
    expect('bit_rate', rate, usual, ...others);
    return outputOf(MP3, Number(rate) / 1000);
  }
  const issues = FAMILY_SETTINGS[family].checkSettings({ encoding, sample_rate });
  if (issues.length > 0) throw unsupportedFormat(describeIssues(issues));
  expect('bit_rate', bit_rate ?? 'none', 'none');
  expect('container', container, 'wav', 'none');
  const format = audioFormatOf(family)(settings);
  const { sampleRate } = format;
  if (container === 'none') {
    const name = encoding === 'linear16' ? 'l16' : encoding;
    return { ...outputOf(format), contentType: `audio/${name};rate=${sampleRate}` };
  }
  const wav = wavOutput(format);
  const head = () => wavHeader(WAV_BYTES - WAV_HEADER_BYTES, sampleRate, format.encoding);
  return { ...wav, open: (peer) => ({ ...wav.open(peer), head }) };
}
