import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import type { ReactNode } from 'react';
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
  return (
    <RadioGroup<V | null>
      aria-label={label}
      value={value}
      onValueChange={(next) => next !== null && onChange(next)}
      className={cx(
        'gap-0.5 rounded-control bg-surface-sunken p-0.5 ring-1 ring-border ring-inset',
        fill ? 'flex' : 'inline-flex',
        className,
      )}
    >
      {options.map((option) => (
        <Radio.Root
          key={option.value}
          value={option.value}
          className={cx(
            'inline-flex cursor-default items-center justify-center rounded-inner font-medium whitespace-nowrap text-text-muted transition-colors duration-100 select-none hover:text-text data-checked:bg-segment data-checked:text-text data-checked:shadow-low data-checked:ring-1 data-checked:ring-border touch:h-10',
            size === 'medium' ? 'h-7 text-13' : 'h-6 text-12',
            fill ? 'min-w-0 flex-1 px-1' : size === 'medium' ? 'px-3' : 'px-2.5',
            mono && 'font-mono text-12 font-normal',
          )}
        >
          {option.label}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
