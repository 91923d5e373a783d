import { create } from 'zustand';
import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';
import { keySlot } from './key-store.ts';
import { type PageSettings, selectEndpoint, selectServerId, serverOf } from './settings-store.ts';

/**
 * Faults on purpose on the connections of the studio. They are neither stored nor shared, and end with a change of the
 * endpoint or the server, so that nobody meets them by accident.
 */
interface FaultState {
  /** Specifications as they are typed, by the slot of `keySlot`. */
  drafts: Readonly<Record<string, string>>;
  /** The server reports strikes under the mark. */
  active: { slot: string; spec: string; mark: string } | null;
}

export const useFaults = create<FaultState>()(() => ({ drafts: {}, active: null }));

type Chosen = Pick<PageSettings, 'endpoint' | 'servers'>;

const slotOf = (page: Chosen): string => keySlot(selectEndpoint(page).id, selectServerId(page));

/** Whether the chosen server of the page can add faults: the page's own, also as a relay. */
export function selectMayFault(page: Chosen): boolean {
  return serverOf(selectEndpoint(page), selectServerId(page))?.base === null && HAS_LOCAL_SERVER;
}

export const faultDraft = ({ drafts }: Pick<FaultState, 'drafts'>, page: Chosen): string =>
  drafts[slotOf(page)] ?? '';

export const setFaultDraft = (page: Chosen, text: string): void =>
  useFaults.setState(({ drafts }) => ({ drafts: { ...drafts, [slotOf(page)]: text } }));

/** Returns the faults of the chosen server; null where they are off. */
export function activeFaults({ active }: Pick<FaultState, 'active'>, page: Chosen): FaultState['active'] {
  return active?.slot === slotOf(page) && selectMayFault(page) ? active : null;
}

/** A new mark each time makes the next connection a first one to the server. A mark in the specification stays. */
export const turnFaultsOn = (page: Chosen, spec: string): void =>
  useFaults.setState({
    active: { slot: slotOf(page), spec, mark: OWN_MARK.exec(spec)?.[1] ?? newMark() },
  });

export const turnFaultsOff = (): void => useFaults.setState({ active: null });

/** Returns a mark by which the server reports strikes to this page, and no other. */
const newMark = (): string => `page-${Math.random().toString(36).slice(2, 10)}`;

const OWN_MARK = /(?:^|,)mark=([A-Za-z0-9-]+)/;

/** Adds a mark to a specification without one. */
export const withMark = (spec: string, mark = newMark()): string =>
  OWN_MARK.test(spec) ? spec : `${spec},mark=${mark}`;
