import { useEffect } from 'react';
import { measuresOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { Calm, SessionProvider } from '../session-client/provider.tsx';
import type { SessionClient } from '../session-client/session-client.ts';
import { shareAxis } from '../session-client/timeline/timeline-state.ts';
import { Timeline } from '../studio/timeline/timeline.tsx';
import { Transcript } from '../studio/transcript/transcript.tsx';
import { waitSentence } from './difference-rows.ts';
import { DifferencesTable } from './differences-table.tsx';
import { type BySide, nameOf, SIDES, type SideId } from './side.ts';

const TITLES = 'text-14 font-semibold';

interface ComparedSessionsProps {
  clients: BySide<SessionClient | null>;
  /** The turn of each that is compared. */
  turns: BySide<TurnView | null>;
  /** They are not over, so that nothing is concluded yet. */
  running: boolean;
}

/** Two sessions under each other, and the measures of one turn of each. */
export function ComparedSessions({ clients, turns, running }: ComparedSessionsProps) {
  const { a, b } = clients;
  useEffect(() => (a && b ? shareAxis(a.timeline, b.timeline) : undefined), [a, b]);
  const sentence = running
    ? null
    : waitSentence(turns.a && measuresOf(turns.a), turns.b && measuresOf(turns.b));
  return (
    <>
      <p aria-live="polite" className="text-20 font-medium tracking-[-0.01em] empty:hidden">
        {sentence}
      </p>
      <div className="flex flex-col gap-4">
        <h3 className={TITLES}>Timelines, with zero at the first text of each</h3>
        {SIDES.map((side) => (
          <SidePanels key={side} side={side} client={clients[side]} />
        ))}
      </div>
      <div className="flex flex-col gap-2">
        <h3 className={TITLES}>Measures</h3>
        <DifferencesTable turns={turns} />
      </div>
    </>
  );
}

function SidePanels({ side, client }: { side: SideId; client: SessionClient | null }) {
  if (!client) return null;
  return (
    <SessionProvider client={client} name={nameOf(side)}>
      <section
        aria-label={`Session of ${nameOf(side)}`}
        className="@container overflow-hidden rounded-panel border border-border"
      >
        <header
          data-voice={side === 'a' ? 1 : 2}
          className="flex h-44 flex-col border-b border-border bg-canvas"
        >
          <h3 className="px-4 pt-2 text-14 font-semibold text-voice wide:px-5">{nameOf(side)}</h3>
          <Transcript />
        </header>
        <div className="h-96">
          <Calm>
            <Timeline />
          </Calm>
        </div>
      </section>
    </SessionProvider>
  );
}
