import type { ComponentProps } from 'react';

/** Keeps the region reachable by keyboard where nothing in it is a control. */
const REACHABLE = { tabIndex: 0 } as const;

/** A named region that scrolls, by wheel, by touch and by arrow keys. */
export const ScrollRegion = ({ label, ...rest }: ComponentProps<'section'> & { label: string }) => (
  <section {...REACHABLE} {...rest} aria-label={label} />
);
