import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';

export interface ChoiceMenuProps {
  /** The element that opens it, with an accessible name of its own. */
  trigger: ReactElement<Record<string, unknown>>;
  options: readonly { value: string; label: ReactNode }[];
  /** null: all of them. */
  chosen: readonly string[] | null;
  onChange: (chosen: readonly string[] | null) => void;
}

const ITEM =
  'flex cursor-default items-center gap-2 rounded-inner py-1 pr-3 pl-2 text-13 text-text outline-none select-none data-highlighted:bg-selected touch:py-3';

/** Any of several, behind one button; it stays open while they are chosen. None chosen is as good as all. */
export function ChoiceMenu({ trigger, options, chosen, onChange }: ChoiceMenuProps) {
  const choose = (value: string, isChosen: boolean) => {
    const next = isChosen ? [...(chosen ?? []), value] : (chosen ?? []).filter((other) => other !== value);
    onChange(next.length === 0 ? null : next);
  };
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          side="bottom"
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 outline-none"
        >
          <Base.Popup className="fade-in max-h-[min(24rem,var(--available-height))] min-w-48 max-w-80 origin-[var(--transform-origin)] overflow-y-auto rounded-control border border-border bg-surface-raised p-1 shadow-high outline-none">
            <Base.CheckboxItem
              checked={chosen === null}
              onCheckedChange={() => onChange(null)}
              closeOnClick={false}
              className={ITEM}
            >
              <Mark />
              All
            </Base.CheckboxItem>
            {options.map(({ value, label }) => (
              <Base.CheckboxItem
                key={value}
                checked={chosen?.includes(value) ?? false}
                onCheckedChange={(isChosen) => choose(value, isChosen)}
                closeOnClick={false}
                className={ITEM}
              >
                <Mark />
                {label}
              </Base.CheckboxItem>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

const Mark = () => (
  <span className="size-4 shrink-0">
    <Base.CheckboxItemIndicator>
      <Check aria-hidden className="size-4" strokeWidth={1.75} />
    </Base.CheckboxItemIndicator>
  </span>
);
