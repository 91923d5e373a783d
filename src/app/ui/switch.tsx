import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** Accessible name; shown beside the switch as well when `children` is given instead. */
  label?: string;
  children?: ReactNode;
  className?: string;
}

export const Switch = ({ checked, onChange, label, children, className }: SwitchProps) => (
  <label
    className={cx(
      'inline-flex cursor-default items-center',
      children !== undefined && 'gap-2 text-12 text-text-muted select-none touch:min-h-11',
      className,
    )}
  >
    <input
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says itself whether it is checked.
      role="switch"
      aria-label={children ? undefined : label}
      checked={checked}
      onChange={({ target }) => onChange(target.checked)}
      className="relative inline-flex h-4 w-7 shrink-0 cursor-default appearance-none items-center rounded-full bg-border-strong transition-colors duration-100 checked:bg-inverse before:ml-0.5 before:size-3 before:rounded-full before:bg-surface before:shadow-low before:transition-[translate,background-color] before:duration-100 checked:before:translate-x-3 checked:before:bg-on-inverse after:absolute after:-inset-2 touch:after:-inset-3.5"
    />
    {children}
  </label>
);
