import type { ReactNode } from 'react';
import { ColumnHead, FirstHead } from '../measures/cells.tsx';

interface UsageTableProps {
  by: 'turn' | 'context';
  whose: string;
  figures: readonly string[];
  /** Number of rows, if not all of them exist. */
  rows?: number;
  children: ReactNode;
}

export const UsageTable = ({ by, whose, figures, rows, children }: UsageTableProps) => (
  <table
    aria-label={`Usage by ${by}`}
    aria-rowcount={rows === undefined ? undefined : rows + 1}
    className="w-full max-w-3xl border-separate border-spacing-0"
  >
    <thead>
      <tr>
        <FirstHead>{whose}</FirstHead>
        <ColumnHead className="text-left">model</ColumnHead>
        {figures.map((title) => (
          <ColumnHead key={title}>{title}</ColumnHead>
        ))}
      </tr>
    </thead>
    {children}
  </table>
);
