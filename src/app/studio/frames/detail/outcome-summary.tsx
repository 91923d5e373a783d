import type { FrameOutcome } from '#recordings/view/frame-outcome.ts';
import { cx } from '../../../ui/cx.ts';
import { outcomeFigures, outcomeWords } from './outcome-words.ts';

/** When an audio frame came, when it was heard, and what cannot be said in figures. */
export function OutcomeSummary({ outcome }: { outcome: FrameOutcome }) {
  const words = outcomeWords(outcome);
  const isLost = outcome.kind === 'cut' || outcome.kind === 'dropped' || outcome.kind === 'late';
  return (
    <section aria-label="What became of it" className="flex flex-col gap-2 border-b border-border px-4 py-3">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {outcomeFigures(outcome).map(([name, value]) => (
          <div key={name}>
            <dt className="text-12 text-text-subtle">{name}</dt>
            <dd className="font-mono text-13 whitespace-nowrap">{value}</dd>
          </div>
        ))}
      </dl>
      {words !== null && (
        <p className={cx('text-12', isLost ? 'text-waiting' : 'text-text-muted')}>{words}</p>
      )}
    </section>
  );
}
