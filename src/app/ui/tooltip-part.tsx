import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactNode } from 'react';

export interface TooltipPartProps {
  anchor: Element;
  content: ReactNode;
  side: 'top' | 'bottom' | 'left' | 'right';
  /** The pointer is over the text, or has left it. */
  onHover: (isOver: boolean) => void;
  onClose: () => void;
}

/**
 * The open explanation. It loads later than what it explains. It is within the landmark of the page, where screen readers
 * find it, but for an open dialog, which hides that landmark.
 */
export const TooltipPart = ({ anchor, content, side, onHover, onClose }: TooltipPartProps) => (
  <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
    <Base.Portal container={anchor.closest('[data-modal]') ? undefined : document.querySelector('main')}>
      <Base.Positioner anchor={anchor} side={side} sideOffset={6} collisionPadding={8} className="z-50">
        <Base.Popup
          onPointerEnter={() => onHover(true)}
          onPointerLeave={() => onHover(false)}
          className="fade-in max-w-72 rounded-control border border-border bg-surface-raised px-2.5 py-1.5 text-12 text-text shadow-high"
        >
          {content}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);
