import type { IncomingMessage } from 'node:http';
import { readAddress } from '#protocol/core/address.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import {
  DEFAULT_FORMAT,
  DEFAULT_MODEL,
  isModelId,
  multiSettingIssues,
  OUTPUT_FORMATS,
  type RestModelId,
  readOutputFormat,
  SCHEDULE,
} from '#protocol/elevenlabs/wire/settings.ts';
import { type Output, outputOf } from '../audio/output.ts';
import { bearerIn } from '../keys.ts';
import { ORDINARY_SPEECH, type SpeechRequest } from '../speech/engine.ts';
import { isLanguage } from '../speech/languages.ts';
import { spokenLanguageOf } from '../speech/text/detect-language.ts';
import type { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { Voice } from '../speech/voices/voices.ts';
import type { ElevenLabsRefusal } from './access.ts';

/** The part of a connection's speech that its address decides. */
export type AddressedSpeaker = Omit<VoiceSpeaker, 'delivery'>;

/** `elevenlabs-python` has it in the address where no model is given (elevenlabs-client-6). */
const NO_MODEL = 'Ellipsis';

/** The key of a handshake; empty where it may still come in a message. */
export function handshakeKey(headers: IncomingMessage['headers'], { searchParams }: URL): string {
  const parameter = searchParams.get('authorization')?.replace(/^Bearer\s+/i, '');
  return (
    [headers['xi-api-key'], bearerIn(headers), parameter, searchParams.get('single_use_token')]
      .map((each) => String(each ?? ''))
      .find((key) => key !== '') ?? ''
  );
}

/** The settings of an address. Without those that are unknown, and a language that no model takes. */
export function settingsIn(endpoint: Endpoint, { pathname, search }: URL): Settings {
  const { language_code, model_id, ...settings } = readAddress(endpoint, pathname + search)?.settings ?? {};
  const isLanguage = endpoint.languageValue(String(language_code)) !== undefined;
  return {
    ...settings,
    ...(isLanguage ? { language_code } : {}),
    ...(model_id === undefined || model_id === NO_MODEL ? {} : { model_id }),
  };
}

/** The speaker of an address, or its refusal, which the vendor sends after the first message (elevenlabs-connect-7). */
export function speakerIn(
  { voice_id, model_id = DEFAULT_MODEL, output_format = null, ...rest }: Settings,
  voices: VoiceIds,
): { speaker: AddressedSpeaker } | { refusal: ElevenLabsRefusal } {
  const refused = (error: ElevenLabsRefusal['error'], message: string) => ({ refusal: { error, message } });
  const model = String(model_id);
  if (!isModelId(model)) {
    return refused('model_id_does_not_exist', `A model with model_id ${model} does not exist.`);
  }
  const voice = voices.find(String(voice_id ?? ''));
  if (!voice) {
    return refused('voice_id_does_not_exist', `A voice with voice_id ${voice_id} does not exist.`);
  }
  const output = readOutput(output_format === null ? null : String(output_format), 'sockets');
  if ('problem' in output) return refused('validation_error', `Invalid request: ${output.problem}`);
  const issues = multiSettingIssues(rest);
  if (issues.length > 0) return refused('validation_error', `Invalid request: ${describeIssues(issues)}`);
  return { speaker: { voice, model, output, address: rest } };
}

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

/** The default of `stability`. */
const STABILITY = 0.5;

/**
 * The engine's request for a text. `similarity_boost`, `style`, `use_speaker_boost` and `seed` have no effect
 * (elevenlabs-voice-12).
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

/** Formats of calls alone. */
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
