import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';

export interface TooltipProps {
  /** Empty content disables the tooltip. */
  content: ReactNode;
  /** One element that accepts a ref and pointer events; it keeps its role and name. */
  children: ReactElement<Record<string, unknown>>;
  side?: 'top' | 'bottom' | 'left' | 'right';
}

/** A short explanation on hover and on keyboard focus. Never the only place of needed information. */
export function Tooltip({ content, children, side = 'top' }: TooltipProps) {
  // Disabled instead of omitted: a new element would lose the focus.
  const isEmpty = content === null || content === undefined || content === '';
  return (
    <Base.Root disabled={isEmpty}>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} collisionPadding={8} className="z-50">
          <Base.Popup className="fade-in max-w-72 rounded-control border border-border bg-surface-raised px-2.5 py-1.5 text-12 text-text shadow-high">
            {content}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
