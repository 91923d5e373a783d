import type { ComponentProps } from 'react';

/** Keeps the region reachable by keyboard where nothing in it is a control. */
const REACHABLE = { tabIndex: 0 } as const;

export interface ScrollRegionProps extends ComponentProps<'section'> {
  label: string;
}

/** A named region that scrolls, by wheel, by touch and by arrow keys. */
export function ScrollRegion({ label, ...rest }: ScrollRegionProps) {
  return <section {...REACHABLE} {...rest} aria-label={label} />;
}
