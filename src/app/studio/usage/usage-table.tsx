import type { ReactNode } from 'react';
import { ColumnHead, FirstHead } from '../measures/cells.tsx';

interface UsageTableProps {
  by: 'turn' | 'context';
  whose: string;
  figures: readonly string[];
  children: ReactNode;
}

export const UsageTable = ({ by, whose, figures, children }: UsageTableProps) => (
  <table aria-label={`Usage by ${by}`} className="w-full max-w-3xl border-separate border-spacing-0">
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
