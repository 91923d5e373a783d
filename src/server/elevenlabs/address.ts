import type { IncomingMessage } from 'node:http';
import { readAddress } from '#protocol/core/address.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import { DEFAULT_MODEL, isModelId } from '#protocol/elevenlabs/wire/models.ts';
import { multiSettingIssues } from '#protocol/elevenlabs/wire/settings.ts';
import { bearerIn } from '../keys.ts';
import type { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { ElevenLabsRefusal } from './access.ts';
import { readOutput } from './output.ts';
import type { VoiceSpeaker } from './speaker.ts';

/** The part of a connection's speech that its address decides. */
export type AddressedSpeaker = Omit<VoiceSpeaker, 'delivery'>;

/** `elevenlabs-python` has it in the address of a call without a model (`facts-elevenlabs 1.2.3`). */
const NO_MODEL = 'Ellipsis';

/** The key of a handshake; empty where it may still come in a message (`facts-elevenlabs 1.5`). */
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

/** The speaker of an address, or what is wrong with it. The vendor says so after the first message (`facts-elevenlabs 1.5.3`). */
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
