import { Menu as Base } from '@base-ui/react/menu';
import { Check, type LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { Kbd } from '../button.tsx';

interface MenuItem {
  id: string;
  label: ReactNode;
  /** Second line: its effect, or why it is disabled. */
  hint?: ReactNode;
  icon?: LucideIcon;
  keys?: string;
  disabled?: boolean;
  onSelect: () => void;
}

export interface MenuProps {
  /** The element that opens it, with an accessible name of its own. */
  trigger: ReactElement<Record<string, unknown>>;
  items: readonly MenuItem[];
  side?: 'top' | 'bottom';
  align?: 'start' | 'end';
}

export interface ChoiceMenuProps extends Pick<MenuProps, 'trigger'> {
  options: readonly { value: string; label: ReactNode }[];
  chosen: readonly string[] | null;
  onChange: (chosen: readonly string[] | null) => void;
}

interface Opened {
  defaultOpen: boolean;
}

export function ActionMenu({ items, ...frame }: MenuProps & Opened) {
  return (
    <MenuFrame {...frame}>
      {items.map(({ id, label, hint, icon: Icon, keys, disabled, onSelect }) => (
        <Base.Item
          key={id}
          onClick={onSelect}
          disabled={disabled ?? false}
          className="flex cursor-default items-start gap-2.5 rounded-inner px-2 py-1.5 text-13 text-text outline-none select-none data-disabled:text-text-subtle data-highlighted:bg-selected touch:py-3"
        >
          {Icon && <Icon className="mt-0.5 size-4 shrink-0 text-text-muted" />}
          <span className="min-w-0 flex-1">
            {label}
            {hint && <span className="block text-12 text-text-subtle">{hint}</span>}
          </span>
          {keys && <Kbd keys={keys} className="mt-0.5 text-text-subtle" />}
        </Base.Item>
      ))}
    </MenuFrame>
  );
}

export function OptionMenu({ options, chosen, onChange, ...frame }: ChoiceMenuProps & Opened) {
  const choose = (value: string | null, isChosen: boolean) => {
    const others = (chosen ?? []).filter((other) => other !== value);
    const next = value === null ? [] : isChosen ? [...others, value] : others;
    onChange(next.length === 0 ? null : next);
  };
  return (
    <MenuFrame {...frame}>
      {[{ value: null, label: 'All' }, ...options].map(({ value, label }) => (
        <Base.CheckboxItem
          key={value}
          checked={value === null ? chosen === null : (chosen?.includes(value) ?? false)}
          onCheckedChange={(isChosen) => choose(value, isChosen)}
          closeOnClick={false}
          className="flex cursor-default items-center gap-2 rounded-inner py-1 pr-3 pl-2 text-13 text-text outline-none select-none data-highlighted:bg-selected touch:py-3"
        >
          <span className="size-4 shrink-0">
            <Base.CheckboxItemIndicator>
              <Check className="size-4" />
            </Base.CheckboxItemIndicator>
          </span>
          {label}
        </Base.CheckboxItem>
      ))}
    </MenuFrame>
  );
}

type MenuFrameProps = Omit<MenuProps, 'items'> & Opened & { children: ReactNode };

function MenuFrame({ trigger, side = 'bottom', align = 'end', defaultOpen, children }: MenuFrameProps) {
  return (
    <Base.Root defaultOpen={defaultOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 outline-none"
        >
          <Base.Popup className="fade-in max-h-[var(--available-height)] min-w-48 max-w-80 origin-[var(--transform-origin)] overflow-y-auto rounded-control border border-border bg-surface-raised p-1 shadow-high outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
