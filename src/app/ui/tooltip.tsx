import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';

export interface TooltipProps {
  /** What the tooltip says; nothing is shown where it is empty. */
  content: ReactNode;
  /** One element that takes a ref and pointer events; it keeps its own role and name. */
  children: ReactElement<Record<string, unknown>>;
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** Left of the text for long definitions, centred otherwise. */
  align?: 'start' | 'center' | 'end';
}

/** A short explanation on hover and on keyboard focus. Never the only place of something that is needed. */
export function Tooltip({ content, children, side = 'top', align = 'center' }: TooltipProps) {
  // Switched off rather than left out: the element must stay the same one, or it would lose the focus.
  const isEmpty = content === null || content === undefined || content === '';
  return (
    <Base.Root disabled={isEmpty}>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} align={align} sideOffset={6} collisionPadding={8} className="z-50">
          <Base.Popup className="fade-in max-w-72 rounded-control border border-border bg-surface-raised px-2.5 py-1.5 text-12 text-text shadow-high">
            {content}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
