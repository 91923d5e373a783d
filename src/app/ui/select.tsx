import { ChevronDown } from 'lucide-react';
import { cx } from './cx.ts';
import { laterPopup } from './later.tsx';
import type { SelectListProps, SelectOption } from './select-parts.tsx';

export type { SelectOption };

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

const List = laterPopup<SelectListProps>('The list', 'listbox', () =>
  import('./select-parts.tsx').then(({ SelectList }) => SelectList),
);

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
  const optionOf = (chosen: unknown) => options.find((option) => option.value === chosen);
  return (
    <List
      options={options}
      value={value}
      onChange={(next) => {
        const option = optionOf(next);
        if (option) onChange(option.value);
      }}
      mono={mono}
      trigger={
        <button
          type="button"
          // biome-ignore lint/a11y/useAriaPropsForRole: `laterPopup` and then the list set `aria-expanded`.
          role="combobox"
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
          <span className="min-w-0 flex-1 truncate text-left">{optionOf(value)?.label ?? placeholder}</span>
          <ChevronDown aria-hidden className="size-3.5 shrink-0 text-text-subtle" />
        </button>
      }
    />
  );
}
