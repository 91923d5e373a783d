import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Endpoint, EndpointId, Settings } from '#protocol/core/endpoint.ts';
import { idOf, settingOfKind, speakerSettings } from '#protocol/core/settings.ts';
import { voiceHue } from '../../ui/voice-hue.ts';
import { settingChange } from './voice-search.ts';

/** A voice to press: one of the catalogue, or a description in words. */
export interface VoiceOption {
  endpoint: EndpointId;
  /** Names the voice among those of its vendor, also in the stored favourites. */
  key: string;
  name: string;
  hue: number;
  /** Null for a description. */
  voice: VoiceInfo | null;
  /** The changed fields that set the voice; an undefined one is no longer sent. Of a context where the endpoint has several. */
  settings: Settings;
}

/** Returns the voices of an endpoint: those of the catalogue, then its descriptions and those of the person. */
export function voiceOptions(
  endpoint: Endpoint,
  voices: readonly VoiceInfo[],
  descriptions: readonly string[] = [],
): VoiceOption[] {
  const settings = speakerSettings(endpoint);
  const byVoice = settingOfKind(settings, 'voice');
  const byWords = settingOfKind(settings, 'description');
  const unsetWords: Settings = byWords ? { [byWords.field]: undefined } : {};
  const unsetVoice: Settings = byVoice && byWords ? settingChange(byVoice, undefined, []) : {};
  const words = byWords ? [...new Set([...byWords.control.samples, ...descriptions])] : [];
  return [
    ...words.map((text) => ({
      endpoint: endpoint.id,
      key: text,
      name: text,
      hue: voiceHue(text),
      voice: null,
      settings: { ...unsetVoice, [byWords?.field ?? '']: text },
    })),
    ...(byVoice
      ? voices.map((voice) => ({
          endpoint: endpoint.id,
          key: voice.id,
          name: voice.name,
          hue: voiceHue(voice.id),
          voice,
          settings: { ...unsetWords, ...settingChange(byVoice, voice.id, voices) },
        }))
      : []),
  ];
}

/** Whether these settings speak with a voice. */
export const speaksWith = ({ settings: fields }: VoiceOption, settings: Settings): boolean =>
  Object.entries(fields).every(([field, value]) => idOf(settings[field]) === idOf(value));

/** Most voices that have a number key. */
const MAX_CARDS = 9;

/** Returns the voices for the presenter: favourites first, then those of the language in use, and the voice in use among them. */
export function presenterVoices(
  choices: readonly VoiceOption[],
  favourites: readonly string[],
  endpoint: Pick<Endpoint, 'languageValue'>,
  inUse: Settings,
): VoiceOption[] {
  const isInUse = (code: string | undefined): boolean =>
    inUse.language === undefined || (code !== undefined && endpoint.languageValue(code) === inUse.language);
  const liked = choices.filter(({ key }) => favourites.includes(key));
  const first = choices.filter(({ voice }) => voice === null || isInUse(voice.languages[0]));
  const also = choices.filter(({ voice }) => voice?.languages.some(isInUse));
  const shown = [...new Set([...liked, ...first, ...also])].slice(0, MAX_CARDS);
  const current = choices.find((choice) => speaksWith(choice, inUse));
  return current && !shown.includes(current) ? [current, ...shown.slice(0, MAX_CARDS - 1)] : shown;
}
