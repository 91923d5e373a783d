import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { cx } from '../cx.ts';
import { IconButton } from '../icon-button.tsx';

export interface DialogProps {
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Tailwind width class; 480 px otherwise. */
  width?: string;
  /** Content reaches to the edges and scrolls by itself. */
  flush?: boolean;
  /** Takes the focus on opening; by default the first focusable element does. */
  initialFocus?: RefObject<HTMLElement | null>;
}

/** A modal dialog, open as long as it is rendered. It traps the focus and returns it on closing. */
export function DialogPart({
  onClose,
  title,
  description,
  children,
  width = 'max-w-[480px]',
  flush = false,
  initialFocus,
}: DialogProps) {
  return (
    <Base.Root open onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-backdrop transition-opacity duration-150 data-starting-style:opacity-0" />
        <Base.Popup
          data-modal
          {...(initialFocus ? { initialFocus } : {})}
          className={cx(
            'fade-in fixed top-1/2 left-1/2 z-50 flex max-h-[min(680px,calc(100dvh-32px))] w-[calc(100vw-32px)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-hidden rounded-panel border border-border bg-surface-raised shadow-high outline-none',
            width,
          )}
        >
          <header className="flex items-start gap-2 border-b border-border py-3 pr-3 pl-5">
            <div className="min-w-0 flex-1 py-1 touch:py-[11px]">
              <Base.Title className="text-14 font-semibold">{title}</Base.Title>
              {description && (
                <Base.Description className="mt-0.5 text-12 text-text-muted">{description}</Base.Description>
              )}
            </div>
            <Base.Close render={<IconButton label="Close" icon={X} tooltip={false} />} />
          </header>
          <div className={cx('min-h-0', flush ? 'flex flex-col' : 'overflow-y-auto p-5')}>{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
