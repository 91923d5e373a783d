import { Switch as Base } from '@base-ui/react/switch';
import { type ReactNode, useId } from 'react';
import { cx } from './cx.ts';

export interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** Accessible name; shown beside the switch as well when `children` is given instead. */
  label?: string;
  children?: ReactNode;
  className?: string;
}

export function Switch({ checked, onChange, label, children, className }: SwitchProps) {
  const id = useId();
  const control = (
    <Base.Root
      id={id}
      checked={checked}
      onCheckedChange={(next) => onChange(next)}
      aria-label={children ? undefined : label}
      className="relative inline-flex h-4 w-7 shrink-0 cursor-default items-center rounded-full bg-border-strong transition-colors duration-100 data-checked:bg-inverse after:absolute after:-inset-2 touch:after:-inset-3.5"
    >
      <Base.Thumb className="ml-0.5 size-3 rounded-full bg-surface shadow-low transition-[translate,background-color] duration-100 data-checked:translate-x-3 data-checked:bg-on-inverse" />
    </Base.Root>
  );
  if (!children) return <span className={cx('inline-flex', className)}>{control}</span>;
  return (
    <label
      htmlFor={id}
      className={cx(
        'inline-flex cursor-default items-center gap-2 text-12 text-text-muted select-none touch:min-h-11',
        className,
      )}
    >
      {control}
      {children}
    </label>
  );
}
