import { create } from 'zustand';
import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';
import { keySlot } from './key-store.ts';
import { faultyBase } from './server-address.ts';
import { type PageSettings, selectEndpoint, selectServerId } from './settings-store.ts';

/**
 * Faults on purpose on the connections of the studio. They are neither stored nor shared, and end with a change of the
 * endpoint or the server, so that nobody meets them by accident.
 */
interface FaultState {
  /** Specifications as they are typed, by the slot of `keySlot`. */
  drafts: Readonly<Record<string, string>>;
  active: { slot: string; spec: string } | null;
}

export const useFaults = create<FaultState>()(() => ({ drafts: {}, active: null }));

type Chosen = Pick<PageSettings, 'endpoint' | 'servers'>;

const slotOf = (page: Chosen): string => keySlot(selectEndpoint(page).id, selectServerId(page));

/** Whether the chosen server of the page can add faults: the page's own, also as a relay. */
export function selectMayFault(page: Chosen): boolean {
  const id = selectServerId(page);
  const server = selectEndpoint(page).servers.find((one) => one.id === id);
  return server?.base === null && HAS_LOCAL_SERVER;
}

export const faultDraft = ({ drafts }: Pick<FaultState, 'drafts'>, page: Chosen): string =>
  drafts[slotOf(page)] ?? '';

export const setFaultDraft = (page: Chosen, text: string): void =>
  useFaults.setState(({ drafts }) => ({ drafts: { ...drafts, [slotOf(page)]: text } }));

/** Returns the specification of the chosen server; null where faults are off. */
export function activeFaults({ active }: Pick<FaultState, 'active'>, page: Chosen): string | null {
  return active !== null && active.slot === slotOf(page) && selectMayFault(page) ? active.spec : null;
}

export function turnFaultsOn(page: Chosen, spec: string): void {
  pageMark = newMark();
  useFaults.setState({ active: { slot: slotOf(page), spec } });
}

export const turnFaultsOff = (): void => useFaults.setState({ active: null });

/** Name by which the server reports strikes to this page, and no other. */
const newMark = (): string => `page-${Math.random().toString(36).slice(2, 10)}`;

/** A new one each time, so that the next connection is a first one to the server. */
let pageMark = newMark();

const OWN_MARK = /(?:^|,)mark=([A-Za-z0-9-]+)/;

/** Returns the base with faults, and the mark of their strikes. A mark in the specification stays. */
export function markedBase(base: string, spec: string): { base: string; mark: string } {
  const own = OWN_MARK.exec(spec)?.[1];
  return { base: faultyBase(base, withMark(spec)), mark: own ?? pageMark };
}

/** Adds the mark of this page, unless the specification has one. */
export const withMark = (spec: string): string => (OWN_MARK.test(spec) ? spec : `${spec},mark=${pageMark}`);
