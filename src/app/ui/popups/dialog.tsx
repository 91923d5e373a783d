import { later } from '../later.tsx';
import type { DialogProps } from './dialog-part.tsx';

export type { DialogProps };

export const Dialog = later<DialogProps>({ name: 'The dialog', when: 'shown' }, () =>
  import('./dialog-part.tsx').then(({ DialogPart }) => DialogPart),
);
