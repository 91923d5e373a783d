import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export interface SelectOption<V extends string | number | null> {
  value: V;
  label: ReactNode;
  /** Second line, in the list only. */
  hint?: ReactNode;
}

export interface SelectProps<V extends string | number | null> {
  label: string;
  options: readonly SelectOption<V>[];
  /** Null: the option with this value, or `placeholder` where there is none. */
  value: V | null;
  onChange: (value: V) => void;
  placeholder?: string;
  size?: 'medium' | 'small';
  quiet?: boolean;
  mono?: boolean;
  invalid?: boolean;
  className?: string;
}

export function Select<V extends string | number | null>({
  label,
  options,
  value,
  onChange,
  placeholder = 'Choose',
  size = 'medium',
  quiet = false,
  mono = false,
  invalid = false,
  className,
}: SelectProps<V>) {
  const optionOf = (chosen: V | null) => options.find((option) => option.value === chosen);
  const choose = (next: V | null) => {
    const option = optionOf(next);
    if (option) onChange(option.value);
  };
  return (
    <Base.Root<V> items={options} value={value} onValueChange={choose}>
      <Base.Trigger
        aria-label={label}
        aria-invalid={invalid || undefined}
        className={cx(
          'inline-flex min-w-0 cursor-default items-center gap-2 rounded-control text-text transition-colors duration-100 hover:bg-hover data-popup-open:bg-selected touch:h-11',
          size === 'medium' ? 'h-8 px-2 text-13' : 'h-7 px-2 text-12',
          quiet ? 'font-medium' : 'border border-border-strong bg-field aria-invalid:border-failed',
          mono && 'font-mono text-12 font-normal',
          className,
        )}
      >
        <span className="min-w-0 flex-1 truncate text-left">
          <Base.Value>{(chosen: V | null) => optionOf(chosen)?.label ?? placeholder}</Base.Value>
        </span>
        <Base.Icon className="shrink-0 text-text-subtle">
          <ChevronDown className="size-3.5" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          sideOffset={4}
          alignItemWithTrigger={false}
          collisionPadding={8}
          className="z-50 outline-none"
        >
          <Base.Popup className="fade-in max-h-[min(24rem,var(--available-height))] min-w-[var(--anchor-width)] max-w-80 origin-[var(--transform-origin)] overflow-y-auto rounded-control border border-border bg-surface-raised p-1 shadow-high">
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                className={cx(
                  'flex cursor-default items-start gap-2 rounded-inner py-1.5 pr-3 pl-2 text-13 text-text outline-none select-none data-highlighted:bg-selected touch:py-3',
                  mono && 'font-mono text-12',
                )}
              >
                <span className="mt-0.5 size-4 shrink-0">
                  <Base.ItemIndicator>
                    <Check className="size-4" />
                  </Base.ItemIndicator>
                </span>
                <span className="min-w-0">
                  <Base.ItemText>{option.label}</Base.ItemText>
                  {option.hint && (
                    <span className="block font-sans text-12 text-text-subtle">{option.hint}</span>
                  )}
                </span>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
