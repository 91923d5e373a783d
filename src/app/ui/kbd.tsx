import { cx } from './cx.ts';

/** A key or a chord of keys, as printed on them: `Esc`, `Ctrl Enter`. */
export function Kbd({ keys, className }: { keys: string; className?: string }) {
  return <kbd className={cx('text-12 font-normal whitespace-nowrap', className)}>{keys}</kbd>;
}
