import type { PlanConfiguration } from '#benchmark/plan.ts';
import { endpointOf } from '#protocol/registry.ts';
import { PROFILES } from '#text/simulated-model.ts';
import type { RunConfig } from '../../session-client/runner.ts';
import { keyOf, keySlot } from '../../stores/key-store.ts';
import { webSocketBase } from '../../stores/server-address.ts';

type Keys = Parameters<typeof keyOf>[0];

/** Slot of a configuration's key in the key store: by the plan's name for it, or by its server. */
export const planKeySlot = ({ keyFrom, endpoint, server }: PlanConfiguration): string =>
  keyFrom === null ? keySlot(endpoint, server) : keySlot('plan', keyFrom);

export const planKey = (configuration: PlanConfiguration, keys: Keys): string =>
  configuration.keyFrom === null
    ? keyOf(keys, configuration.endpoint, configuration.server)
    : (keys.keys[planKeySlot(configuration)] ?? '');

/** Returns true if the configuration needs a key that is not entered yet. */
export function lacksKey(configuration: PlanConfiguration, keys: Keys): boolean {
  if (planKey(configuration, keys) !== '') return false;
  const server = endpointOf(configuration.endpoint).servers.find(({ id }) => id === configuration.server);
  return configuration.keyFrom !== null || server?.needsKey === true;
}

export function planRunConfig(configuration: PlanConfiguration, keys: Keys, pageOrigin: string): RunConfig {
  const endpoint = endpointOf(configuration.endpoint);
  const server = endpoint.servers.find(({ id }) => id === configuration.server);
  const { source } = configuration;
  return {
    endpoint: endpoint.id,
    base: webSocketBase(endpoint, server ?? configuration.server, pageOrigin),
    key: planKey(configuration, keys),
    settings: configuration.settings,
    speaker: configuration.speaker,
    source: source.kind === 'whole' ? source : { ...source, profile: profileOf(source.profile) },
  };
}

const profileOf = (profile: string | (typeof PROFILES)[number]['profile']) =>
  typeof profile === 'string' ? (PROFILES.find(({ id }) => id === profile) ?? PROFILES[0]).profile : profile;
