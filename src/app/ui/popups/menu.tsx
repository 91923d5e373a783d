import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { laterPopup } from '../later.tsx';

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

const parts = () => import('./menu-parts.tsx');

export const Menu = laterPopup<MenuProps>('The menu', () => parts().then(({ ActionMenu }) => ActionMenu));

/** A button that opens a list of choices, which stays open. Choosing none equals choosing all. */
export const ChoiceMenu = laterPopup<ChoiceMenuProps>('The menu', () =>
  parts().then(({ OptionMenu }) => OptionMenu),
);
