import { later, laterPopup } from '../later.tsx';
import type { PopoverProps } from './popover-parts.tsx';

const parts = () => import('./popover-parts.tsx');

export const Popover = laterPopup<PopoverProps>('The popover', () =>
  parts().then(({ PopoverWithTrigger }) => PopoverWithTrigger),
);
export const PopoverTitle = later('The title', () => parts().then(({ Title }) => Title));
export const PopoverDescription = later('The text', () => parts().then(({ Description }) => Description));
