import type { LucideIcon } from 'lucide-react';
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react';
import { cx } from '../cx.ts';

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'aria-label'> {
  label: string;
  value: string;
  onChange: (value: string) => void;
  icon?: LucideIcon;
  /** A button or a unit at the right edge. */
  trailing?: ReactNode;
  /** A code: an address, a name on the wire. */
  mono?: boolean;
  invalid?: boolean;
  /** Keeps the value out of the markup: React repeats the value of a controlled input in its attribute. */
  isSecret?: boolean;
}

/** A code is no prose, so that a browser leaves it as typed. */
const CODE = { autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const;

export function TextField({
  label,
  value,
  onChange,
  icon: Icon,
  trailing,
  mono = false,
  invalid = false,
  isSecret = false,
  className,
  ...rest
}: TextFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isSecret && input.current && input.current.value !== value) input.current.value = value;
  }, [isSecret, value]);
  return (
    <span
      className={cx(
        'flex h-8 min-w-0 items-center gap-2 rounded-control border bg-field pl-2.5 has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-1 has-[input:focus-visible]:outline-text touch:h-11',
        invalid ? 'border-failed' : 'border-border-strong',
        className,
      )}
    >
      {Icon && <Icon className="size-3.5 shrink-0 text-text-subtle" />}
      <input
        {...(mono && CODE)}
        {...rest}
        aria-label={label}
        aria-invalid={invalid || undefined}
        {...(isSecret ? { ref: input } : { value })}
        onChange={(event) => onChange(event.target.value)}
        className={cx(
          'h-full w-full min-w-0 flex-1 bg-transparent text-13 text-text outline-none',
          !trailing && 'pr-2.5',
          mono && 'font-mono text-12',
        )}
      />
      {trailing}
    </span>
  );
}
