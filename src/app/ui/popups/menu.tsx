import { laterPopup } from '../later.tsx';
import type { ChoiceMenuProps, MenuProps } from './menu-parts.tsx';

const parts = () => import('./menu-parts.tsx');

export const Menu = laterPopup<MenuProps>('The menu', 'menu', () =>
  parts().then(({ ActionMenu }) => ActionMenu),
);

/** A button that opens a list of choices, which stays open. Choosing none equals choosing all. */
export const ChoiceMenu = laterPopup<ChoiceMenuProps>('The menu', 'menu', () =>
  parts().then(({ OptionMenu }) => OptionMenu),
);
