import { ArrowRight, Play, Square } from 'lucide-react';
import { useEffect } from 'react';
import { endpointOf } from '#protocol/registry.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { Deferred, SessionProvider } from '../session-client/provider.tsx';
import type { SessionClient } from '../session-client/session-client.ts';
import { OUTCOME_WORDS } from '../session-client/speech.ts';
import { shareAxis } from '../session-client/timeline/timeline-state.ts';
import { goToMode } from '../stores/mode-store.ts';
import { CELL, ColumnHead } from '../studio/measures/cells.tsx';
import { MeasuresTable } from '../studio/measures/measures-table.tsx';
import { NotReported, NotReportedNote } from '../studio/measures/not-reported.tsx';
import { Timeline } from '../studio/timeline/timeline.tsx';
import { Transcript } from '../studio/transcript/transcript.tsx';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Notice } from '../ui/notice.tsx';
import { Empty } from '../ui/page.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { useComparisons, useSideBySide } from './comparisons.ts';
import { type DifferenceRow, differenceRows, waitSentence } from './difference-rows.ts';
import { type BySide, nameOf, SIDES, type SideId } from './side.ts';
import type { SideView } from './side-by-side.ts';

const TITLES = 'text-14 font-semibold';

/** Two sessions under each other, and the measures of one turn of each. */
export function SideBySideResults() {
  const running = useSideBySide((state) => state.running);
  const sides = useSideBySide((state) => state.sides);
  const { a, b } = sides;
  useEffect(
    () => (a.client && b.client ? shareAxis(a.client.timeline, b.client.timeline) : undefined),
    [a.client, b.client],
  );
  if (!a.client && !b.client) {
    return (
      <Empty className="rounded-panel border border-dashed border-border">
        Press Speak both: timelines, waits and every measure of A and B appear here, under each other.
      </Empty>
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
            <StateBadge view={sides[side]} />
          </p>
        ))}
        <span className="flex-1" />
        <Repeats sides={sides} running={running} />
      </div>
      {SIDES.map((side) => {
        const outcome = sides[side].result?.outcome;
        return outcome && outcome.how !== 'spoken' ? (
          <Notice key={side} severity="error" title={`${nameOf(side)} was not spoken to its end`}>
            {outcome.reason}
          </Notice>
        ) : null;
      })}
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
      <div className="flex flex-wrap items-center gap-2 text-12 text-text-muted">
        <p>One run of each may be luck.</p>
        <Button size="small" variant="ghost" icon={ArrowRight} onClick={() => goToMode('benchmark')}>
          Measure many runs
        </Button>
      </div>
    </section>
  );
}

function StateBadge({ view }: { view: SideView }) {
  const [tone, word] = stateOf(view);
  return <Badge tone={tone}>{word}</Badge>;
}

function stateOf({ phase, turn, result, repeating }: SideView): readonly [tone: BadgeTone, word: string] {
  if (repeating) return ['live', 'Playing again'];
  switch (phase) {
    case 'done':
      if (!result) return ['neutral', 'Not spoken'];
      return [result.outcome.how === 'spoken' ? 'neutral' : 'failed', OUTCOME_WORDS[result.outcome.how]];
    case 'idle':
      return ['neutral', 'Not spoken'];
    case 'preparing':
      return ['waiting', 'Connecting'];
    case 'ready':
      return ['waiting', 'Ready, waits its turn'];
    case 'running':
      return turn?.heardFromMs == null ? ['waiting', 'Waiting for sound'] : ['live', 'Speaking'];
  }
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

function Repeats({ sides, running }: { sides: BySide<SideView>; running: boolean }) {
  const { sideBySide } = useComparisons();
  const missing = (asked: readonly SideId[]): string | null =>
    running
      ? 'They are speaking'
      : asked.every((side) => sideBySide.canRepeat(side))
        ? null
        : 'Speak both first';
  if (sides.a.repeating || sides.b.repeating) {
    return (
      <Button size="small" icon={Square} onClick={() => sideBySide.stopRepeat()}>
        Stop
      </Button>
    );
  }
  return (
    <div className="flex flex-wrap gap-2">
      {SIDES.map((side) => (
        <Button
          key={side}
          size="small"
          icon={Play}
          onClick={() => sideBySide.repeat([side])}
          disabledReason={missing([side])}
        >
          Replay {nameOf(side)}
        </Button>
      ))}
      <Button
        size="small"
        icon={Play}
        onClick={() => sideBySide.repeat(SIDES)}
        disabledReason={missing(SIDES)}
      >
        Replay both
      </Button>
    </div>
  );
}

function DifferencesTable({ turns }: { turns: BySide<TurnView | null> }) {
  const measures = differenceRows(turns);
  if (measures.groups.length === 0) return null;
  const titleOf = (side: SideId): string => endpointOf(turns[side]?.endpoint ?? null).title;
  const cell = (row: DifferenceRow, side: SideId) => (
    <td className={cx(CELL, row.better === side && 'font-semibold')}>
      {row.unreported.includes(side) ? <NotReported by={titleOf(side)} /> : row[side]}
    </td>
  );
  return (
    <ScrollRegion label="Measures of A and B" className="@container overflow-x-auto">
      <MeasuresTable
        label="Measures of A and B"
        measures={measures}
        columns={5}
        head={
          <>
            {SIDES.map((side, at) => (
              <ColumnHead key={side} hue={at + 1}>
                <span className="text-voice">{nameOf(side)}</span>
              </ColumnHead>
            ))}
            <ColumnHead>B less A</ColumnHead>
            <ColumnHead className="text-left">in words</ColumnHead>
          </>
        }
        cells={(row) => (
          <>
            {cell(row, 'a')}
            {cell(row, 'b')}
            <td className={cx(CELL, 'text-text-muted')}>{row.difference ?? '–'}</td>
            <td className="h-6 border-b border-border pr-4 pl-2 text-12 whitespace-nowrap text-text-muted">
              {row.verdict ?? noVerdict(row)}
            </td>
          </>
        )}
      />
      <NotReportedNote endpoints={SIDES.flatMap((side) => turns[side]?.endpoint ?? [])} />
    </ScrollRegion>
  );
}

function noVerdict({ difference, unreported }: DifferenceRow): string {
  const [side] = unreported;
  if (difference !== null) return 'neither way is better';
  if (!side) return 'unknown for one of them';
  return unreported.length > 1 ? 'reported by neither' : `not reported by ${nameOf(side)}`;
}
