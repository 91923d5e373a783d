import { ArrowRight, Play, Square } from 'lucide-react';
import { goToMode } from '../stores/mode-store.ts';
import { selectDraft, useSettings } from '../stores/settings-store.ts';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { FieldLabel } from '../ui/field-label.tsx';
import { Notice } from '../ui/notice.tsx';
import { Segmented, type SegmentedProps } from '../ui/segmented.tsx';
import { configsNow, type Heard, useCompare, useObstacle } from './compare-store.ts';
import { ComparedSessions } from './compared-sessions.tsx';
import { useComparisons, useSideBySide } from './comparisons.ts';
import { type BySide, nameOf, SIDES, type Side, type SideId } from './side.ts';
import type { SideView } from './side-by-side.ts';

const ORDERS = [
  { value: 'inTurn', label: 'A, then B' },
  { value: 'together', label: 'Together' },
] as const;

const HEARD: readonly { value: Heard; label: string }[] = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
  { value: 'both', label: 'Both' },
  { value: 'apart', label: 'A left, B right' },
];

const SOURCES = [
  { value: 'whole', label: 'Whole text' },
  { value: 'simulated', label: 'As a model writes' },
] as const;

export function SideBySideView({ sides }: { sides: BySide<Side> }) {
  const { sideBySide } = useComparisons();
  const choices = useCompare();
  const draft = useSettings(selectDraft);
  const text = choices.text ?? draft;
  const running = useSideBySide((state) => state.running);
  const views = useSideBySide((state) => state.sides);
  const obstacle = useObstacle(sides);
  const start = () => {
    const configs = configsNow(sides);
    if (configs) void sideBySide.start(configs, text, choices.order);
  };
  return (
    <>
      <section aria-label="What both speak" className="@container flex flex-col gap-3">
        <div className="rounded-panel border border-border bg-surface-raised pt-2.5 shadow-low has-[textarea:focus-visible]:outline-2 has-[textarea:focus-visible]:outline-text">
          <textarea
            aria-label="Text for both"
            dir="auto"
            spellCheck={false}
            value={text}
            placeholder="Write what both are to speak"
            onChange={(event) => useCompare.setState({ text: event.target.value })}
            className="field-sizing-content block max-h-44 min-h-14 w-full resize-none overflow-y-auto bg-transparent px-4 py-1 text-14 outline-none"
          />
          <div className="flex flex-wrap items-end gap-x-5 gap-y-2 px-3 pt-1 pb-3">
            <Choice
              title="Order"
              options={ORDERS}
              value={choices.order}
              onChange={(order) => useCompare.setState({ order })}
            />
            <Choice
              title="Heard"
              options={HEARD}
              value={choices.heard}
              onChange={(heard) => useCompare.setState({ heard })}
            />
            <Choice
              title="Text goes out"
              label="How the text goes out"
              options={SOURCES}
              value={choices.source}
              onChange={(source) => useCompare.setState({ source })}
            />
            <span className="flex-1" />
            {running ? (
              <Button icon={Square} onClick={() => sideBySide.cancel()}>
                Cancel both
              </Button>
            ) : (
              <Button
                variant="filled"
                icon={Play}
                onClick={start}
                disabledReason={obstacle ?? (text.trim() === '' ? 'There is no text' : null)}
              >
                Speak both
              </Button>
            )}
          </div>
        </div>
        {obstacle && (
          <Notice severity="warning" title="It cannot be spoken yet">
            {obstacle}
          </Notice>
        )}
      </section>
      <Results views={views} running={running} />
    </>
  );
}

function Choice<V extends string>({
  title,
  label = title,
  ...choice
}: { title: string; label?: string } & Pick<SegmentedProps<V>, 'options' | 'value' | 'onChange'>) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <FieldLabel title={title} />
      <Segmented label={label} size="small" {...choice} />
    </div>
  );
}

function Results({ views, running }: { views: BySide<SideView>; running: boolean }) {
  const turns = { a: views.a.turn, b: views.b.turn };
  if (SIDES.every((side) => views[side].client === null)) {
    return (
      <p className="rounded-panel border border-dashed border-border px-6 py-10 text-center text-13 text-text-muted">
        Press Speak both: timelines, waits and every measure of A and B appear here, under each other.
      </p>
    );
  }
  return (
    <section
      aria-label="Results"
      className="flex flex-col gap-5 rounded-panel border border-border bg-surface p-4"
    >
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        {SIDES.map((side) => (
          <SideState key={side} side={side} view={views[side]} />
        ))}
        <span className="flex-1" />
        <Replays views={views} running={running} />
      </div>
      {SIDES.map((side) => {
        const outcome = views[side].result?.outcome;
        return outcome && outcome !== 'ok' ? (
          <Notice key={side} severity="error" title={`${nameOf(side)} was not spoken to its end`}>
            {outcome.failed}
          </Notice>
        ) : null;
      })}
      <ComparedSessions clients={{ a: views.a.client, b: views.b.client }} turns={turns} running={running} />
      <div className="flex flex-wrap items-center gap-2 text-12 text-text-muted">
        <p>One run of each may be luck.</p>
        <Button size="small" variant="ghost" icon={ArrowRight} onClick={() => goToMode('benchmark')}>
          Measure many runs
        </Button>
      </div>
    </section>
  );
}

function SideState({ side, view }: { side: SideId; view: SideView }) {
  const [tone, word] = stateOf(view);
  return (
    <p data-voice={side === 'a' ? 1 : 2} className="flex items-center gap-2 text-13">
      <span className="font-semibold text-voice">{nameOf(side)}</span>
      <Badge tone={tone}>{word}</Badge>
    </p>
  );
}

function stateOf({ phase, turn, result, replaying }: SideView): readonly [tone: BadgeTone, word: string] {
  if (replaying) return ['live', 'Playing again'];
  switch (phase) {
    case 'done':
      return result?.outcome === 'ok' ? ['neutral', 'Spoken'] : ['failed', 'Failed'];
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

function Replays({ views, running }: { views: BySide<SideView>; running: boolean }) {
  const { sideBySide } = useComparisons();
  const missing = (sides: readonly SideId[]): string | null =>
    running
      ? 'They are speaking'
      : sides.every((side) => sideBySide.canReplay(side))
        ? null
        : 'Speak both first';
  if (views.a.replaying || views.b.replaying) {
    return (
      <Button size="small" icon={Square} onClick={() => sideBySide.stopReplay()}>
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
          onClick={() => sideBySide.replay([side])}
          disabledReason={missing([side])}
        >
          Replay {nameOf(side)}
        </Button>
      ))}
      <Button
        size="small"
        icon={Play}
        onClick={() => sideBySide.replay(SIDES)}
        disabledReason={missing(SIDES)}
      >
        Replay both
      </Button>
    </div>
  );
}
