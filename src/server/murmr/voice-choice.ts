import { describeIssue } from '#protocol/core/issue.ts';
import { protocolLanguageCode } from '#protocol/murmr/wire/settings.ts';
import { ORDINARY_SPEECH, type SpeechRequest } from '../speech/engine.ts';
import type { Language } from '../speech/languages.ts';
import { detectLanguage } from '../speech/text/detect-language.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import { describedVoice } from '../speech/voices/voice-description.ts';
import { type ClonedVoice, languageOf, readPrompt } from './voice-prompt.ts';

/** Validated voice of a config message or a REST call. */
export interface VoiceChoice {
  /** Takes precedence over a description (`facts 6.1`). */
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
  // Any other name or a code means detection (`facts 6.1`).
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
