import type { ReactNode } from 'react';
import { cx } from '../ui/cx.ts';
import { Tooltip } from '../ui/tooltip.tsx';

/** A word with its definition one hover, or one stop of the Tab key, away. */
export function Defined({
  definition,
  children,
  className,
}: {
  definition: string;
  children: ReactNode;
  className?: string;
}) {
  return (
    <Tooltip content={definition}>
      <button
        type="button"
        className={cx(
          'cursor-help rounded-inner text-inherit decoration-text-subtle decoration-dotted underline-offset-3 hover:underline focus-visible:underline',
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  );
}
