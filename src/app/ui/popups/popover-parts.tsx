import { Popover as Base } from '@base-ui/react/popover';
import { cx } from '../cx.ts';
import type { PopoverProps } from './popover.tsx';

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
