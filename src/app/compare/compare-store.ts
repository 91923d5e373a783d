import { useMemo } from 'react';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import { z } from '#protocol/core/zod.ts';
import { endpointOf } from '#protocol/registry.ts';
import { persisted } from '../browser/persisted.ts';
import type { RunConfig } from '../session-client/runner.ts';
import { useCatalogueSourceOf, useVoices, type VoiceChoices } from '../settings/voices/use-catalogue.ts';
import { useKeys } from '../stores/key-store.ts';
import { plainServer } from '../stores/plain-server.ts';
import { castOf, useScene } from '../stores/scene-store.ts';
import {
  CUSTOM_SERVER,
  selectEndpoint,
  selectLineSource,
  selectSettings,
  useSettings,
} from '../stores/settings-store.ts';
import {
  type BySide,
  CONFIGURATION_IDS,
  nameOf,
  runConfigOf,
  SIDES,
  type Side,
  type SideId,
  sideObstacle,
  sideSchema,
  withAnotherVoice,
} from './side.ts';

const TEXT_CHARS = 20_000;
/** `apart`: both, A at the left and B at the right. */
export type HeardSide = 'a' | 'b' | 'both' | 'apart';

export const isHeardOf = (heard: HeardSide, side: SideId): boolean =>
  heard === 'both' || heard === 'apart' || heard === side;

const DEFAULT_TEXTS = [
  'The train to Leipzig leaves from platform four.',
  'I am sorry, but that appointment has already been taken.',
  'Your order of twelve notebooks arrives on Thursday.',
  'Could you spell your last name for me, please?',
].join('\n');

/** Adds the list to choices of earlier versions, which had a field for each side. */
const withConfigurations = z.transform((stored: { a?: unknown; b?: unknown } | null) => ({
  configurations: [stored?.a, stored?.b],
  ...stored,
}));

/** State that survives a reload. API keys and results are not among the fields. */
const currentChoices = z.object({
  /** Both sides, and the further ones of a tournament. null: not chosen yet; see {@link useConfigurations}. */
  configurations: z.catch(
    z
      .array(z.catch(z.nullable(sideSchema), null))
      .check(z.minLength(SIDES.length), z.maxLength(CONFIGURATION_IDS.length)),
    [null, null],
  ),
  view: z.catch(z.enum(['sideBySide', 'tournament', 'recordings']), 'sideBySide'),
  /** null: the text of the studio's composer. */
  text: z.catch(z.nullable(z.string().check(z.maxLength(TEXT_CHARS))), null),
  order: z.catch(z.enum(['together', 'inTurn']), 'inTurn'),
  heard: z.catch(z.enum(['a', 'b', 'both', 'apart']), 'both'),
  source: z.catch(z.enum(['whole', 'simulated']), 'whole'),
  texts: z.catch(z.string().check(z.maxLength(TEXT_CHARS)), DEFAULT_TEXTS),
});

export const useCompare = persisted(
  'voicewire.compare',
  z.pipe(withConfigurations, currentChoices),
  () => ({}),
);

/** Returns an endpoint as it is set up in the studio: server, settings, and first speaker. */
export function studioSide(endpointId: EndpointId): Side {
  const page = { ...useSettings.getState(), endpoint: endpointId };
  const endpoint = selectEndpoint(page);
  const [speaker] = castOf(useScene.getState(), endpoint);
  const server = plainServer(page);
  return {
    endpoint: endpoint.id,
    ...('id' in server
      ? { server: server.id, customBase: page.customBases[endpoint.id] ?? '' }
      : { server: CUSTOM_SERVER, customBase: server.address }),
    settings: selectSettings(page),
    speaker: speaker?.settings ?? {},
  };
}

export function useSideVoices({ endpoint: id, server, customBase }: Side): VoiceChoices {
  const endpoint = endpointOf(id);
  return useVoices(endpoint, useCatalogueSourceOf(endpoint, server, customBase));
}

export type Configurations = BySide<Side> & Readonly<Record<string, Side>>;

/** All configurations by id. The defaults are the studio's set-up, with the next voice of the list for B. */
export function useConfigurations(): Configurations {
  const chosen = useCompare((state) => state.configurations);
  const [chosenA, chosenB] = chosen;
  const page = useSettings((state) => state);
  const a = useMemo(() => chosenA ?? studioSide(page.endpoint as Side['endpoint']), [chosenA, page]);
  const { items } = useSideVoices(a);
  const b = useMemo(() => chosenB ?? withAnotherVoice(a, items), [chosenB, a, items]);
  return { ...Object.fromEntries(chosen.map((side, at) => [CONFIGURATION_IDS[at], side ?? a])), a, b };
}

export const setConfigurations = (configurations: (Side | null)[]): void =>
  useCompare.setState({ configurations });

export const setSide = (id: string, side: Side): void =>
  setConfigurations(useCompare.getState().configurations.with(CONFIGURATION_IDS.indexOf(id), side));

/** Changes the current side, or `shown` while none is stored. Several changes may come before a render. */
export const changeSide = (id: string, shown: Side, change: (side: Side) => Side): void =>
  setSide(id, change(useCompare.getState().configurations[CONFIGURATION_IDS.indexOf(id)] ?? shown));

/** Returns why one of them cannot be run now, beginning with its name; null where all can. */
export function useObstacle(sides: Readonly<Record<string, Side>>): string | null {
  const keys = useKeys((state) => state);
  for (const [id, side] of Object.entries(sides)) {
    const obstacle = sideObstacle(side, keys);
    if (obstacle !== null) return `${nameOf(id)}: ${obstacle}`;
  }
  return null;
}

/** Returns the run configurations with the current settings; null where an address is invalid. */
export function configsNow<Id extends string>(sides: Readonly<Record<Id, Side>>) {
  const page = useSettings.getState();
  const source = selectLineSource({ ...page, source: useCompare.getState().source });
  const configs = Object.entries<Side>(sides).map(
    ([id, side]) => [id, runConfigOf(side, useKeys.getState(), location.origin, source)] as const,
  );
  if (configs.some(([, config]) => config === null)) return null;
  return Object.fromEntries(configs) as Record<Id, RunConfig>;
}
