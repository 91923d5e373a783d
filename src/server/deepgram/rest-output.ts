import { wavHeader } from '#lib/wav.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import { audioFormatOf, ENCODINGS, ratesOf } from '#protocol/deepgram/wire/audio-format.ts';
import type { Family } from '#protocol/deepgram/wire/models.ts';
import { type Output, outputOf } from '../audio/output.ts';
import { unsupportedFormat } from './errors.ts';

/** The audio of a call, and the bytes before it. */
export type RestOutput = Output & { head: Uint8Array };

const NO_HEAD = new Uint8Array();
/** Stated by a file that is still being made (`facts-deepgram 6.1.4`). */
const WAV_BYTES = 0x7fff_ffff;
const WAV_HEADER_BYTES = 36;
const MP3 = { sampleRate: 22_050, kbits: 48 } as const;
/** In bit/s, the default first (`facts-deepgram 6.1`, 6.2). */
const MP3_BIT_RATES = {
  aura: [48_000, 32_000],
  flux: [48_000, 8000, 16_000, 24_000, 32_000, 40_000],
} as const;
const NOT_MADE: readonly unknown[] = ['opus', 'flac', 'aac'];

/** The format of a call, MP3 unless its settings name one. Throws the refusal of a wrong one (`facts-deepgram 6.1`). */
export function restOutput(settings: Settings, family: Family): RestOutput {
  const { encoding = 'mp3', container, bit_rate } = settings;
  const expect = (name: string, isRight: boolean, expected: string) => {
    if (!isRight) throw unsupportedFormat(`${name}: expected ${expected}`);
  };
  if (NOT_MADE.includes(encoding))
    throw unsupportedFormat(`the local server makes no ${encoding}; ask for mp3, linear16, mulaw or alaw`);
  if (encoding === 'mp3') {
    const { sample_rate = MP3.sampleRate } = settings;
    const rates: readonly unknown[] = MP3_BIT_RATES[family];
    expect('container', container === undefined || container === 'none', 'none with mp3');
    expect('sample_rate', sample_rate === MP3.sampleRate, `${MP3.sampleRate} with mp3`);
    expect('bit_rate', bit_rate === undefined || rates.includes(bit_rate), `one of ${rates.join(', ')}`);
    const kbits = typeof bit_rate === 'number' ? bit_rate / 1000 : MP3.kbits;
    return { ...outputOf({ encoding, sampleRate: MP3.sampleRate }, kbits), head: NO_HEAD };
  }
  const known = ENCODINGS.find((each) => each === encoding);
  if (!known) throw unsupportedFormat('encoding: expected one of mp3, linear16, mulaw, alaw');
  const rates = ratesOf(known, family);
  const [usual] = rates;
  const { sample_rate = usual } = settings;
  expect('bit_rate', bit_rate === undefined, `none with ${known}`);
  expect('container', container === undefined || container === 'wav' || container === 'none', 'wav or none');
  expect(
    'sample_rate',
    rates.some((rate) => rate === sample_rate),
    `one of ${rates.join(', ')} with ${known}`,
  );
  const format = audioFormatOf(family)(settings);
  if (container === 'none') {
    const name = known === 'linear16' ? 'l16' : known;
    return { ...outputOf(format), contentType: `audio/${name};rate=${format.sampleRate}`, head: NO_HEAD };
  }
  const head = wavHeader(WAV_BYTES - WAV_HEADER_BYTES, format.sampleRate, format.encoding);
  return { ...outputOf(format), contentType: 'audio/wav', head };
}
