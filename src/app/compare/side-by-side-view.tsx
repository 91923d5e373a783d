import { ArrowRight, Play, Square } from 'lucide-react';
import { deepEqual } from '#lib/deep-equal.ts';
import { EqualLoudnessSwitch } from '../settings/voices/equal-loudness-switch.tsx';
import { goToMode } from '../stores/mode-store.ts';
import { selectDraft, useSettings } from '../stores/settings-store.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import {
  configsNow,
  type Heard,
  setSide,
  useCompare,
  useConfigurations,
  useObstacle,
} from './compare-store.ts';
import { ComparedSessions, type ComparedSide } from './compared-sessions.tsx';
import { useComparisons, useSideBySide } from './comparisons.ts';
import { type BySide, nameOf, otherSide, SIDES, type SideId } from './side.ts';
import type { SideView } from './side-by-side.ts';
import { SideCards } from './side-card.tsx';
import { TitledChoice } from './titled-choice.tsx';

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

export function SideBySideView() {
  const { sideBySide } = useComparisons();
  const choices = useCompare();
  const draft = useSettings(selectDraft);
  const text = choices.text ?? draft;
  const running = useSideBySide((state) => state.running);
  const views = useSideBySide((state) => state.sides);
  const { a, b } = useConfigurations();
  const sides = { a, b };
  const obstacle = useObstacle(sides);
  const start = () => {
    const configs = configsNow(sides);
    if (configs) void sideBySide.start(configs, text, choices.order);
  };
  return (
    <>
      <SideCards
        sides={sides}
        tools={(id) => (
          <Button
            size="small"
            icon={ArrowRight}
            onClick={() => setSide(otherSide(id), id === 'a' ? a : b)}
            disabledReason={deepEqual(a, b) ? 'They are the same' : null}
          >
            Copy to {nameOf(otherSide(id))}
          </Button>
        )}
      />
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
            <TitledChoice
              title="Order"
              options={ORDERS}
              value={choices.order}
              onChange={(order) => useCompare.setState({ order })}
            />
            <TitledChoice
              title="Heard"
              options={HEARD}
              value={choices.heard}
              onChange={(heard) => useCompare.setState({ heard })}
            />
            <TitledChoice
              title="Text goes out"
              label="How the text goes out"
              options={SOURCES}
              value={choices.source}
              onChange={(source) => useCompare.setState({ source })}
            />
            <span className="flex h-8 items-center">
              <EqualLoudnessSwitch />
            </span>
            <span className="ml-auto">
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
            </span>
          </div>
        </div>
        {obstacle && (
          <Notice severity="warning" title="It cannot be spoken yet">
            {obstacle}
          </Notice>
        )}
      </section>
      <ComparedSessions
        sides={{ a: comparedSide(views.a), b: comparedSide(views.b) }}
        running={running}
        verb="Speak"
        tools={<Repeats views={views} running={running} />}
      >
        <div className="flex flex-wrap items-center gap-2 text-12 text-text-muted">
          <p>One run of each may be luck.</p>
          <Button size="small" variant="ghost" icon={ArrowRight} onClick={() => goToMode('benchmark')}>
            Measure many runs
          </Button>
        </div>
      </ComparedSessions>
    </>
  );
}

function comparedSide(view: SideView): ComparedSide {
  const { client, turn, result } = view;
  const problem = result && result.outcome !== 'ok' ? result.outcome.failed : null;
  return { client, turn, state: stateOf(view), problem };
}

function stateOf({ phase, turn, result, repeating }: SideView): ComparedSide['state'] {
  if (repeating) return ['live', 'Playing again'];
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

function Repeats({ views, running }: { views: BySide<SideView>; running: boolean }) {
  const { sideBySide } = useComparisons();
  const missing = (sides: readonly SideId[]): string | null =>
    running
      ? 'They are speaking'
      : sides.every((side) => sideBySide.canRepeat(side))
        ? null
        : 'Speak both first';
  if (views.a.repeating || views.b.repeating) {
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
