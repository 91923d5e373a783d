import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Settings } from '#protocol/core/endpoint.ts';
import type { Setting } from '#protocol/core/settings.ts';
import { findVoice } from './voice-search.ts';

/** What a voice is chosen with: its own fields, and none left of the voice before it. */
export const broughtBy = (voices: readonly VoiceInfo[], id: unknown, setting: Setting): Settings => ({
  ...withoutBrought(setting),
  ...findVoice(voices, id)?.settings,
});

/** No voice, and nothing of the one before it. */
export const withoutBrought = ({ control }: Setting): Settings =>
  Object.fromEntries(
    (control.kind === 'voice' ? control.brings : []).map((field) => [field, undefined] as const),
  );
