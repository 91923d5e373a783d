import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode, RefObject } from 'react';
import { cx } from '../cx.ts';

export interface PopoverProps {
  /** The element that opens it, with an accessible name of its own. */
  trigger: ReactElement<Record<string, unknown>>;
  align?: 'start' | 'end';
  openOnHover?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** Accessible name; not needed with a `PopoverTitle` inside. */
  label?: string;
  initialFocus?: RefObject<HTMLElement | null>;
  className: string;
  children: ReactNode;
}

export const { Title, Description } = Base;

/** A popover with its trigger. */
export function PopoverWithTrigger({
  trigger,
  align = 'end',
  openOnHover = false,
  onOpenChange,
  defaultOpen,
  label,
  initialFocus,
  className,
  children,
}: PopoverProps & { defaultOpen: boolean }) {
  return (
    <Base.Root defaultOpen={defaultOpen} onOpenChange={(open) => onOpenChange?.(open)}>
      <Base.Trigger render={trigger} openOnHover={openOnHover} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align={align} collisionPadding={8} className="z-50">
          <Base.Popup
            initialFocus={initialFocus}
            aria-label={label}
            className={cx(
              'fade-in max-w-[calc(100vw-16px)] rounded-control border border-border bg-surface-raised p-4 shadow-high outline-none',
              className,
            )}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
