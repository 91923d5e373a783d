import { ArrowRight, Play, Square } from 'lucide-react';
import { deepEqual } from '#lib/deep-equal.ts';
import { useMedia, WIDE_MEDIA } from '../browser/use-media.ts';
import { EqualLoudnessSwitch } from '../settings/voices/equal-loudness-switch.tsx';
import { selectDraft, useSettings } from '../stores/settings-store.ts';
import { CannotSend } from '../studio/composer/text-status.tsx';
import { Button } from '../ui/button.tsx';
import { TitledField } from '../ui/fields/rows.tsx';
import { PageFoot } from '../ui/page.tsx';
import { Segmented, type SegmentedProps } from '../ui/segmented.tsx';
import {
  configsNow,
  type HeardSide,
  setSide,
  useCompare,
  useConfigurations,
  useObstacle,
} from './compare-store.ts';
import { useComparisons, useSideBySide } from './comparisons.ts';
import { nameOf, otherSide } from './side.ts';
import { SideBySideResults } from './side-by-side-results.tsx';
import { SideCards } from './side-card.tsx';

const ORDERS = [
  { value: 'inTurn', label: 'A, then B' },
  { value: 'together', label: 'Together' },
] as const;

const HEARD: readonly { value: HeardSide; label: string }[] = [
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
  const wide = useMedia(WIDE_MEDIA);
  const { a, b } = useConfigurations();
  const sides = { a, b };
  const obstacle = useObstacle(sides);
  const start = () => {
    const configs = configsNow(sides);
    if (configs) void sideBySide.start(configs, text, choices.order);
  };
  const press = running ? (
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
  );
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
          <div className="flex flex-wrap items-end gap-x-5 gap-y-2 px-4 pt-1 pb-3">
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
            {wide && <span className="ml-auto">{press}</span>}
          </div>
        </div>
        {obstacle && <CannotSend words={obstacle} />}
      </section>
      {!wide && <PageFoot>{press}</PageFoot>}
      <SideBySideResults />
    </>
  );
}

type TitledChoiceProps<V extends string> = Pick<SegmentedProps<V>, 'options' | 'value' | 'onChange'> & {
  title: string;
  /** Accessible name; the title by default. */
  label?: string;
};

/** A choice with its title above. */
const TitledChoice = <V extends string>({ title, label = title, ...choice }: TitledChoiceProps<V>) => (
  <TitledField title={title}>
    <Segmented label={label} size="small" {...choice} />
  </TitledField>
);
