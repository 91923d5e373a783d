import type { ReactNode } from 'react';

export const TEXT_CELL = 'h-6 border-b border-border px-2 last:pr-4 font-mono text-12 whitespace-nowrap';

export const CELL = `${TEXT_CELL} text-right`;

interface HeadProps {
  className?: string;
  hue?: number;
  children: ReactNode;
}

export const ColumnHead = ({ className = 'text-right', hue, children }: HeadProps) => (
  <th
    scope="col"
    data-voice={hue}
    className={`sticky top-0 z-1 h-7 border-b border-border bg-surface px-2 last:pr-4 text-12 font-normal whitespace-nowrap text-text-subtle ${className}`}
  >
    {children}
  </th>
);

/** Heading of the first column, which is that of the rows' own headings. */
export const FirstHead = ({ children }: HeadProps) => (
  <ColumnHead className="pl-4 text-left wide:pl-5">{children}</ColumnHead>
);

export const RowHead = ({ className = '', children }: HeadProps) => (
  <th scope="row" className={`h-6 border-b border-border pr-2 pl-4 text-left text-12 wide:pl-5 ${className}`}>
    {children}
  </th>
);
