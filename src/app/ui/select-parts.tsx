import { Select as Base } from '@base-ui/react/select';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { cx } from './cx.ts';

type Value = string | number | null;

export interface SelectOption<V extends Value> {
  value: V;
  label: ReactNode;
  /** Second line, in the list only. */
  hint?: ReactNode;
}

export interface SelectListProps {
  /** The element that opens it, with an accessible name of its own. */
  trigger: ReactElement<Record<string, unknown>>;
  options: readonly SelectOption<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  mono: boolean;
}

/** A list of options with its trigger. */
export function SelectList({
  trigger,
  options,
  value,
  onChange,
  mono,
  defaultOpen,
}: SelectListProps & { defaultOpen: boolean }) {
  return (
    <Base.Root<Value> items={options} value={value} onValueChange={onChange} defaultOpen={defaultOpen}>
      <Base.Trigger render={trigger} />
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
