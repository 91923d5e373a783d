import { DEFAULT_FORMAT, OUTPUT_FORMATS, readOutputFormat } from '#protocol/elevenlabs/wire/output-format.ts';
import { type Output, outputOf } from '../audio/output.ts';

/** Formats of REST alone (`facts-elevenlabs 1.3`). */
const OF_REST: readonly string[] = ['pcm_32000', 'pcm_48000', 'mp3_24000_48'];

/** Reads an output format, or says why there is none. @param token null for the default */
export function readOutput(token: string | null, of: 'sockets' | 'rest'): Output | { problem: string } {
  const name = token ?? DEFAULT_FORMAT;
  const format = readOutputFormat(name);
  const isKnown = OUTPUT_FORMATS.some((each) => each === name) || (of === 'rest' && OF_REST.includes(name));
  if (!format || !isKnown) return { problem: `output_format: expected one of ${OUTPUT_FORMATS.join(', ')}` };
  const { encoding, sampleRate, kbits } = format;
  return encoding === 'opus'
    ? {
        problem:
          'output_format: the local server makes no Opus; ask for pcm_24000, ulaw_8000 or mp3_44100_128',
      }
    : outputOf({ encoding, sampleRate }, kbits ?? undefined);
}
