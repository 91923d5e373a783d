import type { KeyboardEvent } from 'react';
import { cx } from '../ui/cx.ts';

export interface ValueBoxProps {
  id?: string;
  label: string;
  text: string;
  isUnreadable: boolean;
  onType: (text: string) => void;
  /** Called on leaving the box and before a step. */
  onLeave: () => void;
  invalid: boolean;
  /** The text is the default, which is not sent. */
  muted: boolean;
  unit?: string | undefined;
  align?: 'left' | 'right';
  placeholder?: string;
  describedBy: string;
  /** Called for the arrow keys, with 1 or 10 steps either way. */
  onStep?: (steps: number) => void;
  className?: string;
}

export function ValueBox({
  id,
  label,
  text,
  isUnreadable,
  onType,
  onLeave,
  invalid,
  muted,
  unit,
  align = 'right',
  placeholder,
  describedBy,
  onStep,
  className,
}: ValueBoxProps) {
  const step = (event: KeyboardEvent) => {
    const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (!onStep || direction === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onLeave();
    onStep(direction * (event.shiftKey ? 10 : 1));
  };
  const bad = invalid || isUnreadable;
  return (
    <span
      className={cx(
        'inline-flex h-7 min-w-0 items-center rounded-control border bg-field has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-text touch:h-11',
        bad ? 'border-failed' : 'border-border-strong',
        className,
      )}
    >
      <input
        id={id}
        type="text"
        inputMode={align === 'right' ? 'decimal' : 'text'}
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        aria-invalid={bad || undefined}
        aria-describedby={describedBy}
        placeholder={placeholder}
        value={text}
        onChange={(event) => onType(event.target.value)}
        onBlur={onLeave}
        onKeyDown={step}
        className={cx(
          'h-full w-full min-w-0 flex-1 bg-transparent font-mono text-12 outline-none',
          unit ? 'pr-0.5 pl-2' : 'px-2',
          align === 'right' && 'text-right',
          muted ? 'text-text-muted' : 'text-text',
        )}
      />
      {unit && (
        <span
          aria-hidden
          className={cx(
            'shrink-0 pr-2 text-12',
            unit === '×' ? 'font-mono text-text-muted' : 'pl-1 text-text-subtle',
          )}
        >
          {unit}
        </span>
      )}
    </span>
  );
}
