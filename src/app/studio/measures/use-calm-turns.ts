import { useEffect, useMemo, useState } from 'react';
import type { TurnView } from '#session/views.ts';
import { useSessionClient } from '../../session-client/provider.tsx';

const RENDER_EVERY_MS = 100;

/** Returns all turns in order of speaking, throttled. The list keeps its identity until a turn changes. */
export function useCalmTurns(): readonly TurnView[] {
  const { store } = useSessionClient();
  const [shown, setShown] = useState({ store, turns: store.getState().turns });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const look = () => {
      timer ??= setTimeout(() => {
        timer = null;
        const { turns } = store.getState();
        setShown((before) => (before.store === store && before.turns === turns ? before : { store, turns }));
      }, RENDER_EVERY_MS);
    };
    const leave = store.subscribe(({ turns }, before) => {
      if (turns !== before.turns) look();
    });
    // The store may have changed between rendering and subscribing.
    look();
    return () => {
      leave();
      if (timer !== null) clearTimeout(timer);
    };
  }, [store]);
  // After a change of the session, its turns are shown at once.
  const turns = shown.store === store ? shown.turns : store.getState().turns;
  return useMemo(() => [...turns.values()], [turns]);
}
