import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { Tooltip } from './tooltip.tsx';

interface DefinedProps {
  definition: string;
  children: ReactNode;
  className?: string;
  onFocused?: (isFocused: boolean) => void;
}

/** A word with its definition one hover, or one stop of the Tab key, away. */
export function Defined({ definition, children, className, onFocused }: DefinedProps) {
  return (
    <Tooltip content={definition}>
      <button
        type="button"
        onFocus={() => onFocused?.(true)}
        onBlur={() => onFocused?.(false)}
        className={cx(
          'relative cursor-help rounded-inner text-inherit touch:after:absolute touch:after:-inset-x-2 touch:after:-inset-y-3 decoration-text-subtle decoration-dotted underline-offset-3 hover:underline focus-visible:underline',
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  );
}
