import type { Settings } from '#protocol/core/endpoint.ts';
import type { RestModelId } from '#protocol/elevenlabs/wire/models.ts';
import { SCHEDULE } from '#protocol/elevenlabs/wire/settings.ts';
import type { Output } from '../audio/output.ts';
import { ORDINARY_SPEECH, type SpeechRequest } from '../speech/engine.ts';
import { isLanguage } from '../speech/languages.ts';
import { spokenLanguageOf } from '../speech/text/detect-language.ts';
import type { Voice } from '../speech/voices/voices.ts';

/** How a connection or a call speaks: its address, and the settings of its first message. */
export interface VoiceSpeaker {
  voice: Voice;
  model: RestModelId;
  output: Output;
  /** Of the address. */
  address: Settings;
  /** Of messages, flat. */
  delivery: Settings;
}

/** The default of `stability` (`facts-elevenlabs 2.1`). */
const STABILITY = 0.5;

/**
 * The engine's request for a text. `similarity_boost`, `style`, `use_speaker_boost` and `seed` have no effect
 * (`facts-elevenlabs 12.4`, 6).
 */
export function requestOf(
  { voice, output, address, delivery }: VoiceSpeaker,
  text: string,
): Omit<SpeechRequest, 'session'> {
  const code = String(address.language_code ?? '');
  const language = spokenLanguageOf({ language: isLanguage(code) ? code : undefined, text, voice });
  const { stability, speed } = delivery;
  return {
    ...ORDINARY_SPEECH,
    text,
    voice,
    sampleRate: output.sampleRate,
    speed: typeof speed === 'number' ? speed : ORDINARY_SPEECH.speed,
    variation: 1 - (typeof stability === 'number' ? stability : STABILITY),
    language,
    normalize: address.apply_text_normalization !== 'off',
    markup: address.enable_ssml_parsing === true ? 'tags' : 'newlines',
  };
}

/** Characters that are collected before each generation. */
export const scheduleOf = ({ chunk_length_schedule: given }: Settings): readonly number[] =>
  Array.isArray(given) && given.length > 0 ? given : SCHEDULE.default;
