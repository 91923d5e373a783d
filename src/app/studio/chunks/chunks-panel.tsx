import { memo } from 'react';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import type { TurnView } from '#session/views.ts';
import { useSelection, useSession, useTurn, useTurns } from '../../session-client/provider.tsx';
import { selectHeard } from '../../session-client/session-state.ts';
import { FlowFigures } from '../measures/flow-figures.tsx';
import { WaitStrip } from '../measures/wait-strip.tsx';
import { ChunkTable } from './chunk-table.tsx';

/** Wait, audio flow and chunks of the chosen turn. */
export function ChunksPanel() {
  const chosen = useSelection((state) => state.chosenTurn);
  const newest = useSession((state) => state.turnIds.at(-1) ?? null);
  const heard = useSession(selectHeard);
  const turn = useTurn(chosen ?? heard ?? newest);
  return (
    <div className="flex h-full min-h-0 flex-col">
      {turn && <WaitStrip turn={turn} />}
      {turn && <FlowFigures turn={turn} />}
      {/* Lines of a scene are read together; a single voice shows the turn in question. */}
      {chosen === null && turn && turn.context !== ONLY_CONTEXT ? <AllChunks /> : <ChunksOf turn={turn} />}
    </div>
  );
}

const AllChunks = memo(function AllChunks() {
  return <ChunkTable turns={useTurns()} />;
});

function ChunksOf({ turn }: { turn: TurnView | undefined }) {
  return <ChunkTable turns={turn ? [turn] : []} />;
}
