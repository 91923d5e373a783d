import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode, RefObject } from 'react';
import { cx } from './cx.ts';

export interface PopoverProps {
  /** The element that opens it, with an accessible name of its own. */
  trigger: ReactElement<Record<string, unknown>>;
  align?: 'start' | 'end';
  openOnHover?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** Accessible name; not needed with a `Popover.Title` inside. */
  label?: string;
  initialFocus?: RefObject<HTMLElement | null>;
  className: string;
  children: ReactNode;
}

export function Popover({
  trigger,
  align = 'end',
  openOnHover = false,
  onOpenChange,
  label,
  className,
  children,
  ...popup
}: PopoverProps) {
  return (
    <Base.Root onOpenChange={(open) => onOpenChange?.(open)}>
      <Base.Trigger render={trigger} openOnHover={openOnHover} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align={align} collisionPadding={8} className="z-50">
          <Base.Popup
            {...popup}
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
