import { createHash } from 'node:crypto';
import { bytesFromSamples } from '#lib/pcm.ts';
import { describeIssue } from '#protocol/core/issue.ts';
import { parseFields } from '#protocol/core/json-frame.ts';
import { z } from '#protocol/core/zod.ts';
import { MAX_DESCRIPTION_CHARS, protocolLanguageCode, VOICE_WORDS } from '#protocol/murmr/wire/settings.ts';
import { ORDINARY_SPEECH, type SpeechRequest } from '../speech/engine.ts';
import { type Language, SPOKEN_LANGUAGES } from '../speech/languages.ts';
import { detectLanguage } from '../speech/text/detect-language.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import { describedVoice } from '../speech/voices/voice-description.ts';
import type { Voice } from '../speech/voices/voices.ts';
import type { Peer } from '../state/shares.ts';
import type { Notes } from '../state/state.ts';

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
    language: z.literal(SPOKEN_LANGUAGES),
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

/** Validated voice of a config message or a REST call. */
export interface VoiceChoice {
  /** Takes precedence over a description (murmr-voice-1). */
  cloned: ClonedVoice | null;
  description: string;
  /** Null: detected from the text of each generation. */
  language: Language | null;
}

/** Fields of a config message or a REST call that choose a voice. */
interface VoiceFields {
  voice_description?: string | null | undefined;
  voice_clone_prompt?: string | null | undefined;
  language?: string | null | undefined;
}

/** The voice of a config, or its problem in a sentence. */
export function voiceChoice(
  fields: VoiceFields,
  catalogue: VoiceCatalogue,
): { choice: VoiceChoice } | { problem: string } {
  const { voice_clone_prompt: prompt } = fields;
  const description = fields.voice_description ?? '';
  // A name that nobody knows, and a code, mean detection (murmr-message-8).
  const language = protocolLanguageCode(fields.language) ?? null;
  if (typeof prompt !== 'string') return { choice: { cloned: null, description, language } };
  const read = readPrompt(prompt, catalogue);
  if ('voice' in read) return { choice: { cloned: read.voice, description, language } };
  const expected = 'the prompt_data of a voice that GET /v1/voices lists';
  return { problem: describeIssue({ path: 'voice_clone_prompt', expected, found: read.found }) };
}

/** Engine settings for a text in the chosen voice. */
function speakerOf(
  { cloned, description, language: chosen }: VoiceChoice,
  text: string,
): Pick<SpeechRequest, 'voice' | 'speed' | 'variation' | 'language'> {
  const detected = chosen ?? detectLanguage(text);
  if (!cloned) return describedVoice(description, detected ?? 'en');
  const language = detected ?? languageOf(cloned);
  if (!('catalogue' in cloned)) return describedVoice(cloned.description, language);
  const { speed, variation } = ORDINARY_SPEECH;
  return { voice: cloned.catalogue, speed, variation, language };
}

/** The engine's request for a text in the chosen voice. */
export const speechOf = (voice: VoiceChoice, text: string): Omit<SpeechRequest, 'session'> => ({
  ...ORDINARY_SPEECH,
  ...speakerOf(voice, text),
  text,
  // murmr has no tags.
  markup: 'newlines',
});

/** The audio of a design while it is generated. */
export interface Listener {
  hear(samples: Int16Array): void;
  /** Remembers the audio. */
  end(description: string): void;
}

/** Descriptions of the voices in recordings that the local server has made, because the local engine cannot clone. */
export class DesignedVoices {
  /** Descriptions by SHA-256 of the PCM. */
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** @param peer who asked for the recording */
  listen(peer: Peer): Listener {
    const hash = createHash('sha256');
    const notes = this.#notes;
    return {
      hear: (samples) => void hash.update(bytesFromSamples(samples)),
      end(description) {
        // The audio is already spoken. A lost note costs no more than a voice that sounds different when it is saved.
        notes.keep(hash.digest('hex'), description, peer).catch(() => {});
      },
    };
  }

  /** The description that spoke this 16-bit PCM; undefined for unknown audio. */
  find(pcm: Uint8Array): Promise<string | undefined> {
    return this.#notes.find(digestOf(pcm));
  }
}

/** A description of sex, age and pitch for unknown audio: the same audio gives the same voice, other audio probably another. */
export function describeUnknown(pcm: Uint8Array): string {
  const digest = createHash('sha256').update(pcm).digest();
  return VOICE_WORDS.slice(0, 3)
    .map(({ words }, i) => words[(digest[i] ?? 0) % words.length])
    .join(', ');
}

const digestOf = (pcm: Uint8Array): string => createHash('sha256').update(pcm).digest('hex');
