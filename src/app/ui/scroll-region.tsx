import type { ComponentProps } from 'react';

/** What scrolls must be reachable by keyboard, although nothing in it may be a control. */
const REACHABLE = { tabIndex: 0 } as const;

export interface ScrollRegionProps extends ComponentProps<'section'> {
  /** Accessible name of the region. */
  label: string;
}

/** A named region that scrolls, by wheel, by touch and by arrow keys. */
export function ScrollRegion({ label, ...rest }: ScrollRegionProps) {
  return <section {...REACHABLE} {...rest} aria-label={label} />;
}
