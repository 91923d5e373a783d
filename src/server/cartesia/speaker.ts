import type { SpeechBody } from '#protocol/cartesia/wire/client-frames.ts';
import type { CartesiaError } from '#protocol/cartesia/wire/errors.ts';
import { isModelId, languageOf } from '#protocol/cartesia/wire/settings.ts';
import { type Engine, ORDINARY_SPEECH, type SpeechRequest, type WordTiming } from '../speech/engine.ts';
import { isLanguage, type Language } from '../speech/languages.ts';
import type { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { Voice } from '../speech/voices/voices.ts';

/** Characters of one transcript. The vendor names no limit (cartesia-limit-7). */
const MAX_TRANSCRIPT_CHARS = 20_000;

/** Range of `generation_config.volume` (cartesia-message-17). */
const VOLUME_RANGE = { least: 0.5, most: 2 } as const;

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
    settings: { speed = ORDINARY_SPEECH.speed, normalization, sample_rate, add_phoneme_timestamps },
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
  ...(add_phoneme_timestamps === true && { hasPhonemes: true }),
});

/** Returns samples at the volume of a speaker, clipped. */
export const atVolume = (
  { settings: { volume = 1 } }: Pick<CartesiaSpeaker, 'settings'>,
  samples: Int16Array,
): Int16Array =>
  volume === 1
    ? samples
    : Int16Array.from(samples, (sample) =>
        Math.max(LEAST_SAMPLE, Math.min(LARGEST_SAMPLE, Math.round(sample * volume))),
      );

const VOLUME_TAG = /<volume\s{1,8}ratio\s?=\s?["']?(\d{0,3}(?:\.\d{1,9})?)["']?\s?\/?>/gi;

/** A part of a text that is spoken at one volume, from its place in the text. */
interface VolumePart {
  text: string;
  from: number;
  /** Of the last tag; null before the first. */
  volume: number | null;
}

/** Divides a text before its tags of volume. A tag holds to the next one, within the range of the setting (cartesia-text-9). */
export function volumeParts(text: string, volume: number | null): VolumePart[] {
  const parts: VolumePart[] = [{ text, from: 0, volume }];
  for (const { index, 1: ratio = '' } of text.matchAll(VOLUME_TAG)) {
    const last = parts.at(-1);
    if (!last || ratio === '') continue;
    last.text = text.slice(last.from, index);
    const bounded = Math.min(VOLUME_RANGE.most, Math.max(VOLUME_RANGE.least, Number(ratio)));
    parts.push({ text: text.slice(index), from: index, volume: bounded });
  }
  return parts.filter((part) => part.text !== '');
}

/** Returns an engine whose blocks have the volume of a speaker and of the tags in the text. */
export const volumeEngine = (engine: Engine, { settings }: CartesiaSpeaker): Engine => ({
  async *synthesize(request, signal) {
    let passedMs = 0;
    for (const { text, from, volume } of volumeParts(request.text, settings.volume ?? null)) {
      const fromMs = Math.round(passedMs);
      const shifted = <T extends { startMs: number; endMs: number }>(times: T): T => ({
        ...times,
        startMs: times.startMs + fromMs,
        endMs: times.endMs + fromMs,
      });
      const placed = (word: WordTiming): WordTiming =>
        shifted({ ...word, charStart: word.charStart + from, charEnd: word.charEnd + from });
      for await (const { samples, words, phonemes } of engine.synthesize({ ...request, text }, signal)) {
        passedMs += (1000 * samples.length) / request.sampleRate;
        yield {
          samples: atVolume({ settings: volume === null ? {} : { volume } }, samples),
          words: words.map(placed),
          ...(phonemes && { phonemes: phonemes.map(shifted) }),
        };
      }
    }
  },
  close: () => engine.close(),
});
