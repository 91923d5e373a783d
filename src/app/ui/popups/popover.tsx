import { later, laterPopup } from '../later.tsx';
import type { PopoverProps } from './popover-parts.tsx';

const parts = () => import('./popover-parts.tsx');

export const Popover = laterPopup<PopoverProps>('The popover', 'dialog', () =>
  parts().then(({ PopoverWithTrigger }) => PopoverWithTrigger),
);
export const PopoverTitle = later({ name: 'The title', when: 'shown' }, () =>
  parts().then(({ Title }) => Title),
);
export const PopoverDescription = later({ name: 'The text', when: 'shown' }, () =>
  parts().then(({ Description }) => Description),
);
