import { useEffect, useMemo, useState } from 'react';
import type { TurnView } from '#session/views.ts';
import { useSession } from '../../session-client/session-store.ts';

/** Least time between two renders of a panel that shows all turns. */
const RENDER_EVERY_MS = 100;

const revisionNow = (): number => useSession.getState().turnsRevision;

/** Returns all turns in order of speaking, throttled. The list keeps its identity until a turn changes. */
export function useCalmTurns(): readonly TurnView[] {
  const [revision, setRevision] = useState(revisionNow);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const look = () => {
      timer ??= setTimeout(() => {
        timer = null;
        setRevision(revisionNow());
      }, RENDER_EVERY_MS);
    };
    const leave = useSession.subscribe((state, before) => {
      if (state.turnsRevision !== before.turnsRevision) look();
    });
    // The store may have changed between rendering and subscribing.
    look();
    return () => {
      leave();
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
  return useMemo(() => {
    const session = useSession.getState();
    return session.turnsRevision < revision
      ? []
      : session.turnIds.flatMap((id) => session.turns.get(id) ?? []);
  }, [revision]);
}
