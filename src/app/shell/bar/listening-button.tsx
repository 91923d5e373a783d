import { Headphones } from 'lucide-react';
import { LISTENERS, useListening } from '../../stores/listening-store.ts';
import { cx } from '../../ui/cx.ts';
import { later } from '../../ui/later.tsx';
import { Popover } from '../../ui/popups/popover.tsx';

export const ListeningControls = later(
  'The ways of listening',
  () => import('./listening-panel.tsx').then((module) => module.ListeningPanel),
  undefined,
  'shown',
);

/** Look of the button of a sound that is not as it is. */
export const FILTERED = 'border border-border-strong bg-selected text-text';

/** Opens the ways of listening, and names the chosen one, so that nobody judges a voice by a filter. */
export function ListeningButton({ className }: { className?: string }) {
  const name = useListening(({ as }) => as && LISTENERS[as]);
  return (
    <Popover
      label="Listen as"
      trigger={
        <button
          type="button"
          aria-label={`Listen as: ${name ?? 'as it is'}`}
          className={cx(
            'inline-flex h-8 min-w-8 shrink-0 cursor-default items-center justify-center gap-1.5 rounded-control px-2 text-12 font-medium whitespace-nowrap transition-colors duration-100 touch:h-11 touch:min-w-11',
            name === null ? cx('text-text-muted hover:bg-hover hover:text-text', className) : FILTERED,
          )}
        >
          <Headphones aria-hidden className="size-4" />
          {name !== null && <span className="max-roomy:sr-only">{name}</span>}
        </button>
      }
      className="flex w-80 flex-col gap-3"
    >
      <ListeningControls />
    </Popover>
  );
}
