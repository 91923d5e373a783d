import { selectHeard, useSession, useTurn } from '../stores/session-store.ts';
import { ChunkTable } from './chunk-table.tsx';
import { useTurnChoice } from './turn-choice.ts';
import { TurnMeasures } from './turn-measures.tsx';
import { WaitStrip } from './wait-strip.tsx';

/** What the chosen turn waited for, how its audio flowed, and its chunks. */
export function ChunksPanel() {
  const chosen = useTurnChoice((state) => state.turn);
  const newest = useSession((state) => state.turnIds.at(-1) ?? null);
  const heard = useSession(selectHeard);
  const turn = useTurn(chosen ?? heard ?? newest);
  // Lines of a scene are read together; a single voice shows the turn in question.
  const all = useSession((state) =>
    chosen === null && turn !== undefined && turn.context !== '' ? state.revision : null,
  );
  const turns =
    all === null
      ? turn
        ? [turn]
        : []
      : useSession.getState().turnIds.flatMap((id) => useSession.getState().turns.get(id) ?? []);
  return (
    <div className="flex h-full min-h-0 flex-col">
      {turn && <WaitStrip turn={turn} />}
      {turn && <TurnMeasures turn={turn} />}
      <ChunkTable turns={turns} />
    </div>
  );
}
