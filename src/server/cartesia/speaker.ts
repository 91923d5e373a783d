import type { SpeechBody } from '#protocol/cartesia/wire/client-frames.ts';
import type { CartesiaError } from '#protocol/cartesia/wire/errors.ts';
import { isModelId, languageOf } from '#protocol/cartesia/wire/models.ts';
import { ORDINARY_SPEECH, type SpeechRequest } from '../speech/engine.ts';
import { isLanguage, type Language } from '../speech/languages.ts';
import type { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { Voice } from '../speech/voices/voices.ts';

/** Characters of one transcript. Ours: the vendor names no limit. */
const MAX_TRANSCRIPT_CHARS = 20_000;

const LEAST_SAMPLE = -32_768;
const LARGEST_SAMPLE = 32_767;

/** The refusal of a transcript that is too long; null for others. */
export const transcriptExcess = ({ transcript: { length } }: SpeechBody): CartesiaError | null =>
  length <= MAX_TRANSCRIPT_CHARS
    ? null
    : {
        name: 'invalid_request',
        message: `transcript: expected at most ${MAX_TRANSCRIPT_CHARS} characters, got ${length}`,
      };

/** How a text is spoken. */
export interface CartesiaSpeaker {
  voice: Voice;
  /** Undefined for the first one of the voice. */
  language: Language | undefined;
  settings: SpeechBody['settings'];
}

/** The speaker of a request, or what is wrong with it. An embedding speaks in the first voice. */
export function readSpeaker(
  settings: SpeechBody['settings'],
  voices: VoiceIds,
): { speaker: CartesiaSpeaker } | { refusal: CartesiaError } {
  const { model_id: model, voice: id, language: code = settings.locale, accent } = settings;
  if (!isModelId(String(model))) return { refusal: { name: 'model_not_found' } };
  const voice = id === undefined ? voices.all[0] : voices.find(id);
  if (!voice) return { refusal: { name: 'voice_not_found' } };
  if (settings.pronunciation_dict_id !== undefined) return { refusal: { name: 'dictionary_not_found' } };
  if (accent !== undefined)
    return { refusal: { name: 'invalid_request', message: 'accent: this voice has none' } };
  const language = code === undefined ? undefined : String(languageOf(code));
  if (language !== undefined && !isLanguage(language)) {
    return {
      refusal: { name: 'invalid_request', message: `language: the local engine does not speak ${language}` },
    };
  }
  return { speaker: { voice, language, settings } };
}

/** The engine's request for a text. `emotion` has no effect, and `volume` is applied by `atVolume`. */
export const requestOf = (
  {
    voice,
    language,
    settings: { speed = ORDINARY_SPEECH.speed, normalization, sample_rate },
  }: CartesiaSpeaker,
  text: string,
): Omit<SpeechRequest, 'session'> => ({
  ...ORDINARY_SPEECH,
  text,
  voice,
  sampleRate: sample_rate ?? ORDINARY_SPEECH.sampleRate,
  speed,
  language,
  normalize: normalization !== 'off',
});

/** Returns samples at the volume of a speaker, clipped (G17). */
export const atVolume = (
  { settings: { volume = 1 } }: Pick<CartesiaSpeaker, 'settings'>,
  samples: Int16Array,
): Int16Array =>
  volume === 1
    ? samples
    : Int16Array.from(samples, (sample) =>
        Math.max(LEAST_SAMPLE, Math.min(LARGEST_SAMPLE, Math.round(sample * volume))),
      );
