import { type ReactNode, useId } from 'react';
import { cx } from './cx.ts';

export interface SegmentedProps<V extends string | number> {
  label: string;
  options: readonly { value: V; label: ReactNode }[];
  /** Null: none is chosen. */
  value: V | null;
  onChange: (value: V) => void;
  size?: 'medium' | 'small';
  /** Share the width of the container equally. */
  fill?: boolean;
  mono?: boolean;
  className?: string;
}

export function Segmented<V extends string | number>({
  label,
  options,
  value,
  onChange,
  size = 'medium',
  fill = false,
  mono = false,
  className,
}: SegmentedProps<V>) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={cx(
        'gap-0.5 rounded-control bg-surface-sunken p-0.5 ring-1 ring-border ring-inset',
        fill ? 'flex' : 'inline-flex',
        className,
      )}
    >
      {options.map((option) => (
        <label
          key={option.value}
          className={cx(
            'relative inline-flex cursor-default items-center justify-center rounded-inner font-medium whitespace-nowrap text-text-muted transition-colors duration-100 select-none hover:text-text has-checked:bg-segment has-checked:text-text has-checked:shadow-low has-checked:ring-1 has-checked:ring-border has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-text touch:h-10',
            size === 'medium' ? 'h-7 text-13' : 'h-6 text-12',
            fill ? 'min-w-0 flex-1 px-1' : size === 'medium' ? 'px-3' : 'px-2.5',
            mono && 'font-mono text-12 font-normal',
          )}
        >
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 size-full cursor-default appearance-none opacity-0"
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
