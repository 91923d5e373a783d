import { createHash } from 'node:crypto';
import { parseFields } from '#protocol/core/json-frame.ts';
import { z } from '#protocol/core/zod.ts';
import { MAX_DESCRIPTION_CHARS } from '#protocol/murmr/wire/settings.ts';
import { LANGUAGES, type Language } from '../speech/languages.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import type { Voice } from '../speech/voices/voices.ts';

/**
 * The voice that a `voice_clone_prompt` carries. The local engine cannot clone, so it is a voice of the catalogue, or the
 * voice of a description. A prompt holds all of it and outlives the saved voice.
 */
export type ClonedVoice =
  | { readonly catalogue: Voice }
  | { readonly description: string; readonly language: Language };

/** Magic bytes and version of every prompt of this server. */
const MAGIC = 'VWVP2 ';
const CHECKSUM_BYTES = 8;

const content = z.union([
  z.object({ handle: z.string() }),
  z.object({
    description: z.string().check(z.maxLength(MAX_DESCRIPTION_CHARS)),
    language: z.literal(LANGUAGES),
  }),
]);

const checksum = (bytes: Uint8Array): Buffer =>
  createHash('sha256').update(bytes).digest().subarray(0, CHECKSUM_BYTES);

/** `voice_clone_prompt` of a voice: base64 of magic, JSON and checksum. */
export function promptOf(voice: ClonedVoice): string {
  const fields: z.input<typeof content> =
    'catalogue' in voice
      ? { handle: voice.catalogue.handle }
      : { description: voice.description, language: voice.language };
  const bytes = Buffer.from(MAGIC + JSON.stringify(fields));
  return Buffer.concat([bytes, checksum(bytes)]).toString('base64');
}

/**
 * The voice of a prompt, or the reason why it has none.
 * @param prompt well-formed base64
 */
export function readPrompt(
  prompt: string,
  catalogue: VoiceCatalogue,
): { voice: ClonedVoice } | { found: string } {
  const bytes = Buffer.from(prompt, 'base64');
  const signed = bytes.subarray(0, -CHECKSUM_BYTES);
  if (signed.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    return { found: `${bytes.length} bytes of something else` };
  }
  if (!checksum(signed).equals(bytes.subarray(-CHECKSUM_BYTES))) return { found: 'a damaged prompt' };
  const read = parseFields(signed.toString('utf8', MAGIC.length));
  const parsed = content.safeParse('fields' in read ? read.fields : null);
  const voice = parsed.success ? clonedVoice(parsed.data, catalogue) : undefined;
  return voice ? { voice } : { found: 'the prompt of a voice that is not there' };
}

function clonedVoice(fields: z.output<typeof content>, catalogue: VoiceCatalogue): ClonedVoice | undefined {
  if ('description' in fields) return fields;
  const voice = catalogue.find(fields.handle);
  return voice && { catalogue: voice };
}

/** Language of texts whose own is not detected. */
export const languageOf = (voice: ClonedVoice): Language =>
  'catalogue' in voice ? voice.catalogue.languages[0] : voice.language;
