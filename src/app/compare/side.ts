import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Endpoint, EndpointId, Settings } from '#protocol/core/endpoint.ts';
import { idOf, settingOfKind, speakerSettings } from '#protocol/core/settings.ts';
import { z } from '#protocol/core/zod.ts';
import { endpointOf, PAGE_ENDPOINTS } from '#protocol/registry.ts';
import type { LineSource } from '#session/commands.ts';
import type { RunConfig } from '../session-client/runner.ts';
import { obstacleOf, targetOf } from '../session-client/target.ts';
import { withFields } from '../settings/setting-value.ts';
import { settingChange } from '../settings/voices/voice-options.ts';
import type { keyOf } from '../stores/key-store.ts';
import { HUES } from '../ui/voice-hue.ts';

export type SideId = 'a' | 'b';

export const SIDES: readonly SideId[] = ['a', 'b'];

export type BySide<T> = Readonly<Record<SideId, T>>;

/** Returns the side with which a configuration is compared. */
export const otherSide = (id: string): SideId => (id === 'a' ? 'b' : 'a');

/** Ids of configurations in their order. The first two are the sides, and only a tournament has more. */
export const CONFIGURATION_IDS: readonly string[] = [...'abcdefghijkl'];

export const hueOf = (id: string): number => (CONFIGURATION_IDS.indexOf(id) % HUES) + 1;

export const nameOf = (id: string): string => id.toUpperCase();

const KNOWN = new Set<string>(PAGE_ENDPOINTS.map(({ id }) => id));

export const sideSchema = z.object({
  endpoint: z.custom<EndpointId>((value) => typeof value === 'string' && KNOWN.has(value)),
  /** Id of one of the endpoint's servers, or `CUSTOM_SERVER`. */
  server: z.string().check(z.maxLength(40)),
  customBase: z.string().check(z.maxLength(300)),
  settings: z.record(z.string(), z.unknown()),
  /** Settings of the one speaker's context, where the endpoint has contexts. */
  speaker: z.record(z.string(), z.unknown()),
});

/** A configuration that is compared. Its API key is in the key store. */
export type Side = z.output<typeof sideSchema>;

type Keys = Parameters<typeof keyOf>[0];

const asPage = ({ endpoint, server, customBase, settings }: Side) => ({
  endpoint,
  servers: { [endpoint]: server },
  customBases: { [endpoint]: customBase },
  settings: { [endpoint]: settings },
});

/** Returns why a side cannot be run, and what to do; null where it can. */
export function sideObstacle(side: Side, keys: Keys): string | null {
  const { contexts } = endpointOf(side.endpoint);
  const [issue] = contexts?.checkSettings(side.speaker) ?? [];
  // A context has no default voice.
  if (contexts && voiceOf(side) === undefined) return 'The speaker has no voice: choose one.';
  if (issue) return `The speaker's settings hold a value that the server would refuse: ${issue.path}.`;
  return obstacleOf(asPage(side), keys);
}

/** Returns the run configuration of a side; null where its address is invalid. */
export function runConfigOf(
  side: Side,
  keys: Keys,
  pageOrigin: string,
  source: LineSource,
): RunConfig | null {
  const target = targetOf(asPage(side), keys, pageOrigin);
  return target && { ...target, settings: side.settings, speaker: side.speaker, source };
}

/** Returns the setting that names the voice; undefined for none. */
export const voiceSettingOf = (endpoint: Endpoint) => settingOfKind(speakerSettings(endpoint), 'voice');

export const voicedSettings = (side: Side): Settings =>
  endpointOf(side.endpoint).contexts ? side.speaker : side.settings;

export const withVoicedSettings = (side: Side, settings: Settings): Side =>
  endpointOf(side.endpoint).contexts ? { ...side, speaker: settings } : { ...side, settings };

/** The voice of a side; undefined where the server chooses one. */
export function voiceOf(side: Side): unknown {
  const setting = voiceSettingOf(endpointOf(side.endpoint));
  return setting ? voicedSettings(side)[setting.field] : undefined;
}

/** Returns a side with the next voice of the list; the same side where there is no other. */
export function withAnotherVoice(of: Side, voices: readonly Pick<VoiceInfo, 'id' | 'settings'>[]): Side {
  const setting = voiceSettingOf(endpointOf(of.endpoint));
  const now = idOf(voiceOf(of));
  const at = voices.findIndex(({ id }) => id === now);
  const other = voices[(at + 1) % Math.max(1, voices.length)];
  if (!setting || !other || other.id === now) return of;
  const change = settingChange(setting, other.id, voices);
  return withVoicedSettings(of, withFields(voicedSettings(of), change));
}
