import type { Endpoint, Settings } from '../core/endpoint.ts';
import { settingOfKind, speakerSettings } from '../core/settings.ts';

/** Returns the setting of a speaker for an example voice; none where a voice is no id. @param at its place among them */
export function exampleVoice(endpoint: Endpoint, at = 0): Settings {
  const voice = settingOfKind(speakerSettings(endpoint), 'voice');
  const id = Object.values(endpoint.exampleVoices)[at];
  return voice && id !== undefined ? { [voice.field]: voice.control.ids.toValue(id) } : {};
}
