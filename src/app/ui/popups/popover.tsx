import type { ReactElement, ReactNode, RefObject } from 'react';
import { later, laterPopup } from '../later.tsx';

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

const parts = () => import('./popover-parts.tsx');

export const Popover = laterPopup<PopoverProps>('The popover', () =>
  parts().then(({ PopoverWithTrigger }) => PopoverWithTrigger),
);
export const PopoverTitle = later('The title', () => parts().then(({ Title }) => Title));
export const PopoverDescription = later('The text', () => parts().then(({ Description }) => Description));
