export const CELL =
  'h-6 border-b border-border px-2 text-right last:pr-4 font-mono text-12 whitespace-nowrap';
export const HEAD =
  'sticky top-0 z-1 h-7 border-b border-border bg-surface px-2 last:pr-4 text-12 font-normal whitespace-nowrap text-text-subtle';
