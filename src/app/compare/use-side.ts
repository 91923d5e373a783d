import { useMemo } from 'react';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import { type CatalogueList, useCatalogueSourceOf, useVoices } from '../settings/voices/use-catalogue.ts';
import { useKeys } from '../stores/key-store.ts';
import { selectProfile, useSettings } from '../stores/settings-store.ts';
import { studioSide, useCompare, withAnotherVoice } from './compare-store.ts';
import { runConfigOf, SIDES, type Side, type SideId, sideObstacle } from './side.ts';

/** The voices that a side can choose from. */
export function useSideVoices(side: Side): { endpoint: Endpoint; voices: CatalogueList<VoiceInfo> } {
  const endpoint = endpointOf(side.endpoint);
  const source = useCatalogueSourceOf(endpoint, side.server, side.customBase);
  return { endpoint, voices: useVoices(endpoint, source) };
}

/** Both sides as chosen. The defaults are the studio's set-up, with the next voice of the list for B. */
export function useSides(): Readonly<Record<SideId, Side>> {
  const chosenA = useCompare((state) => state.a);
  const chosenB = useCompare((state) => state.b);
  const page = useSettings((state) => state);
  const a = useMemo(() => chosenA ?? studioSide(page.endpoint as Side['endpoint']), [chosenA, page]);
  const { voices } = useSideVoices(a);
  const b = useMemo(() => chosenB ?? withAnotherVoice(a, voices.items), [chosenB, a, voices.items]);
  return useMemo(() => ({ a, b }), [a, b]);
}

export const setSide = (id: SideId, side: Side): void => useCompare.getState().set({ [id]: side });

/**
 * Applies a change to the current side. Several changes may come before the next render.
 * @param shown the side on the page, which applies while none is stored
 */
export const changeSide = (id: SideId, shown: Side, change: (side: Side) => Side): void =>
  setSide(id, change(useCompare.getState()[id] ?? shown));

/** Returns why the two cannot be run now, beginning with the side; null where they can. */
export function useObstacle(sides: Readonly<Record<SideId, Side>>): string | null {
  const keys = useKeys((state) => state);
  for (const id of SIDES) {
    const obstacle = sideObstacle(sides[id], keys);
    if (obstacle !== null) return `${id.toUpperCase()}: ${obstacle}`;
  }
  return null;
}

/** Returns both run configurations with the current settings; null where an address is invalid. */
export function configsNow(sides: Readonly<Record<SideId, Side>>) {
  const page = useSettings.getState();
  const isWhole = useCompare.getState().source === 'whole';
  const source = isWhole
    ? ({ kind: 'whole' } as const)
    : ({ kind: 'simulated', profile: selectProfile(page), seed: page.simulation.seed } as const);
  const configOf = (id: SideId) => runConfigOf(sides[id], useKeys.getState(), location.origin, source);
  const [a, b] = [configOf('a'), configOf('b')];
  return a && b ? { a, b } : null;
}
