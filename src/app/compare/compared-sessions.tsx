import { type ReactNode, useEffect } from 'react';
import { measuresOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { Deferred, SessionProvider } from '../session-client/provider.tsx';
import type { SessionClient } from '../session-client/session-client.ts';
import { shareAxis } from '../session-client/timeline/timeline-state.ts';
import { Timeline } from '../studio/timeline/timeline.tsx';
import { Transcript } from '../studio/transcript/transcript.tsx';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { Notice } from '../ui/notice.tsx';
import { waitSentence } from './difference-rows.ts';
import { DifferencesTable } from './differences-table.tsx';
import { type BySide, nameOf, SIDES, type SideId } from './side.ts';

const TITLES = 'text-14 font-semibold';

export interface ComparedSide {
  /** Null before it was begun. */
  client: SessionClient | null;
  /** The turn that is compared. */
  turn: TurnView | null;
  state: readonly [tone: BadgeTone, word: string];
  /** Why the session did not come to its end; null where it did. */
  problem: string | null;
}

interface ComparedSessionsProps {
  sides: BySide<ComparedSide>;
  /** Some session still runs, so that no conclusion is shown. */
  running: boolean;
  verb: 'Speak' | 'Replay';
  /** At the right of the states. */
  tools: ReactNode;
  children?: ReactNode;
}

const ENDED = { Speak: 'spoken', Replay: 'replayed' };

/** Two sessions under each other, and the measures of one turn of each. */
export function ComparedSessions({ sides, running, verb, tools, children }: ComparedSessionsProps) {
  const { a, b } = sides;
  useEffect(
    () => (a.client && b.client ? shareAxis(a.client.timeline, b.client.timeline) : undefined),
    [a.client, b.client],
  );
  if (!a.client && !b.client) {
    return (
      <p className="rounded-panel border border-dashed border-border px-6 py-10 text-center text-13 text-text-muted">
        Press {verb} both: timelines, waits and every measure of A and B appear here, under each other.
      </p>
    );
  }
  const sentence = running ? null : waitSentence(a.turn && measuresOf(a.turn), b.turn && measuresOf(b.turn));
  return (
    <section
      aria-label="Results"
      className="flex flex-col gap-5 rounded-panel border border-border bg-surface p-4"
    >
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        {SIDES.map((side) => (
          <p key={side} data-voice={side === 'a' ? 1 : 2} className="flex items-center gap-2 text-13">
            <span className="font-semibold text-voice">{nameOf(side)}</span>
            <Badge tone={sides[side].state[0]}>{sides[side].state[1]}</Badge>
          </p>
        ))}
        <span className="flex-1" />
        {tools}
      </div>
      {SIDES.map((side) =>
        sides[side].problem === null ? null : (
          <Notice key={side} severity="error" title={`${nameOf(side)} was not ${ENDED[verb]} to its end`}>
            {sides[side].problem}
          </Notice>
        ),
      )}
      <p aria-live="polite" className="text-20 font-medium tracking-[-0.01em] empty:hidden">
        {sentence}
      </p>
      <div className="flex flex-col gap-4">
        <h3 className={TITLES}>Timelines, with zero at the first text of each</h3>
        {SIDES.map((side) => (
          <SidePanels key={side} side={side} client={sides[side].client} />
        ))}
      </div>
      <div className="flex flex-col gap-2">
        <h3 className={TITLES}>Measures</h3>
        <DifferencesTable turns={{ a: a.turn, b: b.turn }} />
      </div>
      {children}
    </section>
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
          <Deferred>
            <Timeline />
          </Deferred>
        </div>
      </section>
    </SessionProvider>
  );
}
