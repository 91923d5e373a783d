import type { ReactNode } from 'react';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { ColumnHead, TEXT_CELL } from './cells.tsx';

interface FieldsTableProps {
  label: string;
  /** Each with the same fields, whose names are the heads of the columns. Without a row there is no table. */
  rows: readonly Readonly<Record<string, ReactNode>>[];
  /** How it scrolls. */
  className?: string;
}

export function FieldsTable({ label, rows, className = 'max-h-96 overflow-auto' }: FieldsTableProps) {
  const [first] = rows;
  if (!first) return null;
  return (
    <ScrollRegion label={label} className={className}>
      <table aria-label={label} className="w-full border-separate border-spacing-0">
        <thead>
          <tr>
            {Object.keys(first).map((field) => (
              <ColumnHead key={field} className="text-left">
                {field}
              </ColumnHead>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...rows.entries()].map(([at, row]) => (
            <tr key={at}>
              {Object.entries(row).map(([field, cell]) => (
                <td key={field} className={TEXT_CELL}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
