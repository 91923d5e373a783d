import { describeIssue } from '#protocol/core/issue.ts';
import { type ConfigMessage, protocolLanguageName } from '#protocol/murmr/wire/client-frames.ts';
import { ORDINARY_SPEECH, type SpeechRequest } from '../speech/engine.ts';
import { LANGUAGES, type Language } from '../speech/languages.ts';
import { detectLanguage } from '../speech/text/detect-language.ts';
import { describedVoice } from '../speech/voices/voice-description.ts';
import { languageOf, readPrompt, type SavedVoice } from './saved-voices.ts';

/** Validated voice of a config message. */
export interface VoiceChoice {
  /** Takes precedence over a description (`facts 6.1`). */
  saved: SavedVoice | null;
  description: string;
  /** Null: detected from the text of each generation. */
  language: Language | null;
}

/** Returns the language of that full name (`facts 6.1`); null, which means detection, for any other name or a code. */
const languageNamed = (name: string | undefined): Language | null =>
  LANGUAGES.find((code) => name !== undefined && protocolLanguageName(code) === name) ?? null;

/** The voice of a config, or its problem in a sentence. */
export function voiceChoice(config: ConfigMessage): { choice: VoiceChoice } | { problem: string } {
  const { voice_description: description = '', voice_clone_prompt: prompt } = config;
  const language = languageNamed(config.language);
  if (prompt === undefined) return { choice: { saved: null, description, language } };
  const read = readPrompt(prompt);
  if ('voice' in read) return { choice: { saved: read.voice, description, language } };
  const expected = 'the prompt_data of a voice that GET /v1/voices lists';
  return { problem: describeIssue({ path: 'voice_clone_prompt', expected, found: read.found }) };
}

/** Engine settings for a text in the chosen voice. */
export function speakerOf(
  { saved, description, language: chosen }: VoiceChoice,
  text: string,
): Pick<SpeechRequest, 'voice' | 'speed' | 'variation' | 'language'> {
  const language = chosen ?? detectLanguage(text);
  if (!saved) return describedVoice(description, language ?? 'en');
  const { speed, variation } = ORDINARY_SPEECH;
  return { voice: saved.voice, speed, variation, language: language ?? languageOf(saved) };
}
