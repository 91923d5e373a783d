import { Eye, Play } from 'lucide-react';
import { useId } from 'react';
import { deepEqual } from '#lib/deep-equal.ts';
import { counted } from '#lib/format.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { FieldLabel } from '../../ui/fields/field-label.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Switch } from '../../ui/switch.tsx';
import { configsNow, useCompare, useObstacle } from '../compare-store.ts';
import { useBlind, useComparisons } from '../comparisons.ts';
import { type BySide, nameOf, SIDES, type Side } from '../side.ts';
import { BlindResult } from './blind-result.tsx';
import { BlindRound } from './blind-round.tsx';
import { textsOf } from './trial.ts';

export function BlindView({ sides }: { sides: BySide<Side> }) {
  const phase = useBlind((state) => state.phase);
  if (phase === 'setUp') return <Plan sides={sides} />;
  return phase === 'revealed' ? <BlindResult /> : <BlindRound />;
}

function Plan({ sides }: { sides: BySide<Side> }) {
  const id = useId();
  const { blind } = useComparisons();
  const { texts, matchLoudness } = useCompare();
  const muted = useSettings((state) => state.muted || state.volume === 0);
  const obstacle = useObstacle(sides);
  const rounds = textsOf(texts);
  const isSame = deepEqual(sides.a, sides.b);
  const begin = () => {
    const configs = configsNow(sides);
    const [seed = 0] = crypto.getRandomValues(new Int32Array(1));
    if (configs) blind.begin({ sides, configs, texts: rounds, seed, matchLoudness });
  };
  return (
    <section aria-label="Plan of the blind comparison" className="flex flex-col gap-4">
      <div className="flex flex-col gap-1.5">
        <FieldLabel
          title="Texts, one a line"
          htmlFor={`${id}-texts`}
          trailing={counted(rounds.length, 'round')}
        />
        <textarea
          id={`${id}-texts`}
          aria-label="Texts, one a line"
          dir="auto"
          spellCheck={false}
          value={texts}
          onChange={(event) => useCompare.setState({ texts: event.target.value })}
          className="field-sizing-content block max-h-64 min-h-28 w-full resize-none overflow-y-auto rounded-panel border border-border bg-surface-raised px-4 py-3 text-14"
        />
      </div>
      <div className="flex flex-col gap-1">
        <Switch checked={matchLoudness} onChange={(next) => useCompare.setState({ matchLoudness: next })}>
          Match loudness
        </Switch>
        <p className="max-w-[72ch] text-12 text-text-muted">
          {matchLoudness
            ? 'In each round the louder one is turned down until both have the same loudness by ITU-R BS.1770, which weights frequencies as the ear does and does not count pauses.'
            : 'Loudness is not matched. The louder of two voices is mostly taken for the better one, so a choice may be for loudness alone.'}
        </p>
      </div>
      <ol className="flex max-w-[72ch] list-decimal flex-col gap-1 pl-5 text-13 text-text-muted">
        <li>
          Each text is spoken by {SIDES.map(nameOf).join(' and ')} as X and Y. Which is which, and the order
          of the texts, is drawn anew for every comparison, and each is X in half of the rounds.
        </li>
        <li>
          Both are there before either is played, so no wait gives one away. Play them as often as you like.
        </li>
        <li>
          Choose X, Y, or no preference. Names, figures and timelines appear when all is chosen, or when you
          ask.
        </li>
      </ol>
      {obstacle && (
        <Notice severity="warning" title="It cannot be spoken yet">
          {obstacle}
        </Notice>
      )}
      {muted && (
        <Notice severity="warning" title="Sound is muted">
          Turn it on in the bar, or nothing will be heard.
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          variant="filled"
          icon={Play}
          onClick={begin}
          disabledReason={
            obstacle ??
            (isSame
              ? 'A and B are the same: give one of them another voice or setting'
              : rounds.length === 0
                ? 'There is no text'
                : null)
          }
        >
          Begin blind comparison
        </Button>
        <span className="flex items-center gap-1.5 text-12 text-text-subtle">
          <Eye className="size-3.5" />
          The set-up above is hidden meanwhile.
        </span>
      </div>
    </section>
  );
}
