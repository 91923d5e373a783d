import { createContext, type ReactNode, use, useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';
import { memoiseLast } from '#lib/memoise.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { ContextView, TurnView } from '#session/views.ts';
import { contextIdOf } from '#text/script.ts';
import { deferredStore } from '../browser/deferred-store.ts';
import { type CastMember, castOf, memberOf, useScene } from '../stores/scene-store.ts';
import { HUES, voiceHue } from '../ui/voice-hue.ts';
import type { SelectionState } from './selection.ts';
import type { SessionClient } from './session-client.ts';
import type { SessionState } from './session-state.ts';
import type { StudioSessions } from './studio-sessions.ts';

const ClientContext = createContext<SessionClient | null>(null);
/** Name of the session where the page shows several. */
const NameContext = createContext<string | null>(null);
const SessionsContext = createContext<StudioSessions | null>(null);
/** The state of its session that a deferred panel shows. */
const DeferredContext = createContext<StoreApi<SessionState> | null>(null);

interface SessionProviderProps {
  client: SessionClient;
  /** Distinguishes the regions of this session from those of other sessions on the page. */
  name?: string;
  children: ReactNode;
}

export function SessionProvider({ client, name, children }: SessionProviderProps) {
  return (
    <ClientContext value={client}>
      <NameContext value={name ?? null}>
        <DeferredContext value={null}>{children}</DeferredContext>
      </NameContext>
    </ClientContext>
  );
}

/** Provides the session that the studio shows: the live one, or a replay in its place. */
export function StudioProvider({ sessions, children }: { sessions: StudioSessions; children: ReactNode }) {
  const client = useStore(sessions.shown, (shown) => shown.client);
  return (
    <SessionsContext value={sessions}>
      <SessionProvider client={client}>{children}</SessionProvider>
    </SessionsContext>
  );
}

/** Renders its panels with the state of their session as it is a few times a second. */
export function Deferred({ children }: { children: ReactNode }) {
  const { store } = useSessionClient();
  const { deferred, follow } = useMemo(() => deferredStore(store), [store]);
  useEffect(follow, [follow]);
  return <DeferredContext value={deferred}>{children}</DeferredContext>;
}

/** @throws where a panel is rendered outside of its provider */
export function present<T>(value: T | null, provider: string): T {
  if (value === null) throw new Error(`This panel is outside of a ${provider}.`);
  return value;
}

export const useSessionClient = (): SessionClient => present(use(ClientContext), 'SessionProvider');

export const useStudioSessions = (): StudioSessions => present(use(SessionsContext), 'StudioProvider');

/** Returns the accessible name of a region, with the name of its session where the page has several. */
export function useRegionLabel(label: string): string {
  const name = use(NameContext);
  return name === null ? label : `${label} of ${name}`;
}

/** Returns a part of the state of this panel's session; re-renders only when that part changes. */
export function useSession<T>(selector: (state: SessionState) => T): T {
  const { store } = useSessionClient();
  return useStore(use(DeferredContext) ?? store, selector);
}

/** Like {@link useSession}, and at once in a deferred panel too, for state that a press depends on. */
export const useSessionNow = <T,>(selector: (state: SessionState) => T): T =>
  useStore(useSessionClient().store, selector);

/** Returns a turn; re-renders only when that turn changes. */
export const useTurn = (id: number | null): TurnView | undefined =>
  useSession((state) => (id === null ? undefined : state.turns.get(id)));

/** Returns all turns in order of speaking: the same list until a turn changes. */
export function useTurns(): readonly TurnView[] {
  const turns = useSession((state) => state.turns);
  return useMemo(() => [...turns.values()], [turns]);
}

export const useSelection = <T,>(selector: (state: SelectionState) => T): T =>
  useStore(useSessionClient().selection.store, selector);

export const useSessionEndpoint = (): Endpoint => endpointOf(useSession((state) => state.endpoint));

/** Whether this panel's session speaks lines of several speakers. */
export function useIsScene(): boolean {
  const { hasCast } = useSessionClient();
  const { contexts } = useSessionEndpoint();
  return hasCast && contexts !== null;
}

const NOBODY: readonly CastMember[] = [];

/** Returns the speakers of this panel's session; none where it has a single voice. */
export function useCast(): readonly CastMember[] {
  const isScene = useIsScene();
  const endpoint = useSessionEndpoint();
  return useScene((state) => (isScene ? castOf(state, endpoint) : NOBODY));
}

/**
 * Returns the hue of each context; contexts are in order of appearance. One outside of the cast has the hue of its name, or
 * the next one that neither the cast nor a context before it has, while there is one.
 */
export const contextHues = memoiseLast(
  (contexts: readonly Pick<ContextView, 'id'>[], cast: readonly CastMember[]) => {
    const hues = new Map(cast.map(({ name, hue }) => [contextIdOf(name), hue]));
    // Includes speakers who have not appeared yet, because their appearance would change the hues of others.
    const taken = new Set(hues.values());
    for (const { id } of contexts) {
      let hue = hues.get(id) ?? voiceHue(id);
      for (let step = 0; !hues.has(id) && step < HUES && taken.has(hue); step += 1) hue = (hue % HUES) + 1;
      hues.set(id, hue);
      taken.add(hue);
    }
    return (context: string): number => hues.get(context) ?? voiceHue(context);
  },
);

export type SpeakerLook = Pick<CastMember, 'name' | 'hue'>;

/** Returns the speaker of a context. One outside of the cast has the name of the context. Null for a single voice. */
export function useSpeaker(context: string): SpeakerLook | null {
  const { hasCast } = useSessionClient();
  const endpoint = useSessionEndpoint();
  const cast = useScene((state) => castOf(state, endpoint));
  const hue = useSession(({ contexts }) => contextHues(contexts, cast)(context));
  return context === '' || !hasCast ? null : { name: memberOf(cast, context)?.name ?? context, hue };
}
