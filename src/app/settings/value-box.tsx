import type { KeyboardEvent } from 'react';
import { cx } from '../ui/cx.ts';
import type { DraftText } from './use-draft-text.ts';

export interface ValueBoxProps {
  id?: string;
  /** Accessible name. */
  label: string;
  draft: DraftText;
  invalid: boolean;
  /** Not sent: what stands there is only the default. */
  muted: boolean;
  unit?: string | undefined;
  align?: 'left' | 'right';
  placeholder?: string;
  describedBy: string;
  /** Steps by the arrow keys; null where there is nothing to step. */
  onStep?: (steps: number) => void;
  className?: string;
}

/** A value typed as text, in mono, with its unit inside the box. */
export function ValueBox({
  id,
  label,
  draft,
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
    draft.settle();
    onStep(direction * (event.shiftKey ? 10 : 1));
  };
  const bad = invalid || draft.unreadable;
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
        value={draft.text}
        onChange={(event) => draft.change(event.target.value)}
        onBlur={draft.settle}
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
