import { Menu as Base } from '@base-ui/react/menu';
import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { Kbd } from './kbd.tsx';

interface MenuItem {
  id: string;
  label: ReactNode;
  /** Second line: what it does, or why it cannot be done now. */
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

/** Things that can be done, behind one button. */
export function Menu({ trigger, items, side = 'bottom', align = 'end' }: MenuProps) {
  return (
    <Base.Root>
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
            {items.map(({ id, label, hint, icon: Icon, keys, disabled, onSelect }) => (
              <Base.Item
                key={id}
                onClick={onSelect}
                disabled={disabled ?? false}
                className="flex cursor-default items-start gap-2.5 rounded-inner px-2 py-1.5 text-13 text-text outline-none select-none data-disabled:text-text-subtle data-highlighted:bg-selected touch:py-3"
              >
                {Icon && (
                  <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-text-muted" strokeWidth={1.75} />
                )}
                <span className="min-w-0 flex-1">
                  {label}
                  {hint && <span className="block text-12 text-text-subtle">{hint}</span>}
                </span>
                {keys && <Kbd keys={keys} className="mt-0.5 text-text-subtle" />}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
